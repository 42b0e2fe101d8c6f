import { connect } from 'node:net';
import fc from 'fast-check';
import { expect } from 'vitest';
import { expectMasked } from './log.ts';

/**
 * Sends raw bytes, closes the sending side and waits for the end of the connection. @returns the received bytes, as
 * Latin-1
 */
export function sendBytes(url: string, parts: readonly Buffer[]): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    for (const part of parts) socket.write(part);
    socket.end();
  });
}

export function statusesIn(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

export function expectAnswers(received: string): void {
  for (const status of statusesIn(received)) expect(status).toBeLessThan(500);
  expectMasked(received);
}

/** Request smuggling: each must be rejected as one request. */
export const SMUGGLED: [name: string, head: string][] = [
  ['both lengths', 'Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG'],
  [
    'both lengths in the other order',
    'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n8\r\nSMUGGLED\r\n0\r\n\r\n',
  ],
  ['two lengths', 'Content-Length: 0\r\nContent-Length: 5\r\n\r\nhello'],
  ['a list of lengths', 'Content-Length: 0, 5\r\n\r\nhello'],
  ['a negative length', 'Content-Length: -1\r\n\r\n'],
  ['a length with a sign', 'Content-Length: +5\r\n\r\nhello'],
  ['a hexadecimal length', 'Content-Length: 0x5\r\n\r\nhello'],
  ['an overlong length', `Content-Length: ${'9'.repeat(40)}\r\n\r\nhello`],
  ['another encoding last', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
  ['a misspelled encoding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
  ['a bad chunk size', 'Transfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n0\r\n\r\n'],
  ['a negative chunk size', 'Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n'],
  ['an overlong chunk size', `Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(40)}\r\nhello\r\n0\r\n\r\n`],
  ['a chunk without its end', 'Transfer-Encoding: chunked\r\n\r\n5\r\nhelloGET /x HTTP/1.1\r\n\r\n'],
  ['a space before the colon', 'Content-Length : 5\r\n\r\nhello'],
  ['a folded header', 'X-Header: a\r\n b\r\nTransfer-Encoding: \r\n chunked\r\n\r\n'],
  ['a bare line feed', 'X-Header: a\nContent-Length: 5\n\nhello'],
  ['a NUL in a header', 'X-Header: a\0b\r\n\r\n'],
  ['two hosts', 'Host: b\r\nHost: c\r\nContent-Length: x\r\n\r\n'],
];

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PATCH',
  'get',
  'G\0T',
  'PRI',
  '',
];

const TARGETS = [
  '/users',
  '/graphql',
  '/graphql?query={__typename}',
  '/chat/Dialog.json?limit=1',
  '*',
  '//',
  '/../../etc/passwd',
  '/%',
  '/%00',
  '/users/%ff%fe',
  '/\xff\xfe',
  '/users\0',
  'http://evil.example/users',
  'evil.example:443',
  '/docs/..%2f..%2fpackage.json',
  '/docs/%2e%2e/%2e%2e/package.json',
  '/docs/\\..\\x',
  '/openapi.json/x',
  '/reset-password?token=%ff',
  '/blobs/%2e%2e%2f/download',
  `/${'a/'.repeat(4000)}`,
  `/users?${'x'.repeat(20_000)}`,
  '/users?a=b#c',
  'x',
  '',
];

const LINES = [
  'Host: a',
  'Host: ',
  'Connection: close',
  'Connection: keep-alive, Upgrade',
  'Upgrade: websocket',
  'Upgrade: h2c',
  'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Version: 99',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Key: x',
  'Sec-WebSocket-Protocol: graphql-transport-ws',
  'Sec-WebSocket-Protocol: ,,',
  'Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=99',
  'Expect: 100-continue',
  'Expect: 200-maybe',
  'Content-Length: 5',
  'Content-Length: 2000000000',
  'Transfer-Encoding: chunked',
  'Content-Type: application/json',
  'Content-Type: multipart/form-data; boundary=B',
  'Content-Encoding: gzip',
  'SVC-Token: x',
  'SVC-Token: y',
  'Authorization: ApiKey KEY',
  'Authorization: ApiKey KEY\r\nAuthorization: ApiKey other',
  'On-Behalf-Of: 1\r\nOn-Behalf-Of: 2',
  'Cookie: \xff',
  'X-H: \0',
  ': empty',
  'no colon',
  'Range: bytes=0-',
  'TE: trailers',
  'Trailer: Content-Length',
  'X-Forwarded-For: 1',
  ...[50, 3000].map((count) => Array.from({ length: count }, (_, at) => `X-${at}: y`).join('\r\n')),
];

const PAYLOADS = [
  '',
  'hello',
  '{"query":"{__typename}"}',
  '5\r\nhello\r\n0\r\n\r\n',
  '0\r\nX: y\r\n\r\n',
  '\0\xff',
  '--B\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
];

const head = fc
  .record({
    method: fc.constantFrom(...METHODS, 'GET', 'POST'),
    target: fc.constantFrom(...TARGETS),
    version: fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'ICY', ''),
    lines: fc.array(fc.constantFrom(...LINES), { maxLength: 6 }),
    payload: fc.constantFrom(...PAYLOADS),
  })
  .map(({ method, target, version, lines, payload }) =>
    Buffer.from(`${method} ${target} ${version}\r\n${['Host: a', ...lines].join('\r\n')}\r\n\r\n${payload}`, 'latin1'),
  );

/** Bytes of one connection: consecutive requests, and bytes that are not requests. */
export const conversations: fc.Arbitrary<Buffer[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: head },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('\r\n\r\n', '\x16\x03\x01\x02\x00\x01', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
        .map((text) => Buffer.from(text, 'latin1')),
    },
  ),
  { minLength: 1, maxLength: 4 },
);

export const UPGRADE = Buffer.from(
  [
    'GET /graphql HTTP/1.1',
    'Host: a',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Protocol: graphql-transport-ws',
    'Sec-WebSocket-Extensions: permessage-deflate',
    '\r\n',
  ].join('\r\n'),
);

export function frame(first: number, payload: Buffer, { length = payload.length, isMasked = true } = {}): Buffer {
  const mask = isMasked ? 0x80 : 0;
  const size = length < 126 ? Buffer.from([mask | length]) : Buffer.alloc(length < 65_536 ? 3 : 9);
  if (size.length > 1) size.writeUInt8(mask | (size.length === 3 ? 126 : 127));
  if (size.length === 3) size.writeUInt16BE(length, 1);
  if (size.length === 9) size.writeBigUInt64BE(BigInt(length), 1);
  // A mask of zeros leaves the payload unchanged.
  return Buffer.concat([Buffer.from([first]), size, Buffer.alloc(isMasked ? 4 : 0), payload]);
}
