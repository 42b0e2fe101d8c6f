import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { running, useApp } from '../support/app/app.ts';
import { startAnother } from '../support/app/other-apps.ts';
import { sql } from '../support/app/sql.ts';
import { closeSockets, connect, openSocket, type RawSocket } from '../support/clients/websocket.ts';
import { apiKey, createUser } from '../support/fixtures/users.ts';

// Every code with which the service closes sockets, in one place: clients decide by them whether to come back.
// 4429 has two more causes, too many sockets and too slow a reader, and 1013 needs the database away; those have tests of
// their own (rate-limits, slow-readers, interruptions).

useApp();

afterEach(() => closeSockets());

const SUBSCRIBE = { id: '1', type: 'subscribe', payload: { query: 'subscription { dialogEvents { cursor } }' } };

interface Closing {
  code: number;
  reason: string;
  /** What leads to it, and the socket that it happens to. */
  bring: () => Promise<Pick<RawSocket, 'closed'>>;
}

/** A socket that says nothing but this. */
async function saying(...messages: Parameters<RawSocket['send']>[0][]): Promise<RawSocket> {
  const socket = await openSocket();
  for (const message of messages) socket.send(message);
  return socket;
}

/** A socket that was let in, then says this. */
async function said(...texts: string[]): Promise<RawSocket> {
  const socket = await connect(apiKey);
  for (const text of texts) socket.socket.send(text);
  return socket;
}

const CLOSINGS: [string, Closing][] = [
  [
    'a message that is none',
    { code: 4400, reason: 'Invalid message received', bring: () => said('{"type":"nonsense"}') },
  ],
  [
    'a message that only services send',
    { code: 4400, reason: 'Invalid message received', bring: () => said('{"type":"next","id":"1","payload":{}}') },
  ],
  ['an operation before connection_init', { code: 4401, reason: 'Unauthorized', bring: () => saying(SUBSCRIBE) }],
  ['no credentials', { code: 4403, reason: 'Forbidden', bring: () => saying({ type: 'connection_init' }) }],
  [
    'a token that nobody has',
    {
      code: 4403,
      reason: 'Forbidden',
      bring: () => saying({ type: 'connection_init', payload: { 'SVC-Token': '0'.repeat(40) } }),
    },
  ],
  [
    'credentials that end',
    {
      code: 4403,
      reason: 'Forbidden',
      bring: async () => {
        const user = await createUser();
        const socket = await connect(user);
        await socket.run('mutation { deleteSession }');
        return socket;
      },
    },
  ],
  [
    'no subprotocol',
    {
      code: 4406,
      reason: 'Subprotocol not acceptable',
      bring: async () => {
        const socket = new WebSocket(`${running.url.replace('http', 'ws')}/graphql`);
        const closed = once(socket, 'close').then(([code, reason]) => ({ code: Number(code), reason: String(reason) }));
        return { closed };
      },
    },
  ],
  [
    'a subprotocol of old',
    { code: 4406, reason: 'Subprotocol not acceptable', bring: async () => ({ closed: closeFrameFor('graphql-ws') }) },
  ],
  [
    'no connection_init within three seconds',
    { code: 4408, reason: 'Connection initialisation timeout', bring: () => saying() },
  ],
  [
    'an id that is in use',
    {
      code: 4409,
      reason: 'Subscriber for 1 already exists',
      bring: () => said(JSON.stringify(SUBSCRIBE), JSON.stringify(SUBSCRIBE)),
    },
  ],
  [
    'a second connection_init',
    {
      code: 4429,
      reason: 'Too many initialisation requests',
      bring: () => said(JSON.stringify({ type: 'connection_init', payload: apiKey.headers })),
    },
  ],
  [
    'a fault of the service',
    {
      code: 4500,
      reason: 'Internal server error',
      bring: async () => {
        const user = await createUser();
        await sql('ALTER TABLE sessions RENAME TO sessions_gone');
        try {
          const socket = await saying({ type: 'connection_init', payload: user.headers });
          const end = await socket.closed;
          return { closed: Promise.resolve(end) };
        } finally {
          await sql('ALTER TABLE sessions_gone RENAME TO sessions');
        }
      },
    },
  ],
  [
    'a frame of more than 1 MiB',
    {
      code: 1009,
      reason: '',
      bring: () => said(JSON.stringify({ type: 'ping', payload: { x: 'x'.repeat(1 << 20) } })),
    },
  ],
  [
    'the end of the service',
    {
      code: 1001,
      reason: 'Going away',
      bring: async () => {
        const another = await startAnother();
        const socket = await connect(apiKey, another);
        await another.stop();
        return socket;
      },
    },
  ],
];

test.each(CLOSINGS)('%s', async (_cause, { code, reason, bring }) => {
  const { closed } = await bring();
  expect(await closed).toEqual({ code, reason });
  expect(await (await connect(apiKey)).run('{ __typename }')).toEqual({ data: { __typename: 'Query' } });
});

/** The close frame that a client of another subprotocol gets; a well-behaved library would break off before it. */
async function closeFrameFor(subprotocol: string): Promise<{ code: number; reason: string }> {
  const socket = connectTcp(Number(new URL(running.url).port), '127.0.0.1');
  socket.write(
    'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: ${subprotocol}\r\n\r\n`,
  );
  let bytes = Buffer.alloc(0);
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    const frame = bytes.indexOf(0x88);
    const length = bytes[frame + 1];
    if (frame < 0 || length === undefined || bytes.length < frame + 2 + length) continue;
    const payload = bytes.subarray(frame + 2, frame + 2 + length);
    return { code: payload.readUInt16BE(), reason: payload.subarray(2).toString() };
  }
  throw new Error(`the socket ended without a close frame: ${bytes}`);
}
