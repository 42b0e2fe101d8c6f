import {
  buildSchema,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  isObjectType,
  parse,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { CompiledOperation } from '../../src/graphql/compiled-operation.ts';

const schema = buildSchema(`
  type Query { cars(first: Int = 2, kind: Kind): [Car!]!, car(id: ID!): Car, anything: Thing }
  type Mutation { paint: Car! }
  interface Thing { id: ID! }
  enum Kind { SMALL LARGE }
  type Car { id: ID!, kind: Kind!, name: String, owner: Person, sizes: [Int], later: String, asked: String, broken: String,
    brokenLater: String, missing: String!, wrong: Int, upper(prefix: String!): String!, tags: [Int], strict: [Int!],
    rivals: [Car] }
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
  tags: () => [1, 'x', Promise.reject(new RangeError('no tag')), null],
  strict: [1, null],
  rivals: () => [null, new RangeError('no rival'), { id: 8 }, Promise.resolve({ id: 9 })],
});

setResolver(schema, 'Query', 'cars', (_root, { first }) =>
  Promise.resolve(Array.from({ length: first as number }, (_, nth) => car(nth + 1))),
);
setResolver(schema, 'Query', 'car', (_root, { id }) => (id === '0' ? null : car(Number(id))));
setResolver(schema, 'Mutation', 'paint', () => car(3));
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
    expect((error as GraphQLError).path).toEqual(errors![0]!.path);
  });
});

describe('executePartially returns the data and the errors of an interpreter', () => {
  test.each<[document: string, variables?: Record<string, unknown>]>([
    ['{ cars { id name } }'],
    ['{ cars { id broken name } }'],
    ['{ cars { id brokenLater later broken } }'],
    ['{ car(id: 1) { missing } }'],
    ['{ cars { missing } }'],
    ['{ car(id: 1) { owner { cars { id broken missing } name } wrong } }'],
    ['{ car(id: 1) { tags } }'],
    ['{ car(id: 1) { strict } }'],
    ['{ car(id: 1) { rivals { id broken } } }'],
    ['{ a: car(id: 1) { broken } b: car(id: 0) { id } cars { wrong sizes } __typename }'],
    ['query ($first: Int) { cars(first: $first) { id } }', { first: 'many' }],
    ['query ($text: String = "a ") { car(id: 1) { upper(prefix: $text) name } }', { text: null }],
    ['{ car(id: 1) { ...A ...A } } fragment A on Car { id broken ...B } fragment B on Car { wrong }'],
    ['mutation { paint { id broken } }'],
    ['query One { car(id: 1) { id } } query Two { cars { id } }'],
  ])('%s', async (text, variables = {}) => {
    const document = parse(text);
    const args = { schema, document, operationName: text.includes('Two') ? 'Two' : undefined };
    const expected = await execute({ ...args, variableValues: variables });
    const result = await new CompiledOperation(schema, document, args).executePartially(variables, {});
    const byPath = (one: GraphQLError, other: GraphQLError) => (String(one.path) < String(other.path) ? -1 : 1);
    const sorted = ({ data, errors }: ExecutionResult) =>
      plain({ data, errors: errors && [...errors].sort(byPath).map(({ message, path }) => ({ message, path })) });
    expect(sorted(result)).toEqual(sorted(expected));
  });
});

test('it refuses documents that it does not support', () => {
  const compile = (text: string) => () => new CompiledOperation(schema, parse(text));
  expect(compile('mutation { a: paint { id } b: paint { id } }')).toThrow('a mutation of several root fields');
  expect(compile('{ car(id: 1) { ... @skip(if: true) { id } } }')).toThrow('a directive at a fragment');
  expect(compile('{ car(id: 1) { owner @skip(if: true) { name } owner { name } } }')).toThrow(
    'directives at a repeated field',
  );
  expect(compile('{ car(id: 1) { id @skip(if: true) name id } }')).toThrow('directives at a repeated field');
  expect(compile('{ anything { __typename } }')).toThrow('an abstract type');
  expect(compile('{ car(id: 1) { __proto__: name } }')).toThrow('a field named __proto__');
  expect(compile('{ __schema { queryType { name } } }')).toThrow('introspection');
  expect(compile('query A { __typename } query B { __typename }')).toThrow('no operation is selected');
});
