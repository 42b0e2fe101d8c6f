import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { Heartbeat } from '../../src/graphql/heartbeat.ts';
import { until } from '../support/sockets.ts';

const undo: (() => void)[] = [];

afterEach(() => {
  for (const one of undo.splice(0).reverse()) one();
});

/** A server whose sockets are asked that often whether they are there. */
async function serve(askEvery: number) {
  const heartbeat = new Heartbeat(askEvery);
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    heartbeat.add(socket);
    socket.on('error', () => {});
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
  return { sockets, open };
}

test('a peer that does not answer is cut off, one that does is not', async () => {
  const { sockets, open } = await serve(1_200);
  const dead = await open({ autoPong: false });
  const alive = await open();
  let pings = 0;
  alive.on('ping', () => {
    pings++;
  });
  const [code] = await once(dead, 'close');
  expect(code).toBe(1006);
  await until(() => pings >= 3);
  expect([alive.readyState, sockets.clients.size]).toEqual([WebSocket.OPEN, 1]);
});

test('a peer that does not answer the close is cut off too', async () => {
  const { sockets, open } = await serve(1_200);
  const stalled = await open();
  stalled.pause();
  for (const socket of sockets.clients) socket.close(4429, 'Too slow');
  await until(() => sockets.clients.size === 0);
});
