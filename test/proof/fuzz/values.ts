import fc from 'fast-check';
import { SAMPLES } from '../../support/operations/routes.ts';
import { FOREIGN } from './fixture.ts';

/** Placeholder for a text that is too long to print; `swollen` replaces it. */
const LONG = '\ue000long';
const HUGE = '\ue000huge';

const HOSTILE_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfffx\ud800',
  '\ufeff',
  '\uffff\ufffe',
  `e${'\u0301'.repeat(500)}`,
  '\u202egnp.exe\u202c\u2066',
  '\u200b\u200d',
  '👩‍👩‍👧‍👦'.repeat(20),
  'ﷺ'.repeat(50),
  'İıſK',
  "'; DROP TABLE users; --",
  "' OR 1=1/*",
  '\\\'"`$$;',
  '$1 $2 %s %n %d {0} {{x}} #{x}',
  '{"a":[1',
  '[]',
  '{}',
  'null',
  'true',
  '<!DOCTYPE x [<!ENTITY y SYSTEM "file:/etc/passwd">]><x>&y;</x>',
  ']]><![CDATA[',
  'a\r\nSet-Cookie: x=1\r\n\r\n',
  '../../../../etc/passwd',
  '..%2f..%00',
  'C:\\nul',
  '(a+)+$',
  '*',
  '%',
  '_',
  '\\',
  ',',
  ',,,',
  '1,2,x',
  '*,*',
  'a,'.repeat(300),
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '$where',
  'NaN',
  'Infinity',
  '-0',
  '1e308',
  '1e-400',
  '0x10',
  '١٢٣',
  '1_000',
  '9007199254740993',
  '9223372036854775808',
  '2147483648',
  '-2147483649',
  '1'.repeat(3000),
  `${'1'.repeat(3000)}.`,
  `1,${' '.repeat(3000)}2`,
  '0000-00-00',
  '+275760-09-13T00:00:00.001Z',
  '-271821-04-20T00:00:00Z',
  '2026-02-30T25:61:61Z',
  '2026-11-22T00:00:00+99:99',
  '9999-12-31T23:59:60Z',
  '0001-01-01T00:00:00Z',
  'http://[::1',
  'http://127.0.0.1:1/',
  'javascript:alert(1)',
  'a@b',
  '"very odd"@example.org',
  `${'x'.repeat(64)}@${'y'.repeat(190)}.org`,
  LONG,
  HUGE,
];

const EDGES = [0, -0, 1, -1, 0.1, 1.5, -1.5, 1e308, -1e308, 5e-324, 1e21, 100, 101, 90, 90.0001, 180, -180.5]
  .concat([31, 32, 53, 63, 64].flatMap((power) => [2 ** power - 1, 2 ** power, 2 ** power + 1, -(2 ** power)]))
  .concat([8.64e12, 8.64e15, 8.64e15 + 1, 1e10, 253402300800, -62135596801]);

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 300 }) },
);

export const edgeNumber: fc.Arbitrary<number> = fc.oneof(fc.constantFrom(...EDGES), fc.integer(), fc.double());

export const textId = fc.constantFrom(
  ...Object.values(SAMPLES).filter((id) => typeof id === 'string'),
  FOREIGN.text,
  FOREIGN.message,
  FOREIGN.record,
  '0'.repeat(24),
  'f'.repeat(24),
);
export const numberId = fc.constantFrom(
  ...Object.values(SAMPLES).filter((id) => typeof id === 'number'),
  FOREIGN.user,
  1,
  92,
);

export const hostileName = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'id',
  '_id',
  'application_id',
  'applicationId',
  'user_id',
  'created_at',
  '',
  'a.b',
  'permissions.read.access',
  '$set',
  '\0',
  '\ud800',
  'in',
  'or',
  'ctn',
  'nested',
);

