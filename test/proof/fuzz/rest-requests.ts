import fc from 'fast-check';
import { MULTIPART, multipart, multipartField, type RawRequest } from '../../support/clients/raw-http.ts';
import type { ExampleData } from '../../support/fixtures/example-data.ts';
import { formText, pairsOf, type Route } from '../../support/operations/routes.ts';
import { CALLERS, type CallerName } from './fixture.ts';
import { type Change, changeArbitrary, changed, hostileText, numberId, swollen, textId } from './values.ts';

/** Node rejects heads above 16 KiB with its own response. */
const MAX_TARGET = 7000;

/** Encodings of the body, repeated by weight, and replacements of it. */
const BODIES = ['json', 'json', 'json', 'form', 'form', 'multipart', 'untyped', 'cut', 'raw', 'none'] as const;

const TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=B',
  `multipart/form-data; boundary=${'b'.repeat(300)}`,
  'text/plain',
  'application/xml',
  'json',
  ';',
];

const RAW = [
  'null',
  '[]',
  '"x"',
  '{"a":1,"a":2,"a":{"a":[]}}',
  '{"a":1e999,"b":-0,"c":1E-999}',
  '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}',
  `${'['.repeat(50_000)}`,
  `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  `{"a":"\\ud800","\\u0000":1}`,
  '\ufeff{"a":1}',
  '--B\r\n\r\n--B--',
  '--B\r\nContent-Disposition: form-data\r\n\r\nx\r\n--B--\r\n',
  '--B\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=utf-99\r\n\r\nx\r\n--B--\r\n',
  '--B\r\nContent-Disposition: form-data; name="a"; filename="../../x\0.txt"\r\n\r\nx\r\n--B',
  '--B\r\nContent-Disposition: form-data; name="file"; filename*=UTF-8\'\'%ff%00\r\n\r\nx\r\n--B--\r\n',
  '--B\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--B\r\nContent-Disposition: form-data; name="file"; filename="b"\r\n\r\ny\r\n--B--\r\n',
  `--B\r\n${'X-Header: y\r\n'.repeat(3000)}\r\nx\r\n--B--\r\n`,
  'a&b=&=c&&&;&[]=1&a[=2&a]b=3&[[]]=4&a[b][=5&a[][b][][c]=6&a[b]c=7',
  `a${'[b]'.repeat(2000)}=1`,
  `${'a[]=&'.repeat(20_500)}`,
  `a[${'9'.repeat(400)}]=1`,
  '%=1&%zz=%f&%ff=%c0%80&%00=%00&%ed%a0%80=1',
  '\0',
  '<a>',
];

const RAW_QUERIES = [
  '',
  '',
  '',
  '',
  ...RAW.filter((text) => text.length < 5000 && !/[\0\r\n\ufeff]/.test(text)).map((text) =>
    text.replaceAll(' ', '+').replaceAll('"', '%22'),
  ),
  'a&'.repeat(1000),
  '{%22limit%22:-1}',
  '%7B%22a%22:',
  'limit=1e9&skip=-1&page=0x1&per_page=%D9%A1',
  'sort_asc=a,b&sort_desc[]=c&sort_asc[x]=d',
  'count[]=1&output[include][]=_id&group_by=',
  'token=&token[]=x',
];

const PATHS = [
  '%',
  '%ff',
  '%00',
  '%2e%2e%2f',
  '..',
  '%2F',
  'a%0d%0ab',
  '1e3',
  '1.5',
  '-1',
  '00',
  '99999999999999999999',
];

const HEADERS: [name: string, value: string][] = [
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'gzip, identity'],
  ['Accept', '*/*;q=x, ,;'],
  ['Accept-Encoding', 'br;q=-1'],
  ['Idempotency-Key', 'é'.repeat(300)],
  ['Idempotency-Key', ''],
  ['On-Behalf-Of', '1e3'],
  ['On-Behalf-Of', '2147483648'],
  ['On-Behalf-Of', '9901'],
  ['Authorization', 'ApiKey '],
  ['Authorization', 'Basic Og=='],
  ['Authorization', `ApiKey ${'x'.repeat(3000)}`],
  ['SVC-Token', 'ÿ'.repeat(500)],
  ['SVC-Token', 'x, y'],
  ['SVC-REST-API-Version', '9'.repeat(400)],
  ['SVC-REST-API-Version', '0.1.0'],
  ['SVC-REST-API-Version', '-1.x'],
  ['Range', 'bytes=5-1,-,x-9'],
  ['Range', `bytes=${'0-,'.repeat(500)}`],
  ['Range', 'bytes=99999999999999999999-'],
  ['If-Range', '"'],
  ['If-None-Match', 'W/'],
  ['If-Modified-Since', '99 Foo 99999'],
  ['X-Forwarded-For', ',,::ffff:999.1'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Request-Id', '../é'],
  ['Origin', 'null'],
  ['Host', 'evil.example:99999'],
  ['traceparent', '00-0-0-zz'],
];

export interface FuzzedRequest {
  caller: CallerName;
  example: number;
  changes: Change[];
  path: { which: number; text: string } | undefined;
  suffix: string;
  rawQuery: string;
  body: (typeof BODIES)[number];
  raw: { type: string; text: string };
  headers: (readonly [name: string, value: string])[];
}

export function requestsTo(route: Route): fc.Arbitrary<FuzzedRequest> {
  const names = [route.docs.query, route.docs.body].flatMap((schema) => namesOf(schema));
  return fc.record({
    caller: fc.constantFrom(...CALLERS),
    example: fc.nat({ max: route.docs.examples.length - 1 }),
    changes: fc.array(changeArbitrary(names), { maxLength: 3 }),
    path: often(
      fc.record({
        which: fc.nat({ max: 3 }),
        text: fc.oneof(
          fc.constantFrom(...PATHS),
          hostileText.map(escaped),
          fc.oneof(textId, numberId.map(String)),
          fc.array(fc.oneof(textId, hostileText.map(escaped)), { maxLength: 4 }).map((ids) => ids.join(',')),
        ),
      }),
      4,
    ),
    suffix: fc.constantFrom('', '', '', '.json', '.xml', '.xml/', '.xml.json'),
    rawQuery: fc.constantFrom(...RAW_QUERIES),
    body: fc.constantFrom(...BODIES),
    raw: fc.record({
      type: fc.constantFrom(...TYPES),
      text: fc.oneof(fc.constantFrom(...RAW), fc.json({ maxDepth: 6 }), hostileText),
    }),
    headers: fc.array(fc.constantFrom(...HEADERS), { maxLength: 2 }),
  });
}

function namesOf(schema: Record<string, unknown> | undefined): string[] {
  if (!schema || typeof schema !== 'object') return [];
  const { properties = {}, items } = schema as { properties?: Record<string, Record<string, unknown>>; items?: never };
  return [
    ...Object.keys(properties),
    ...Object.values(properties).flatMap((member) => namesOf(member)),
    ...namesOf(items),
  ];
}

/** Present with probability 1/`freq`. */
function often<Value>(arbitrary: fc.Arbitrary<Value>, freq: number): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ weight: freq - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

export function written(
  route: Route,
  fuzzed: FuzzedRequest,
  world: ExampleData,
): { target: string; request: RawRequest } {
  const { path = {}, query = {}, body } = route.docs.examples[fuzzed.example]!;
  const whole = changed({ query, ...(body === undefined ? {} : { body }) }, fuzzed.changes) as Record<string, unknown>;
  const given = world.real({ query: whole?.query, body: whole?.body });
  const texts = Object.entries(world.real(path)).map(([name, value]): [string, string] => [name, String(value)]);
  const wrong = fuzzed.path && texts.length > 0 ? fuzzed.path.which % texts.length : -1;
  const filled = route.path.replace(/:(\w+)/g, (_match, name: string) => {
    const at = texts.findIndex(([known]) => known === name);
    return at === wrong ? world.real(fuzzed.path!.text) : escaped(texts[at]?.[1] ?? '1');
  });
  const queryText = [formText(pairsOf(membersOf(given.query)), textOf), fuzzed.rawQuery].filter(Boolean).join('&');
  const { type, text } = bodyOf(fuzzed, given.body);
  const headers = Object.fromEntries(fuzzed.headers);
  return {
    target: (filled + fuzzed.suffix + (queryText ? `?${queryText}` : '')).slice(0, MAX_TARGET),
    request: {
      headers: { ...(type === undefined ? {} : { 'Content-Type': type }), ...headers },
      ...(text === undefined ? {} : { body: Buffer.from(swollen(text, 200_000, 400_000)) }),
    },
  };
}

function bodyOf(
  { body: how, raw }: FuzzedRequest,
  body: unknown,
): { type?: string | undefined; text?: string | undefined } {
  if (how === 'none') return {};
  if (how === 'raw') return raw;
  const json = JSON.stringify(body) ?? '';
  if (how === 'json') return { type: 'application/json', text: json };
  if (how === 'untyped') return { text: json };
  if (how === 'cut') return { type: raw.type, text: json.slice(0, Math.floor(json.length * 0.7)) };
  if (how === 'form')
    return { type: 'application/x-www-form-urlencoded', text: formText(pairsOf(membersOf(body)), textOf) };
  // Repeated names, unlike those of an object.
  const pairs = pairsOf(membersOf(body)).map(([name, value]) => multipartField(name, value));
  return { type: MULTIPART, text: `${pairs.join('')}${multipart({}, 'hello')}` };
}

function membersOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

const textOf = (value: unknown) => swollen(String(value), 3000, 500);

function escaped(text: string): string {
  return encodeURIComponent(text.replaceAll(/[\ud800-\udfff]/g, '?').replaceAll('\ue000', '')) || '%20';
}
