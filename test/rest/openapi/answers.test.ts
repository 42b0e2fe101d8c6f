import { expect, test } from 'vitest';
import answers from '../../../docs/reference/rest-answers.json' with { type: 'json' };
import { routes } from '../../../src/rest/index.ts';
import { describe as describeRoute } from '../../../src/rest/openapi/operations.ts';
import { compiled } from '../../support/clients/openapi.ts';

const withJson = routes.filter(({ docs }) => typeof docs.answer === 'object');
const idOf = (route: (typeof routes)[number]) => describeRoute(route, ['SVC-Token']).operation.operationId;

test.each(withJson.map((route) => [idOf(route), route] as const))(
  'the answer of %s in the OpenAPI document is recorded and fits its schema',
  (operationId, { docs }) => {
    const answer = (answers as Record<string, unknown>)[operationId];
    expect(answer).toBeDefined();
    const validate = compiled(docs.answer as object);
    expect(validate(answer) ? [] : validate.errors).toEqual([]);
  },
);

test('every recorded answer belongs to an operation, and none contains a secret', () => {
  expect(Object.keys(answers).filter((name) => !withJson.some((route) => idOf(route) === name))).toEqual([]);
  const text = JSON.stringify(answers);
  expect(text).not.toContain('127.0.0.1');
  expect(text.match(/"token":"[^"]*"/g)!.filter((token) => !/"0000005c0+"/.test(token))).toEqual([]);
});
