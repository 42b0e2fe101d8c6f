import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { Heartbeat } from '../../../src/graphql/websocket/heartbeat.ts';
import type { KnownViewer } from '../../../src/lib/access.ts';
import { running, useApp } from '../../support/app/app.ts';
import { startAnother } from '../../support/app/other-apps.ts';
import { streamEvents } from '../../support/clients/sse.ts';
import { closeSockets, connect, openSocket, type RawSocket, until } from '../../support/clients/websocket.ts';
import { insertSession, insertUser, newClient, together } from '../../support/fixtures/callers.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

const HOUR = 3600;

useApp({ limits: { default: { quota: 1000, windowSeconds: HOUR } }, trustProxy: 1 });

afterEach(() => closeSockets());

const KB = 1024;
const ping = (bytes: number) => JSON.stringify({ type: 'ping', payload: { x: 'x'.repeat(bytes) } });
const limit = () => running.app.services.rateLimits!.connections;
const networkOf = ({ headers }: Caller) => headers['X-Forwarded-For']!;
const open = (as: Caller = newClient()) => openSocket(running.app, as.headers);
const admit = (as: Caller, session: Caller) => connect(session, running.app, as.headers);

/** @returns a TCP connection that has upgraded, and whose client never answers a close frame */
async function upgradedTcp(url: string): Promise<{ tcp: Socket; received: () => Buffer }> {
  const tcp = connectTcp(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void tcp.destroy());
  let bytes = Buffer.alloc(0);
  tcp.on('error', () => {});
  tcp.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
  });
  tcp.write(
    'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
  );
  while (!bytes.includes('\r\n\r\n')) await once(tcp, 'data');
  return { tcp, received: () => bytes.subarray(bytes.indexOf('\r\n\r\n') + 4) };
}

/**
 * The service does not close sockets without `connection_init`, so that a slow machine has time. Other waits of the
 * service go on, because they use promises of timers: transactions of other tests can delay its outbox.
 */
