import fc from 'fast-check';
import { CALLERS, type CallerName } from './fixture.ts';
import { type Change, changeArbitrary, changed, hostileText, swollen } from './values.ts';

/** Valid documents that cover the GraphQL language, with the ids of `ExampleData`. */
const RIGHT = [
  '{ me { id login } users(first: 2) { edges { node { id } cursor } } }',
  'query A($n: Int = 2, $yes: Boolean! = true) { users(first: $n) { totalCount @include(if: $yes) edges { ...e } } } fragment e on UserEdge { cursor node { ...f } } fragment f on User { id, login }',
  'query A { me { ...f ...g } } query B { dialogs(first: 1) { totalCount } } fragment f on User { id ...g } fragment g on User { login @skip(if: false) }',
  'query ($f: DialogFilter, $id: ID!) { dialogs(filter: $f, first: 1) { edges { node { id name } } } dialog(id: $id) { id } }',
  'mutation M { a: markMessagesRead(dialogId: "6b014763c31c72a603f51a01") { __typename } b: deleteSession }',
  'mutation ($i: UpdateUserInput!) { updateUser(id: 1, input: $i) { id } }',
  'subscription S { dialogEvents { cursor } }',
  'subscription ($d: ID) { messageSent(dialogId: $d) { cursor ... on MessageSent { message { id } } } }',
  'query IntrospectionQuery { __schema { types { ...T } } __type(name: "User") { name fields(includeDeprecated: true) { name type { kind ofType { name } } } } } fragment T on __Type { kind name }',
  '{ ... on Query { ... @include(if: true) { me { id } } } __typename }',
  '# a comment\n\ufeff{ me { login: login , id } }',
  '{ records(className: "Cars", filter: { make: { in: ["a", """b\n"c\\""" """] } }, first: 1) { totalCount } }',
];

const VARIABLES: unknown[] = [
  undefined,
  null,
  {},
  { n: 1, yes: false, f: { or: [{ id: { in: ['6b014763c31c72a603f51a01'] } }] }, id: '6b014763c31c72a603f51a01' },
  { n: '1', yes: 'true', f: [], id: {}, i: { fullName: 1 }, d: 0 },
  { n: 1e300, i: { __proto__: 1 }, f: { and: null }, unknown: 1 },
];

const TOKEN = /"""[\s\S]*?"""|"[^"\n]*"|\.\.\.|#[^\n]*|[\w$@]+|[^\s\w]/gu;

const repeated = (count: number, part: (at: number) => string) => Array.from({ length: count }, (_, at) => part(at));

/** Tokens that are inserted into documents, or replace a token. */
const TOKENS = [
  ...['{', '}', '(', ')', '[', ']', ':', '=', '!', '|', '&', '$', '@', '...', ',', '"', '"""', '#', '\\'],
  ...['\0', '\ufeff', '\ud800', '\u202e', 'é', '\u2028', '\r', '"\\u{110000}"', '"\\ud800"', '"\\u00"', '"\n"'],
  ...['query', 'mutation', 'subscription', 'fragment', 'on', 'true', 'null', 'extend', 'repeatable', 'A', 'B', 'f'],
  ...['__typename', '__schema { types { name } }', '__type(name: "__proto__") { name }', '_', '__proto__', 'toString'],
  ...['constructor', 'hasOwnProperty', 'x: id', '$n', '$yes', '$none', '$n: Int', '($n: Int)', '($a: [User!]! = [1])'],
  ...['0', '-0', '007', '1e', '0x1', '1e999', '.5', '99999999999999999999', '-', '1_000', 'NaN', '{ a: { b: [] } }'],
  ...['@include', '@include(if: true)', '@include(if: "x")', '@skip(if: $none)', '@skip(if: null)', '@skip(if: $yes)'],
  ...[
    '@include(if: true) @include(if: true)',
    '@include(unless: 1)',
    '@deprecated',
    '@deprecated(reason: 1)',
    '@oneOf',
  ],
  ...['@specifiedBy(url: "x")', '@defer', '@stream(initialCount: -1)', '@__proto__', '@toString', '@nothing(a: [$b])'],
  ...[
    '...f',
    '...g',
    '...none',
    '...__proto__',
    '...toString',
    '... on',
    '... on User { id }',
    '... on Nothing { id }',
  ],
  ...['... on __Type { name }', '... on DialogFilter { id }', '... on __proto__ { id }', '... { }', '{ id }', '{ }'],
  ...['fragment f on Query { ...f }', 'fragment g on User { ...f id }', 'fragment on on on { on }', 'query A { a }'],
  ...[
    'fragment x on toString { id }',
    'fragment x($a: Int) on User { id }',
    'type Query { a: Int }',
    'scalar DateTime',
  ],
  ...['extend type User { password: String }', 'schema { query: User }', 'directive @skip on FIELD', '"""x""" { me }'],
  '{ a: me { id } a: users { totalCount } }',
  `{ ${repeated(30, (at) => `...r${at}`).join(' ')} } ${repeated(30, (at) => `fragment r${at} on Query { ...r${(at + 1) % 30} }`).join(' ')}`,
  `${repeated(25, (at) => `fragment l${at} on Query { ...l${at + 1} ...l${at + 1} }`).join(' ')} fragment l25 on Query { me { id } }`,
  `{ me { ${'id '.repeat(2400)} } }`,
  `{ me { ${repeated(300, (at) => `a${at}: id`).join(' ')} } }`,
  `{ ${'me { id } '.repeat(60)} }`,
  `@include(if: true) ${'@skip(if: false) '.repeat(400)}`,
  `(${repeated(400, (at) => `$v${at}: Int = ${at}`).join(' ')})`,
  '{'.repeat(3000),
  '['.repeat(9000),
  '{a:'.repeat(2000),
  '(a: '.repeat(2000),
  `${'{ me '.repeat(40)}${'}'.repeat(40)}`,
  '!'.repeat(2000),
  'x'.repeat(50_000),
  '1'.repeat(20_000),
  `"${'\\u0041'.repeat(5000)}"`,
  ','.repeat(20_000),
  '# '.repeat(20_000),
  'query A { me { id } } '.repeat(500),
];

