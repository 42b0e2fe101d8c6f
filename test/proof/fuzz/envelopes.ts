import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { RawRequest } from '../../support/clients/raw-http.ts';
import type { ExampleData } from '../../support/fixtures/example-data.ts';
import { routes } from '../../support/operations/routes.ts';
import { CALLERS, type CallerName } from './fixture.ts';
import { type FuzzedRequest, written } from './rest-requests.ts';

interface RightRequest {
  method: string;
  target: string;
  type: string | undefined;
  body: Buffer | undefined;
}

const OTHERS: RightRequest[] = [
  { method: 'POST', target: '/graphql', type: 'application/json', body: Buffer.from('{"query":"{ me { id } }"}') },
  { method: 'GET', target: '/graphql?query={me{id}}&variables={}', type: undefined, body: undefined },
  {
    method: 'POST',
    target: '/reset-password',
    type: 'application/x-www-form-urlencoded',
    body: Buffer.from('token=x&password=password-2&repeated=password-2'),
  },
  { method: 'GET', target: '/reset-password?token=x', type: undefined, body: undefined },
  { method: 'GET', target: '/docs/', type: undefined, body: undefined },
  { method: 'GET', target: '/openapi.json', type: undefined, body: undefined },
  { method: 'GET', target: '/healthz', type: undefined, body: undefined },
  { method: 'GET', target: '/metrics', type: undefined, body: undefined },
  { method: 'GET', target: '/nothing/here', type: undefined, body: undefined },
];

const escapeAll = (text: string) =>
  text.replace(/[a-z]/gi, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`);

const DETOURS: Record<string, (path: string) => string> = {
  'an escaped letter': (path) => path.replace(/[a-z]/i, escapeAll),
  'all letters escaped': escapeAll,
  'escaped twice': (path) => escapeAll(path).replaceAll('%', '%25'),
  'escaped slashes': (path) => `/${path.slice(1).replaceAll('/', '%2F')}`,
  'another case': (path) => path.toUpperCase(),
  'two slashes': (path) => `/${path}`,
  'two slashes within': (path) => path.replaceAll('/', '//'),
  'a slash behind': (path) => `${path}/`,
  'slashes behind': (path) => `${path}//`,
  'a dot': (path) => `/.${path}`,
  'there and back': (path) => `/x/..${path}`,
  'escaped dots': (path) => `${path}/%2e%2e/x`,
  'overlong dots': (path) => `${path}/%c0%ae%c0%ae/`,
  backslashes: (path) => path.replaceAll('/', '\\'),
  'a parameter': (path) => `${path};a=b`,
  NUL: (path) => `${path}%00`,
  'a line': (path) => `${path}%0d%0aX-Header:%20y`,
  'half an escape': (path) => `${path}%4`,
  'no UTF-8': (path) => `${path}%ff`,
  'the suffix in capitals': (path) => `${path}.XML`,
  'two suffixes': (path) => `${path}.xml.json`,
  'only a suffix': () => '/.xml',
  XML: (path) => `${path}.xml`,
  'another host': (path) => `http://evil.example:99999${path}`,
  'a fragment': (path) => `${path}#x`,
  'too long': (path) => `${path}/${'x'.repeat(9000)}`,
};

const QUERIES = [
  '',
  'a&'.repeat(3500),
  'a[]=&'.repeat(2000),
  'a[b]'.repeat(1500),
  `a${'[]'.repeat(3000)}=1`,
  `{${'%22a%22:{'.repeat(200)}`,
  '{%22__proto__%22:{%22a%22:1}}',
  '??a=?b=&=&&?',
  '%00=%00',
  '%',
  '%ff=%fe',
  '\xff\xfe=\x80',
  'limit=1&limit=2&limit[]=3&limit[a]=4',
];

const TYPES = [
  'application/json;charset=utf-8',
  'application/json ; charset=utf-8',
  'APPLICATION/JSON',
  'application/json; charset=utf-16',
  'application/json; charset="',
  'application/json, application/json',
  'application/json; boundary=B',
  'application/graphql',
  'application/graphql-response+json',
  'application/x-www-form-urlencoded; charset=shift_jis',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=""',
  'multipart/form-data; boundary="B"',
  'multipart/form-data; boundary=B; boundary=C',
  'multipart/form-data; BOUNDARY=B; charset=utf-99',
  "multipart/form-data; boundary*=utf-8''B",
  `multipart/form-data; boundary=${'B'.repeat(500)}`,
  'multipart/mixed; boundary=B',
  'multipart/',
  '/',
  'text/xml',
  'application/xml',
  'text/plain',
  'text/html',
  'application/octet-stream',
  'x'.repeat(4000),
  '\xe9',
];

