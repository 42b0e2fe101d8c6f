import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { Heartbeat } from '../../src/graphql/websocket/heartbeat.ts';
import { until } from '../support/clients/websocket.ts';

const ASK_EVERY = 1_200;

const undo: (() => void)[] = [];

// The test controls the pings, so slow answers do not close sockets.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});

afterEach(() => {
  for (const one of undo.splice(0).reverse()) one();
  vi.useRealTimers();
});

async function serve() {
  const heartbeat = new Heartbeat(ASK_EVERY);
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  let pongs = 0;
  sockets.on('connection', (socket) => {
    heartbeat.add(socket);
    socket.on('error', () => {});
    socket.on('pong', () => {
      pongs++;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(
    () => heartbeat.stop(),
    () => server.close(),
    () => sockets.close(),
  );
  const open = async (options: { autoPong?: boolean } = {}) => {
    const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, options as object);
    undo.push(() => socket.terminate());
    await once(socket, 'open');
    return socket;
  };
  return { sockets, open, pongs: () => pongs };
}

test('the heartbeat terminates a peer that does not answer pings, and no other', async () => {
  const { sockets, open, pongs } = await serve();
  const dead = await open({ autoPong: false });
  const alive = await open();
  const closed = once(dead, 'close');
  for (let time = 1; time <= 3; time++) {
    vi.advanceTimersByTime(ASK_EVERY);
    await until(() => pongs() === time);
  }
  const [code] = await closed;
  expect(code).toBe(1006);
  await until(() => sockets.clients.size === 1);
  expect(alive.readyState).toBe(WebSocket.OPEN);
});

test('the heartbeat terminates a peer that does not answer the close frame', async () => {
  const { sockets, open } = await serve();
  const stalled = await open();
  stalled.pause();
  for (const socket of sockets.clients) socket.close(4429, 'Too slow');
  vi.advanceTimersByTime(ASK_EVERY);
  expect(sockets.clients.size).toBe(1);
  vi.advanceTimersByTime(ASK_EVERY);
  await until(() => sockets.clients.size === 0);
});