interface Edit {
  at: number;
  how: 'replace' | 'insert' | 'remove' | 'repeat' | 'exchange' | 'cut';
  token: string;
}

const OPERATION_NAMES: unknown[] = [undefined, undefined, undefined, 'A', 'B', 'Nothing', '', '__proto__', null, 1, []];

const EXTENSIONS: unknown[] = [
  undefined,
  undefined,
  undefined,
  {},
  { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } },
  { persistedQuery: { version: '__proto__', sha256Hash: [] } },
  'x',
];

export const DOCUMENT_TRANSPORTS = ['post', 'get', 'socket', 'stream'] as const;

export interface FuzzedDocument {
  caller: CallerName;
  transport: (typeof DOCUMENT_TRANSPORTS)[number];
  right: number;
  edits: Edit[];
  variables: unknown;
  operationName: unknown;
  extensions: unknown;
  changes: Change[];
  /** Copies in a batch; 0 for no array. */
  batch: number;
}

export const documents: fc.Arbitrary<FuzzedDocument> = fc.record({
  caller: fc.constantFrom(...CALLERS),
  transport: fc.constantFrom(...DOCUMENT_TRANSPORTS),
  right: fc.nat({ max: RIGHT.length - 1 }),
  edits: fc.array(
    fc.record({
      at: fc.nat({ max: 1000 }),
      how: fc.constantFrom('replace', 'replace', 'insert', 'insert', 'insert', 'remove', 'repeat', 'exchange', 'cut'),
      token: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...TOKENS) }, { weight: 1, arbitrary: hostileText }),
    }),
    { maxLength: 3 },
  ) as fc.Arbitrary<Edit[]>,
  variables: fc.constantFrom(...VARIABLES),
  operationName: fc.constantFrom(...OPERATION_NAMES),
  extensions: fc.constantFrom(...EXTENSIONS),
  changes: fc.oneof(
    { weight: 5, arbitrary: fc.constant<Change[]>([]) },
    {
      weight: 1,
      arbitrary: fc.array(changeArbitrary(['query', 'variables', 'operationName', 'extensions', 'id', 'documentId']), {
        minLength: 1,
        maxLength: 2,
      }),
    },
  ),
  batch: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(1, 2, 60) }),
});

export function documentPayload(fuzzed: FuzzedDocument): string {
  const { right, edits, variables, operationName, extensions, changes, batch } = fuzzed;
  const parts = RIGHT[right]!.match(TOKEN)!;
  for (const edit of edits) apply(edit, parts);
  const whole = changed({ query: parts.join(' '), variables, operationName, extensions }, changes);
  return swollen(
    JSON.stringify(batch > 0 ? Array.from({ length: batch }, () => whole) : whole) ?? '',
    100_000,
    100_000,
  );
}

function apply({ at, how, token }: Edit, parts: string[]): void {
  const place = at % (parts.length + 1);
  const part = parts[place] ?? '';
  if (how === 'replace') parts.splice(place, 1, token);
  else if (how === 'insert') parts.splice(place, 0, token);
  else if (how === 'remove') parts.splice(place, 1);
  else if (how === 'repeat') parts.splice(place, 0, part);
  else if (how === 'exchange') parts.splice(place, 2, parts[place + 1] ?? '', part);
  else parts.splice(place);
}
