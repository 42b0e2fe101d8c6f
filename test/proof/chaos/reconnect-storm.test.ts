import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type AtriumClient, createClient } from '../../../packages/client/src/index.ts';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/app/postgres-server.ts';
import { freePort } from '../../support/app/redis.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { until } from '../../support/app/until.ts';
import { HEAR } from '../../support/clients/atrium.ts';
import { createDialog, type QuickUser, quickUsers, send } from '../../support/fixtures/chat.ts';
import { pause } from '../../support/fixtures/random.ts';

// All clients of one process lose their sockets at once, and reconnect while another process sends.

/** `RECONNECTS=10000` needs as many file descriptors. */
const CLIENTS = Number(process.env.RECONNECTS ?? 1_000);
const USERS = 20;
const MISSED = 20;
const SEND_EVERY_MS = 100;
const MISFORTUNES = ['the process is killed', 'the sockets are cut'] as const;

let database: OwnDatabase;
let folder: Awaited<ReturnType<typeof createDataDir>>;
let service: Service;
let env: Record<string, string>;

// The test process sends.
useApp({
  database: async () => {
    database = await startOwnDatabase();
    return database;
  },
});

beforeAll(async () => {
  folder = await createDataDir();
  env = { DATABASE_URL: database.url, PORT: String(await freePort()) };
  service = await startService(folder.dataDir, env);
});

afterAll(async () => {
  await service.kill();
  await folder.remove();
});

const open = new Set<WebSocket>();

class Socket extends WebSocket {
  constructor(...parameters: ConstructorParameters<typeof WebSocket>) {
    super(...parameters);
    this.on('open', () => open.add(this));
    this.on('close', () => open.delete(this));
  }
}

test(`${CLIENTS} clients that reconnect at once receive every message exactly once and in order`, async () => {
  const users = await quickUsers(USERS);
  const [alice, ...others] = users as [QuickUser, ...QuickUser[]];
  const dialogId = await createDialog(alice, others);
  const sent: string[] = [];
  const sendOne = async () => {
    sent.push(await send(alice, dialogId, `message ${sent.length}`));
    await pause(SEND_EVERY_MS);
  };

  const clients: AtriumClient[] = [];
  const ends: unknown[] = [];
  const received = Array.from({ length: CLIENTS }, (_, nth) => {
    const ids: string[] = [];
    const onBehalfOf = users[nth % USERS]!.id;
    const client = createClient({ url: service.url, apiKey: APPLICATION.apiKey, onBehalfOf, webSocket: Socket });
    client.subscribe(
      HEAR,
      { dialogId },
      { next: ({ messageSent }) => void ids.push(messageSent.message.id), end: (error) => ends.push(error) },
    );
    clients.push(client);
    return ids;
  });
  const haveAll = () => received.every((ids) => ids.at(-1) === sent.at(-1)) || ends.length > 0;
  // A client that has its first cursor misses nothing from then on.
  await until(() => open.size === CLIENTS);
  await until(async () => {
    await sendOne();
    return received.every((ids) => ids.length > 0);
  });
  const firsts = received.map(([first]) => sent.indexOf(first!));

  for (const misfortune of MISFORTUNES) {
    const lost = [...open];
    expect(lost.length).toBe(CLIENTS);
    const before = sent.length;
    let isOver = false;
    const sending = (async () => {
      while (!isOver) await sendOne();
    })();
    if (misfortune === 'the process is killed') await service.kill();
    else for (const socket of lost) socket.terminate();
    await until(() => sent.length >= before + MISSED);
    if (misfortune === 'the process is killed') service = await startService(folder.dataDir, env);
    await until(() => open.size === CLIENTS && lost.every((socket) => !open.has(socket)));
    isOver = true;
    await sending;
    await until(haveAll);
  }

  expect(ends).toEqual([]);
  for (const [nth, ids] of received.entries()) expect(ids).toEqual(sent.slice(firsts[nth]));
  for (const client of clients) client.close();
});
