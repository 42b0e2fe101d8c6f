import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { frame } from './connections.ts';
import { type Change, changeArbitrary, changed, hostileText, hostileValue } from './values.ts';

const SUBSCRIBE = { id: '1', type: 'subscribe', payload: { query: '{ __typename }' } };

function messagesOf(token: string) {
  return [
    { type: 'connection_init', payload: { 'SVC-Token': token } },
    { type: 'connection_init', payload: { 'SVC-Token': token } },
    { type: 'connection_init', payload: { Authorization: 'ApiKey KEY', 'On-Behalf-Of': 'x' } },
    { type: 'connection_init' },
    { type: 'connection_ack' },
    { type: 'ping', payload: {} },
    { type: 'pong' },
    { type: 'next', id: '1', payload: {} },
    { type: 'error', id: '1', payload: [] },
    { type: 'complete', id: '1' },
    SUBSCRIBE,
    SUBSCRIBE,
    { ...SUBSCRIBE, id: '' },
    { ...SUBSCRIBE, id: '2', payload: { query: 'subscription { dialogEvents { cursor } }' } },
    { ...SUBSCRIBE, id: '2', payload: { query: 'query A { __typename } query B { me { id } }', operationName: 'B' } },
    { ...SUBSCRIBE, payload: { query: '{', variables: [], operationName: 1, extensions: 'x' } },
    { ...SUBSCRIBE, payload: null },
    { type: '__proto__', id: 'constructor' },
  ];
}

export interface SpokenMessage {
  which: number;
  changes: Change[];
  how: 'json' | 'binary' | 'cut' | 'raw';
  raw: string;
}

export const spokenMessages: fc.Arbitrary<SpokenMessage[]> = fc.array(
  fc.record({
    which: fc.nat({ max: 30 }),
    changes: fc.array(changeArbitrary(['id', 'type', 'payload', 'query', 'variables', 'operationName']), {
      maxLength: 1,
    }),
    how: fc.constantFrom('json', 'json', 'json', 'json', 'binary', 'cut', 'raw'),
    raw: fc.oneof(hostileText, fc.json(), fc.constantFrom('', 'null', '[]', '"x"', '['.repeat(100_000))),
  }),
  { minLength: 1, maxLength: 6 },
);

export function spoken({ which, changes, how, raw }: SpokenMessage, token: string): string | Buffer {
  if (how === 'raw') return raw;
  const known = messagesOf(token);
  const text = JSON.stringify(changed(known[which % known.length], changes)) ?? '';
  if (how === 'binary') return Buffer.from(text);
  return how === 'cut' ? text.slice(0, -2) : text;
}

const INIT = Buffer.from('{"type":"connection_init"}');
const BOMB = deflateRawSync(Buffer.alloc(30 * 1024 * 1024));

export const frames: fc.Arbitrary<Buffer[]> = fc.array(
  fc.oneof(
    fc
      .record({
        first: fc.nat({ max: 255 }),
        payload: fc.oneof(
          fc.constantFrom(INIT, BOMB, Buffer.alloc(0), Buffer.alloc(130), Buffer.from([0xff, 0xfe]), Buffer.from([3])),
          fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
          hostileValue.map((value) => Buffer.from(JSON.stringify(value) ?? '')),
        ),
        isMasked: fc.boolean(),
        lie: fc.option(fc.constantFrom(0, 125, 126, 65_535, 65_536, 2 ** 21, 2 ** 40, 2 ** 53 - 1), { freq: 3 }),
      })
      .map(({ first, payload, isMasked, lie }) =>
        frame(first, payload, { isMasked, ...(lie === null ? {} : { length: lie }) }),
      ),
    fc.constantFrom(
      frame(0x81, INIT),
      frame(0x01, INIT),
      frame(0xc1, BOMB),
      frame(0x89, Buffer.alloc(126)),
      frame(0x88, Buffer.from([3, 237, 0xff])),
    ),
  ),
  { minLength: 1, maxLength: 5 },
);