const ENCODINGS: Record<string, (body: Buffer) => Buffer> = {
  gzip: (body) => gzipSync(body),
  deflate: (body) => deflateSync(body),
  br: (body) => brotliCompressSync(body),
  'gzip, gzip': (body) => gzipSync(gzipSync(body)),
  'x-gzip': () => gzipSync(Buffer.alloc(20_000_000)),
  identity: (body) => body,
  IDENTITY: (body) => body,
  'utf-8': (body) => body,
  '': (body) => body,
};

const BODIES: Record<string, () => Buffer> = {
  'many keys': () => Buffer.from(Array.from({ length: 100_000 }, (_, at) => `k${at}`).join('&')),
  'many items': () => Buffer.from('a[]=&'.repeat(100_000)),
  'many members': () => Buffer.from(`{${Array.from({ length: 60_000 }, (_, at) => `"k${at}":${at}`).join()}}`),
  'one member many times': () => Buffer.from(`{${'"a":1,'.repeat(100_000)}"a":2}`),
  'deep JSON': () => Buffer.from(`${'{"a":['.repeat(90_000)}`),
  'deep form': () => Buffer.from(`a${'[b]'.repeat(100_000)}=1`),
  'many parts': () => Buffer.from('--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(15_000)),
  'a part with many headers': () => Buffer.from(`--B\r\n${'X-Header: y\r\n'.repeat(60_000)}\r\nx\r\n--B--\r\n`),
  'a part with a long header': () =>
    Buffer.from(`--B\r\nContent-Disposition: form-data; name="${'a'.repeat(500_000)}"\r\n\r\nx\r\n--B--\r\n`),
  'only boundaries': () => Buffer.from('--B\r\n'.repeat(100_000)),
  'a long number': () => Buffer.from(`{"a":${'9'.repeat(500_000)}}`),
  'a long escape': () => Buffer.from(`{"a":"${'\\u0000'.repeat(100_000)}"}`),
  'a mebibyte and more': () => Buffer.alloc(1024 * 1024 + 1, '{'),
  'UTF-16': () => Buffer.from('\ufeff{"a":1}', 'utf16le'),
  'no UTF-8': () => Buffer.from('{"a":"\xff\xfe\xed\xa0\x80"}', 'latin1'),
  nothing: () => Buffer.alloc(0),
};

const HEADERS: [name: string, value: string | string[]][] = [
  ['SVC-Token', ['x', 'y']],
  ['SVC-Token', ['', '']],
  ['Authorization', ['ApiKey x', 'ApiKey y']],
  ['Authorization', 'ApiKey x, ApiKey y'],
  ['Authorization', 'apikey'],
  ['Authorization', 'Bearer \xff'],
  ['On-Behalf-Of', ['1', '9901']],
  ['On-Behalf-Of', '01, 2'],
  ['Idempotency-Key', ['a', 'b']],
  ['Accept', ['text/html', 'application/xml']],
  ['Accept', 'text/event-stream;q=0.9, multipart/mixed'],
  ['Accept', `${'*/*,'.repeat(1500)}`],
  ['Accept-Language', ',;q=,'],
  ['Content-Language', '\xff'],
  ['Cookie', ['a=b', 'c']],
  ['X-Forwarded-For', ['1.2.3.4', '::1, x']],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-Forwarded-Proto', 'javascript'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Original-URL', '/metrics'],
  ['Forwarded', 'for="[::1'],
  ['Origin', 'https://evil.example'],
  ['Access-Control-Request-Headers', 'x\xff,,'],
  ['Range', ['bytes=0-0', 'bytes=1-1']],
  ['If-None-Match', '*'],
  ['Expect', '100-continue'],
  ['Upgrade', 'h2c'],
  ['traceparent', '00-00000000000000000000000000000000-0000000000000000-ff'],
  ['baggage', 'a=%,'.repeat(2000)],
  ['X-Many', Array.from({ length: 1500 }, () => 'y')],
];

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];

interface ByteEdit {
  /** Position in thousandths of the length. */
  at: number;
  how: 'cut' | 'insert' | 'remove' | 'repeat' | 'flip';
  bytes: string;
}

const BYTES = ['\0', '\r', '\n', '\r\n', '\r\n\r\n', '--B', '\r\n--B--\r\n', '"', ';', '=', '[', '{', '\xff', '%', '&']
  .concat(['filename=', 'name="file"; ', 'Content-Type: \r\n', 'Content-Transfer-Encoding: base64\r\n', '\ufeff'])
  .concat(["filename*=utf-99''x", '; filename="../../etc/passwd"', '; name="__proto__"', `${'x'.repeat(70_000)}`]);

export interface Envelope {
  caller: CallerName;
  /** Index into `routes`, followed by `OTHERS`. */
  which: number;
  example: number;
  body: 'json' | 'form' | 'multipart';
  method: string | undefined;
  detour: string | undefined;
  query: string | undefined;
  type: string | undefined;
  other: string | undefined;
  edits: ByteEdit[];
  encoding: string | undefined;
  /** Chunk sizes, instead of a Content-Length. */
  chunks: number[] | undefined;
  headers: (readonly [name: string, value: string | string[]])[];
}

