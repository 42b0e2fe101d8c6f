import fc from 'fast-check';
import {
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import type { ExampleData } from '../../support/fixtures/example-data.ts';
import { type RootField, selection } from '../../support/operations/root-fields.ts';
import { CALLERS, type CallerName } from './fixture.ts';
import {
  type Change,
  changeArbitrary,
  changed,
  edgeNumber,
  hostileText,
  hostileValue,
  numberId,
  swollen,
  textId,
} from './values.ts';

/** Transports, repeated by weight; `stream` is server-sent events. */
const TRANSPORTS = ['post', 'post', 'post', 'get', 'socket', 'stream'] as const;

export interface FuzzedOperation {
  caller: CallerName;
  transport: (typeof TRANSPORTS)[number];
  isLiteral: boolean;
  values: Record<string, unknown>;
  changes: Change[];
}

export function operationsOn({ field }: RootField): fc.Arbitrary<FuzzedOperation> {
  const names = field.args.flatMap(({ name, type }) => [name, ...namesIn(type)]);
  const required = field.args.filter((argument) => isRequiredArgument(argument)).map(({ name }) => name);
  const values = Object.fromEntries(field.args.map(({ name, type }) => [name, inputFor(type, name, 3)]));
  return fc.record({
    caller: fc.constantFrom(...CALLERS),
    transport: fc.constantFrom(...TRANSPORTS),
    isLiteral: fc.nat({ max: 3 }).map((one) => one === 0),
    values: fc.record(values, { requiredKeys: required }) as fc.Arbitrary<Record<string, unknown>>,
    changes: fc.oneof(
      { weight: 2, arbitrary: fc.constant<Change[]>([]) },
      fc.array(changeArbitrary(names), { minLength: 1, maxLength: 2 }),
    ),
  });
}

function namesIn(type: GraphQLInputType): string[] {
  const named = getNamedType(type);
  return isInputObjectType(named) ? Object.keys(named.getFields()) : [];
}

/** Values that mostly fit a type, with optional fields up to `depth` levels. */
function inputFor(type: GraphQLInputType, name: string, depth: number): fc.Arbitrary<unknown> {
  if (isNonNullType(type)) return inputFor(type.ofType as GraphQLInputType, name, depth);
  if (isListType(type)) {
    return fc.array(inputFor(type.ofType as GraphQLInputType, name, depth), { maxLength: 3 });
  }
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map((value) => value.name));
  if (!isInputObjectType(type)) return mostly(leafOf(type.name, name));
  const fields = Object.values(type.getFields());
  if (type.isOneOf) {
    const one = depth > 0 ? fields : fields.slice(0, 1);
    return fc.oneof(...one.map((field) => fc.record({ [field.name]: inputFor(field.type, field.name, depth - 1) })));
  }
  const requiredKeys = fields.filter((field) => isRequiredInputField(field)).map((field) => field.name);
  const given = fields.filter((field) => depth > 0 || requiredKeys.includes(field.name));
  // Few at a time, because an error in one field hides errors in others.
  const optional = given.filter((field) => !requiredKeys.includes(field.name));
  const record = (keys: typeof fields) =>
    fc.record(Object.fromEntries(keys.map((field) => [field.name, inputFor(field.type, field.name, depth - 1)])));
  const chosen = fc.subarray(optional, { maxLength: Math.min(optional.length, 4) });
  return chosen.chain((some) => record([...given.filter((field) => requiredKeys.includes(field.name)), ...some]));
}

function mostly(valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 5, arbitrary: valid },
    { weight: 1, arbitrary: hostileText },
    { weight: 1, arbitrary: hostileValue },
  );
}

/** Values that exist in the fixture, so that inputs pass the first checks. */
const WORDS = ['Cars', 'Trips', 'make', 'year', 'photo', 'alice', 'reader', 'hello', 'a@example.org', '4402079460001']
  .concat(['development', 'production', 'like', '7001', '2026-11-22', 'https://example.org/x', 'text/plain'])
  .concat(['6b014763c31c72a603f51a01', 'password-1', 'UTC', 'en']);

const MOMENTS = [
  '2026-11-22T00:00:00.000Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00Z',
].concat(['2026-11-22T00:00:00+14:00', '2024-02-29T23:59:60Z', '0000-01-01T00:00:00Z']);

const OBJECTS = [
  { make: 'BMW' },
  { make: { eq: 'BMW' } },
  { year: { gt: 1, lt: 2 ** 53 } },
  { or: [{ make: { in: ['a', 'b'] } }, { and: [{ year: { ne: 1 } }] }] },
  { tags: { all: ['a'] } },
  { make: { ctn: '%\\_' } },
  { year: 1e300, make: 1, tags: 'a', photo: {} },
  { created_at: { gt: '2026' } },
];

function leafOf(type: string, name: string): fc.Arbitrary<unknown> {
  switch (type) {
    case 'ID':
      return fc.oneof(textId, numberId.map(String));
    case 'Int':
    case 'SafeInt':
    case 'UnixTime':
    case 'Seconds':
      return /id$|ids$/i.test(name)
        ? numberId
        : fc.oneof(fc.integer({ min: 0, max: 20 }), edgeNumber.filter(Number.isFinite));
    case 'Float':
      return fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), edgeNumber.filter(Number.isFinite));
    case 'Boolean':
    case 'Flag':
      return fc.boolean();
    case 'DateTime':
      return fc.constantFrom(...MOMENTS);
    case 'JSON':
      return fc.oneof(fc.constantFrom<unknown[]>(...OBJECTS), hostileValue);
    default:
      return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...WORDS) }, hostileText);
  }
}

export function payloadOf(root: RootField, fuzzed: FuzzedOperation, world: ExampleData): string {
  const values = changed(world.real(fuzzed.values), fuzzed.changes);
  const given = (typeof values === 'object' && values !== null ? values : {}) as Record<string, unknown>;
  const { field, kind } = root;
  const notified = selection(field.type, 3);
  const known = field.args.filter(({ name }) => name in given);
  const query = fuzzed.isLiteral
    ? `${kind} { ${field.name}${listed(Object.entries(given).map(([name, value]) => `${name}: ${literal(value)}`))}${notified} }`
    : `${kind} Fuzzed${listed(known.map(({ name, type }) => `$${name}: ${type}`))} { ${field.name}${listed(
        known.map(({ name }) => `${name}: $${name}`),
      )}${notified} }`;
  const payload = fuzzed.isLiteral ? { query } : { query, variables: values };
  return swollen(JSON.stringify(world.real(payload)), 100_000, 150_000);
}

const listed = (parts: string[]) => (parts.length > 0 ? `(${parts.join(', ')})` : '');

/** Texts in capitals become enum values, because most are. */
function literal(value: unknown): string {
  if (typeof value === 'string') return /^[A-Z][A-Z_0-9]+$/.test(value) ? value : JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.slice(0, 2000).map(literal).join(', ')}]`;
  return `{ ${Object.entries(value)
    .map(([name, member]) => `${name}: ${literal(member)}`)
    .join(', ')} }`;
}
