import { buildSchema, execute, type GraphQLError, type GraphQLSchema, isObjectType, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { CompiledOperation } from '../../src/graphql/compiled-operation.ts';

const schema = buildSchema(`
  type Query { cars(first: Int = 2, kind: Kind): [Car!]!, car(id: ID!): Car }
  enum Kind { SMALL LARGE }
  type Car { id: ID!, kind: Kind!, name: String, owner: Person, sizes: [Int], later: String, asked: String, broken: String,
    brokenLater: String, missing: String!, wrong: Int, upper(prefix: String!): String! }
  type Person { name: String!, cars: [Car!]! }
`);

const car = (id: number) => ({
  id,
  kind: 'SMALL',
  name: id === 2 ? null : `car ${id}`,
  owner: { name: 'Ann', cars: () => Promise.resolve([Promise.resolve(car(7))]) },
  sizes: [1, null, Promise.resolve(3)],
  later: Promise.resolve('later'),
  // A query of Prisma is a thenable, but no promise.
  // biome-ignore lint/suspicious/noThenProperty: it is what is tested
  asked: { then: (settle: (value: string) => void) => Promise.resolve('asked').then(settle) },
  missing: undefined,
  wrong: 'no number',
});

setResolver(schema, 'Query', 'cars', (_root, { first }) =>
  Promise.resolve(Array.from({ length: first as number }, (_, nth) => car(nth + 1))),
);
setResolver(schema, 'Query', 'car', (_root, { id }) => (id === '0' ? null : car(Number(id))));
setResolver(schema, 'Car', 'upper', (source, { prefix }) => `${prefix}${(source as { name: string }).name}`);
setResolver(schema, 'Car', 'broken', () => {
  throw new RangeError('broken');
});
setResolver(schema, 'Car', 'brokenLater', () => Promise.reject(new RangeError('broken later')));

function setResolver(
  { getType }: GraphQLSchema,
  type: string,
  field: string,
  resolve: (source: unknown, args: Record<string, unknown>) => unknown,
): void {
  const object = getType.call(schema, type);
  if (isObjectType(object)) object.getFields()[field]!.resolve = resolve;
}

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

describe('a compiled operation returns the data of an interpreter', () => {
  test.each<[document: string, variables?: Record<string, unknown>]>([
    ['{ cars { id kind name sizes } }'],
    ['query ($first: Int) { cars(first: $first, kind: LARGE) { id upper(prefix: "a ") } }', { first: 3 }],
    ['query ($first: Int) { cars(first: $first) { id } }'],
    ['query ($text: String = "a ") { cars { upper(prefix: $text) } }'],
    ['query ($text: String = "a ") { cars { upper(prefix: $text) } }', { text: 'b ' }],
    ['{ cars { number: id later asked owner { name cars { id } } } }'],
    ['{ car(id: 0) { id } }'],
    ['{ car(id: 1) { id __typename owner { __typename } } }'],
    [
      '{ car(id: 1) { ...A ...B ... { id } ... on Car { kind } } } fragment A on Car { owner { name } } fragment B on Car { id owner { cars { id name } } }',
    ],
    [
      'query ($on: Boolean!) { car(id: 1) { id @skip(if: $on) name @include(if: $on) kind @include(if: false) } }',
      { on: true },
    ],
    ['query ($on: Boolean!) { car(id: 1) { id @skip(if: $on) name @include(if: $on) id } }', { on: true }],
  ])('%s', async (text, variables = {}) => {
    const document = parse(text);
    const { data, errors } = await execute({ schema, document, variableValues: variables });
    expect(errors).toBeUndefined();
    expect(plain(await new CompiledOperation(schema, document).execute(variables, {}))).toEqual(plain(data));
  });
});

describe('a compiled operation rejects with the first error of an interpreter', () => {
  test.each<[document: string, variables?: Record<string, unknown>]>([
    ['{ car(id: 1) { broken } }'],
    ['{ car(id: 1) { later brokenLater } }'],
    ['{ car(id: 1) { brokenLater broken } }'],
    ['{ cars { later brokenLater } }'],
    ['{ car(id: 1) { wrong } }'],
    ['{ car(id: 1) { missing } }'],
    ['query ($first: Int) { cars(first: $first) { id } }', { first: 'many' }],
    ['query ($text: String = "a ") { car(id: 1) { upper(prefix: $text) } }', { text: null }],
    ['query ($text: String) { car(id: 1) { upper(prefix: $text) } }'],
  ])('%s', async (text, variables = {}) => {
    const document = parse(text);
    const { errors } = await execute({ schema, document, variableValues: variables });
    const error = await new CompiledOperation(schema, document)
      .execute(variables, {})
      .catch((error: unknown) => error as GraphQLError);
    expect(error).toMatchObject({ message: errors![0]!.message, originalError: errors![0]!.originalError });
    const names = errors![0]!.path?.filter((key) => typeof key === 'string');
    expect((error as GraphQLError).path).toEqual(names);
  });
});

test('it refuses documents that it does not support', () => {
  const compile = (text: string) => () => new CompiledOperation(schema, parse(text));
  expect(compile('{ a: car(id: 1) { id } b: car(id: 2) { id } }')).toThrow('one root field');
  expect(compile('{ car(id: 1) { ... @skip(if: true) { id } } }')).toThrow('no directives at fragments');
});