const rarely = <Value>(freq: number, ...values: Value[]) =>
  fc.option(fc.constantFrom(...values), { freq, nil: undefined });

export const envelopes: fc.Arbitrary<Envelope> = fc.record({
  caller: fc.constantFrom(...CALLERS),
  which: fc.nat({ max: routes.length + OTHERS.length * 4 - 1 }),
  example: fc.nat({ max: 10 }),
  body: fc.constantFrom('json', 'form', 'multipart', 'multipart'),
  method: fc.oneof(
    { weight: 9, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
  ),
  detour: fc.oneof(
    { weight: 2, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...Object.keys(DETOURS)) },
  ),
  query: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...QUERIES) },
  ),
  type: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...TYPES) }),
  other: fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...Object.keys(BODIES)) },
  ),
  edits: fc.array(
    fc.record({
      at: fc.nat({ max: 1000 }),
      how: fc.constantFrom('cut', 'insert', 'insert', 'insert', 'remove', 'repeat', 'flip'),
      bytes: fc.constantFrom(...BYTES),
    }),
    { maxLength: 2 },
  ) as fc.Arbitrary<ByteEdit[]>,
  encoding: rarely(8, ...Object.keys(ENCODINGS)),
  chunks: fc.option(fc.array(fc.constantFrom(1, 2, 7, 100, 65_536), { minLength: 1, maxLength: 8 }), {
    freq: 3,
    nil: undefined,
  }),
  headers: fc.array(fc.constantFrom(...HEADERS), { maxLength: 2 }),
});

export function sealed(
  envelope: Envelope,
  world: ExampleData,
): { method: string; target: string; request: RawRequest } {
  const right = rightRequest(envelope, world);
  const [path, query] = right.target.split(/\?(.*)/s) as [string, string | undefined];
  const detoured = envelope.detour === undefined ? path : DETOURS[envelope.detour]!(path);
  const queries = [query, envelope.query].filter((text) => text !== undefined && text !== '');
  const type = envelope.type ?? right.type;
  const body = bytesOf(envelope, right.body);
  return {
    method: envelope.method ?? right.method,
    target: detoured + (queries.length > 0 ? `?${queries.join('&')}` : ''),
    request: {
      headers: {
        ...(type === undefined ? {} : { 'Content-Type': type }),
        ...(envelope.encoding === undefined ? {} : { 'Content-Encoding': envelope.encoding }),
        ...(envelope.chunks === undefined || body === undefined ? {} : { 'Transfer-Encoding': 'chunked' }),
        ...Object.fromEntries(envelope.headers),
      },
      ...(body === undefined ? {} : { body: envelope.chunks ? inChunks(body, envelope.chunks) : body }),
      mayBeUnseen: true,
    },
  };
}

function rightRequest({ which, example, body, caller }: Envelope, world: ExampleData): RightRequest {
  const route = routes[which];
  if (!route) return OTHERS[(which - routes.length) % OTHERS.length]!;
  const plain: FuzzedRequest = {
    caller,
    example: example % route.docs.examples.length,
    changes: [],
    path: undefined,
    suffix: '',
    rawQuery: '',
    body: route.docs.body || route.upload ? body : 'none',
    raw: { type: '', text: '' },
    headers: [],
  };
  const { target, request } = written(route, plain, world);
  const type = request.headers?.['Content-Type'] as string | undefined;
  return { method: route.method.toUpperCase(), target, type, body: request.body as Buffer | undefined };
}

function bytesOf({ other, edits, encoding }: Envelope, right: Buffer | undefined): Buffer | undefined {
  if (other === undefined && right === undefined) return undefined;
  let bytes = other === undefined ? right! : BODIES[other]!();
  for (const edit of edits) bytes = edited(bytes, edit);
  return encoding === undefined ? bytes : ENCODINGS[encoding]!(bytes);
}

function edited(body: Buffer, { at, how, bytes }: ByteEdit): Buffer {
  const place = Math.floor((at * body.length) / 1000);
  const [before, after] = [body.subarray(0, place), body.subarray(place)];
  const inserted = Buffer.from(bytes, 'latin1');
  switch (how) {
    case 'cut':
      return before;
    case 'insert':
      return Buffer.concat([before, inserted, after]);
    case 'remove':
      return Buffer.concat([before, after.subarray(bytes.length)]);
    case 'repeat':
      return Buffer.concat([before, after.subarray(0, 40), after]);
    case 'flip':
      return Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ 0x80]), after.subarray(1)]);
  }
}

/** Repeats the last size, up to about 200 chunks. */
function inChunks(body: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let start = 0; start < body.length; ) {
    const size = chunks.length > 200 ? body.length : sizes[Math.min(chunks.length, sizes.length - 1)]!;
    chunks.push(body.subarray(start, start + size));
    start += size;
  }
  return chunks;
}
