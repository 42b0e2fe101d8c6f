import { buildSchema, parse, printSchema, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { documentOf, firstVariables, operationsOf } from '../../../packages/console/src/explorer/operations.ts';
import { mistakesIn, operationsIn, variablesOf } from '../../../packages/console/src/explorer/variables.ts';
import { schema as served } from '../../../src/schema/index.ts';

// As a browser gets it: without resolvers and without the parsers of scalars.
const schema = buildSchema(printSchema(served));
const operations = operationsOf(schema);

describe('the operations of the explorer', () => {
  test.each(operations.map((operation) => [operation.field.name, operation] as const))(
    '%s has a document that the schema accepts',
    (_name, operation) => {
      const document = documentOf(operation, schema);
      expect(validate(schema, parse(document))).toEqual([]);
    },
  );

  test('lists begin with ten items, and name their values, the next page and their total', () => {
    const users = operations.find(({ field }) => field.name === 'users')!;
    expect(JSON.parse(firstVariables(users))).toEqual({ first: 10 });
    const document = documentOf(users, schema);
    for (const name of ['edges', 'node', 'login', 'endCursor', 'totalCount']) expect(document).toContain(name);
  });

  test.each([
    ['a missing variable', {}, [{ path: 'input', kind: 'missing' }]],
    ['an unknown variable', { input: { name: 'Car', fields: [] }, other: 1 }, [{ path: 'other', kind: 'unknown' }]],
    [
      'a value of another type',
      { input: { name: 'Car', fields: [{ name: 'make', type: 'WORD' }] } },
      [{ path: 'input.fields.0.type', kind: 'wrong' }],
    ],
    ['no mistake', { input: { name: 'Car', fields: [{ name: 'make', type: 'STRING' }] } }, []],
  ])('the variables of a document report %s', (_what, values, expected) => {
    const create = operations.find(({ field }) => field.name === 'createClass')!;
    const [operation] = operationsIn(parse(documentOf(create, schema)));
    const found = mistakesIn(values, variablesOf(operation, schema));
    expect(found.map(({ path, kind }) => ({ path, kind }))).toEqual(expected);
  });
});
