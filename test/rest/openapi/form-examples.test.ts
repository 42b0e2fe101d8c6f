import { useApp } from '../../support/app/app.ts';
import { testExamples } from '../../support/fixtures/openapi-examples.ts';

useApp();
testExamples('form');
