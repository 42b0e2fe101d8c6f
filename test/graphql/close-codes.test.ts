import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { running, useApp } from '../support/app/app.ts';
import { startAnother } from '../support/app/other-apps.ts';
import { sql } from '../support/app/sql.ts';
import { closeSockets, connect, openSocket, type RawSocket } from '../support/clients/websocket.ts';
import { apiKey, createUser } from '../support/fixtures/users.ts';

// Clients decide by the close code whether to reconnect. Tested elsewhere: 4429 for too many sockets (rate-limits)
// and slow readers (slow-readers), and 1013 while the database is down (interruptions).

useApp();

afterEach(() => closeSockets());

const SUBSCRIBE = { id: '1', type: 'subscribe', payload: { query: 'subscription { dialogEvents { cursor } }' } };

interface Closing {
  code: number;
  reason: string;
  bring: () => Promise<Pick<RawSocket, 'closed'>>;
}

/** Sends messages on a socket before authentication. */
async function saying(...messages: Parameters<RawSocket['send']>[0][]): Promise<RawSocket> {
  const socket = await openSocket();
  for (const message of messages) socket.send(message);
  return socket;
}

async function said(...texts: string[]): Promise<RawSocket> {
  const socket = await connect(apiKey);
  for (const text of texts) socket.socket.send(text);
  return socket;
}

const CLOSINGS: [string, Closing][] = [
  [
    'an unknown message type',
    { code: 4400, reason: 'Invalid message received', bring: () => said('{"type":"nonsense"}') },
  ],
  [
    'a message type reserved for the server',
    { code: 4400, reason: 'Invalid message received', bring: () => said('{"type":"next","id":"1","payload":{}}') },
  ],
  ['an operation before connection_init', { code: 4401, reason: 'Unauthorized', bring: () => saying(SUBSCRIBE) }],
  ['no credentials', { code: 4403, reason: 'Forbidden', bring: () => saying({ type: 'connection_init' }) }],
  [
    'an unknown token',
    {
      code: 4403,
      reason: 'Forbidden',
      bring: () => saying({ type: 'connection_init', payload: { 'SVC-Token': '0'.repeat(40) } }),
    },
  ],
  [
    'a session that ends',
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
    'an obsolete subprotocol',
    { code: 4406, reason: 'Subprotocol not acceptable', bring: async () => ({ closed: closeFrameFor('graphql-ws') }) },
  ],
  [
    'no connection_init within three seconds',
    { code: 4408, reason: 'Connection initialisation timeout', bring: () => saying() },
  ],
  [
    'an operation id in use',
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
    'an internal error',
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
    'a shutdown of the service',
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

test.each(CLOSINGS)(
  'the service closes a socket with the documented code after %s',
  async (_cause, { code, reason, bring }) => {
    const { closed } = await bring();
    expect(await closed).toEqual({ code, reason });
    expect(await (await connect(apiKey)).run('{ __typename }')).toEqual({ data: { __typename: 'Query' } });
  },
);

/** Returns the close frame that a client of another subprotocol receives; WebSocket libraries fail before it. */
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

test('a connection_init that has arrived counts, even if the process was too busy to read it in time', async () => {
  const socket = await openSocket();
  socket.send({ type: 'connection_init', payload: apiKey.headers });
  const end = performance.now() + 3_500;
  while (performance.now() < end);
  expect(await socket.find(({ type }) => type === 'connection_ack')).toBeDefined();
});