const nested = fc
  .tuple(fc.integer({ min: 1, max: 60 }), fc.constantFrom('array', 'object', 'both'))
  .map(([depth, kind]) => {
    let value: unknown = 1;
    for (let level = 0; level < depth; level++) {
      value = kind === 'array' || (kind === 'both' && level % 2) ? [value] : { a: value };
    }
    return value;
  });

/** Objects whose conversion to a string fails or returns something else. */
const NO_TEXTS: unknown[] = [
  { toString: 1 },
  { toString: null, valueOf: null },
  { valueOf: 'x', length: 3 },
  [{ toString: 1 }],
  { 0: 'a', 1: 'b' },
  { toJSON: 'x' },
];

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: hostileText },
  { weight: 4, arbitrary: edgeNumber.filter(Number.isFinite) },
  { weight: 2, arbitrary: fc.oneof(textId, numberId) },
  { weight: 2, arbitrary: fc.constantFrom<unknown[]>(null, true, false, [], {}, [[]], [null], [{}], { '': '' }) },
  { weight: 1, arbitrary: fc.array(fc.oneof(hostileText, edgeNumber.filter(Number.isFinite)), { maxLength: 5 }) },
  { weight: 1, arbitrary: fc.dictionary(hostileName, hostileText, { maxKeys: 4 }) },
  { weight: 1, arbitrary: fc.constant(Array.from({ length: 1001 }, (_, at) => at)) },
  { weight: 1, arbitrary: nested },
  { weight: 2, arbitrary: fc.oneof(hostileText, edgeNumber.filter(Number.isFinite)).map((value) => [value]) },
  { weight: 2, arbitrary: fc.constantFrom<unknown[]>(...NO_TEXTS) },
);

export interface Change {
  /** Index of the changed node, modulo their number. */
  at: number;
  how: 'replace' | 'wrap' | 'remove' | 'add' | 'stringify';
  name: string;
  value: unknown;
}

export function changeArbitrary(names: readonly string[]): fc.Arbitrary<Change> {
  return fc.record({
    at: fc.nat({ max: 1000 }),
    how: fc.constantFrom('replace', 'replace', 'replace', 'add', 'add', 'wrap', 'remove', 'stringify'),
    name: names.length > 0 ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, hostileName) : hostileName,
    value: hostileValue,
  });
}

export function changed(tree: unknown, changes: readonly Change[]): unknown {
  const root = { whole: structuredClone(tree) as unknown };
  for (const { at, how, name, value: given } of changes) {
    const places = placesOf(root);
    if (places.length === 0) break;
    const [holder, key] = places[at % places.length]!;
    const value = structuredClone(given);
    const present = holder[key];
    if (how === 'replace') holder[key] = value;
    else if (how === 'wrap') holder[key] = name.length % 2 ? [present] : { [name]: present };
    else if (how === 'stringify') holder[key] = typeof present === 'object' ? JSON.stringify(present) : `${present} `;
    else if (how === 'remove') delete holder[key];
    else set(typeof present === 'object' && present !== null ? (present as Holder) : holder, name, value);
  }
  return root.whole;
}

type Holder = Record<string, unknown>;

/** Sets `__proto__` like any other name. */
function set(holder: Holder, name: string, value: unknown): void {
  // Arrays have no names in JSON, and an array with its own `constructor` could not be copied.
  if (Array.isArray(holder)) return void holder.push(value);
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}

function placesOf(holder: Holder): [holder: Holder, key: string][] {
  return Object.entries(holder).flatMap(([key, value]): [Holder, string][] => {
    const isHolder = typeof value === 'object' && value !== null && !(Array.isArray(value) && value.length > 50);
    return [[holder, key], ...(isHolder ? placesOf(value as Holder) : [])];
  });
}

/** Replaces the placeholders with long texts. */
export function swollen(text: string, long: number, huge: number): string {
  return text.replaceAll(LONG, () => 'x'.repeat(long)).replaceAll(HUGE, () => 'é'.repeat(huge));
}
