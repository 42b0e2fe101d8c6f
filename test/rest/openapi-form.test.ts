import { useApp } from '../support/app.ts';
import { testExamples } from '../support/examples.ts';

useApp();
testExamples('form');