function stopTimeouts(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Waits while timeouts stand still. */
async function soon(isSo: () => boolean): Promise<void> {
  while (!isSo()) await immediate();
}

describe('#65 memory and connections of sockets', () => {
  test.each<[name: string, attack: (socket: WebSocket) => void]>([
    ['a large ping', (socket) => socket.send(ping(2 * KB))],
    ['a large ping in a binary frame', (socket) => socket.send(Buffer.from(ping(2 * KB)))],
    [
      'a large ping in fragments',
      (socket) => {
        for (const part of ping(2 * KB).match(/.{1,500}/g)!) socket.send(part, { fin: false });
        socket.send('', { fin: true });
      },
    ],
    [
      'fragments without end',
      (socket) => {
        for (let nth = 0; nth < 40; nth++) socket.send('x'.repeat(KB), { fin: false });
      },
    ],
    [
      'fragments of one byte',
      (socket) => {
        for (let nth = 0; nth < 5000; nth++) socket.send('x', { fin: false });
      },
    ],
    [
      'many small pings',
      (socket) => {
        for (let nth = 0; nth < 100; nth++) socket.send(ping(900));
      },
    ],
    [
      'many pings of the protocol',
      (socket) => {
        const again = () => socket.ping('x'.repeat(120));
        socket.on('pong', again);
        again();
      },
    ],
    [
      'pongs that answer nothing',
      (socket) => {
        for (let nth = 0; nth < 200; nth++) socket.pong('x'.repeat(120));
      },
    ],
    [
      'large credentials',
      (socket) =>
        socket.send(JSON.stringify({ type: 'connection_init', payload: { 'SVC-Token': 'x'.repeat(20 * KB) } })),
    ],
  ])('before connection_ack, a socket is closed after %s', async (_name, attack) => {
    stopTimeouts();
    const { socket, closed, received } = await open();
    attack(socket);
    await soon(() => socket.readyState !== WebSocket.OPEN);
    vi.advanceTimersByTime(1_000);
    expect((await closed).code).toBe(1009);
    expect(JSON.stringify(received).length).toBeLessThan(32 * KB);
  });

  test('small pings, large messages after connection_ack, and ordinary credentials are accepted', async () => {
    const socket = await open();
    socket.socket.send(ping(900));
    expect(await socket.find(({ type }) => type === 'pong')).toEqual({ type: 'pong', payload: { x: 'x'.repeat(900) } });
    socket.send({ type: 'connection_init', payload: { ...apiKey.headers, 'X-Other': 'x'.repeat(4 * KB) } });
    await socket.find(({ type }) => type === 'connection_ack');
    socket.socket.send(ping(900 * KB));
    await socket.find(({ type, payload }) => type === 'pong' && payload.x.length === 900 * KB);
    for (let nth = 0; nth < 40; nth++) socket.socket.send('x'.repeat(KB), { fin: false });
    socket.socket.ping();
    await once(socket.socket, 'pong');
  });

  test('a client that does not answer the close frame is disconnected, also after an operation without credentials', async () => {
    // An app whose heartbeat stands still, because it would end such sockets some time, too.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const app = await startAnother();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { tcp, received } = await upgradedTcp(app.url);
    vi.advanceTimersByTime(3_000);
    while (received().length < 4) await once(tcp, 'data');
    expect(received().readUInt16BE(2)).toBe(4408);
    expect(received().toString()).toContain('Connection initialisation timeout');
    const closed = once(tcp, 'close');
    vi.advanceTimersByTime(1_000);
    await closed;

    const early = await upgradedTcp(app.url);
    const text = Buffer.from('{"id":"1","type":"subscribe","payload":{"query":"{ me { id } }"}}');
    // A mask of zeros does not change the text.
    early.tcp.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]));
    while (early.received().length < 4) await once(early.tcp, 'data');
    expect(early.received().readUInt16BE(2)).toBe(4401);
    const ended = once(early.tcp, 'close');
    vi.advanceTimersByTime(1_000);
    await ended;
    vi.useRealTimers();
    await app.stop();
  });

  test('unread bytes of sockets count with those of responses, and the network that holds the most loses them', async () => {
    const [attacker, other] = [newClient(), newClient()];
    const session = await insertSession(await insertUser());
    const innocent = await admit(other, await insertSession(await insertUser()));
    innocent.socket.pause();
    for (let nth = 0; nth < 8; nth++) innocent.socket.send(ping(900 * KB));
    const sockets: RawSocket[] = [];
    for (let nth = 0; nth < 16; nth++) sockets.push(await admit(attacker, session));
    let closed = 0;
    for (const socket of sockets) {
      socket.socket.pause();
      // Below the limit of one socket.
      for (let nth = 0; nth < 15; nth++) socket.socket.send(ping(900 * KB), () => {});
      void socket.closed.then(() => closed++);
    }
    await until(() => {
      for (const { socket } of sockets) if (socket.readyState === WebSocket.CLOSING) socket.terminate();
      return closed > 0;
    });
    innocent.socket.resume();
    expect((await innocent.run('{ __typename }')).data).toEqual({ __typename: 'Query' });
  });

  test('messages that never end count, too, also with control frames between their fragments', async () => {
    const attacker = newClient();
    const session = await insertSession(await insertUser());
    const innocent = await admit(newClient(), await insertSession(await insertUser()));
    innocent.socket.send('x'.repeat(200 * KB), { fin: false });
    let closed = 0;
    for (let nth = 0; nth < 90; nth++) {
      const { socket, closed: end } = await admit(attacker, session);
      void end.then(() => closed++);
      for (let part = 0; part < 9; part++) {
        socket.send('x'.repeat(100 * KB), { fin: false });
        socket.ping();
      }
    }
    await until(() => closed > 0);
    innocent.socket.ping();
    await once(innocent.socket, 'pong');
    expect(innocent.socket.readyState).toBe(WebSocket.OPEN);
  });

  test('sockets without accepted credentials are limited per network, and other networks are served', async () => {
    const client = newClient();
    const network = networkOf(client);
    const taken = Array.from({ length: 499 }, () => limit().takeUnauthenticated(network));
    onTestFinished(() => {
      for (const release of taken) release();
    });
    stopTimeouts();
    const first = await open(client);
    const refused = { message: 'Unexpected server response: 429' };
    await expect(open(client)).rejects.toMatchObject(refused);
    const forged = { headers: { 'X-Forwarded-For': `203.0.113.9, ${network}` } };
    await expect(open(forged)).rejects.toMatchObject(refused);
    await (await open()).close();
    first.send({ type: 'connection_init', payload: apiKey.headers });
    await first.find(({ type }) => type === 'connection_ack');
    const second = await open(client);
    await expect(open(client)).rejects.toMatchObject(refused);
    await second.close();
    await soon(() => !limit().isFullOfUnauthenticated(network));
    const third = await open(client);
    third.send({ type: 'connection_init', payload: { 'SVC-Token': 'unknown' } });
    expect((await third.closed).code).toBe(4403);
    await soon(() => !limit().isFullOfUnauthenticated(network));
  });

  test('sockets without accepted credentials are limited per process', async () => {
    const taken = Array.from({ length: 4_999 }, (_, nth) => limit().takeUnauthenticated(`network ${nth >> 6}`));
    onTestFinished(() => {
      for (const release of taken) release();
    });
    stopTimeouts();
    const last = await open();
    await expect(open()).rejects.toMatchObject({ message: 'Unexpected server response: 429' });
    await last.close();
    await soon(() => !limit().isFullOfUnauthenticated('another'));
    await (await open()).close();
  });

  test('application sessions share 100 sockets and event streams per network, however many the client opens', async () => {
    const client = newClient();
    const viewer = { kind: 'session', applicationId: 92, session: { id: 'x' } } as unknown as KnownViewer;
    const taken = Array.from({ length: 99 }, () => limit().take(viewer, networkOf(client))!);
    onTestFinished(() => {
      for (const release of taken) release();
    });
    const first = await admit(client, await insertSession(null));
    const another = await insertSession(null);
    const surplus = await open(client);
    surplus.send({ type: 'connection_init', payload: another.headers });
    expect((await surplus.closed).code).toBe(4429);
    const stream = await streamEvents(
      'subscription { recordChanged(className: "Car") { cursor } }',
      {},
      together(client, await insertSession(null)),
    );
    await stream.ended;
    expect(stream.results).toMatchObject([{ errors: [{ extensions: { code: 'RATE_LIMITED' } }] }]);
    await (await admit(newClient(), await insertSession(null))).close();
    const user = await admit(client, await insertSession(await insertUser()));
    expect((await user.run('{ __typename }')).data).toEqual({ __typename: 'Query' });
    await first.close();
    await (await admit(client, await insertSession(null))).close();
  });

  test('a client that sends pongs without reading is disconnected', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const heartbeat = new Heartbeat(1_200);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sockets = new WebSocketServer({ server });
    onTestFinished(() => {
      heartbeat.stop();
      sockets.close();
      server.close();
    });
    const pongs: string[] = [];
    sockets.on('connection', (socket) => {
      heartbeat.add(socket);
      socket.on('pong', (data) => pongs.push(String(data)));
    });
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const deaf = new WebSocket(url, { autoPong: false } as object);
    const honest = new WebSocket(url);
    onTestFinished(() => honest.terminate());
    await Promise.all([once(deaf, 'open'), once(honest, 'open')]);
    const closed = once(deaf, 'close');
    vi.advanceTimersByTime(1_200);
    for (const guess of ['', 'guess', '\0'.repeat(125)]) deaf.pong(guess);
    await until(() => pongs.length === 4);
    vi.advanceTimersByTime(1_200);
    expect((await closed)[0]).toBe(1006);
    await until(() => pongs.length === 5);
    expect(honest.readyState).toBe(WebSocket.OPEN);
  });
});
