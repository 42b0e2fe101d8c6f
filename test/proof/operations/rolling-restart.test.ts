import { once } from 'node:events';
import { Agent, request as outgoing } from 'node:http';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { useApp } from '../../support/app/app.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/app/postgres-server.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { sql } from '../../support/app/sql.ts';
import { until } from '../../support/clients/websocket.ts';
import { createDialog, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { Random } from '../../support/fixtures/random.ts';
import { apiKey } from '../../support/fixtures/users.ts';
import { Listener } from '../chaos/listener.ts';
import { Balancer } from './load-balancer.ts';

/** Longer than the balancer takes to notice. */
const DRAIN_SECONDS = 3;

const SEND =
  'mutation ($dialogId: ID!, $text: String!) { sendMessage(input: { dialogId: $dialogId, text: $text }) { id } }';

let database: OwnDatabase;
let folder: Awaited<ReturnType<typeof createDataDir>>;

// The test process creates the application and its users; two other processes are restarted.
useApp({
  database: async () => {
    database = await startOwnDatabase();
    return database;
  },
});

beforeAll(async () => {
  folder = await createDataDir();
});

afterAll(() => folder.remove());

const startProcess = (drainSeconds = DRAIN_SECONDS) =>
  startService(folder.dataDir, { DATABASE_URL: database.url, DRAIN_SECONDS: String(drainSeconds) });

/** A client that sends requests one after the other, without retries, until the test is over. */
type Load = (isOver: () => boolean) => Promise<void>;

test('processes behind a balancer are replaced without a failed request or a lost or duplicated message', {
  timeout: 600_000,
}, async () => {
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  const dialogId = await createDialog(alice, [bob]);
  const since = (await positions(dialogId)).at(-1) ?? '0';
  const balancer = await Balancer.start();
  const services = await Promise.all([startProcess(), startProcess()]);
  onTestFinished(async () => {
    await Promise.all(services.map((service) => service.kill()));
    await balancer.stop();
  });
  for (const { url } of services) balancer.add(url);

  const cast = { url: balancer.url, alice, dialogId, sent: [] as string[] };
  const load = [overRest(cast), overGraphql(cast), ...Array.from({ length: 5 }, (_, nth) => overSocket(cast, nth))];
  const listeners = (['socket', 'socket', 'stream', 'polls'] as const).map(
    (via, nth) =>
      new Listener({ user: bob, dialogId, via, withMessages: true, since }, () => [balancer.url], new Random(nth)),
  );
  const listening = listeners.map((listener) => listener.listen());
  let isOver = false;
  const loading = Promise.all(load.map((one) => one(() => isOver)));
  loading.catch(() => {}); // it is awaited below

  for (const nth of services.keys()) {
    const old = services[nth]!;
    await Promise.race([loading, until(() => balancer.served(old.url) > 30)]);
    expect(await old.stop()).toBe(0);
    const young = await startProcess();
    services[nth] = young;
    balancer.add(young.url);
    await Promise.race([loading, until(() => balancer.served(young.url) > 30)]);
  }
  isOver = true;
  await loading;

  expect(balancer.failures).toEqual([]);
  expect(cast.sent.length).toBeGreaterThan(100);
  expect(await texts(dialogId)).toEqual(cast.sent.toSorted());
  const notified = await positions(dialogId);
  await until(() => listeners.every(({ received }) => String(received.at(-1)?.position) === notified.at(-1)));
  for (const listener of listeners) listener.stop();
  await Promise.all(listening);
  for (const { received, faults, options } of listeners) {
    expect([options.via, faults]).toEqual([options.via, []]);
    const messages = received.filter(({ kind }) => kind === 'MessageSent');
    expect(messages.map(({ position }) => String(position))).toEqual(notified);
  }
});

interface Stage {
  url: string;
  alice: QuickUser;
  dialogId: string;
  sent: string[];
}

function overRest({ url, alice, dialogId, sent }: Stage): Load {
  return async (isOver) => {
    while (!isOver()) {
      const message = `rest ${sent.length} ${Math.random()}`;
      const response = await fetch(`${url}/chat/Message.json`, {
        method: 'POST',
        headers: alice.headers,
        body: new URLSearchParams({ chat_dialog_id: dialogId, message }),
      });
      expect([response.status, await response.json()]).toMatchObject([201, { message }]);
      sent.push(message);
      const list = await fetch(`${url}/chat/Dialog.json`, { headers: alice.headers });
      expect([list.status, await list.json()]).toMatchObject([200, { items: [{ _id: dialogId }] }]);
    }
  };
}

function overGraphql({ url, alice, dialogId, sent }: Stage): Load {
  return async (isOver) => {
    while (!isOver()) {
      const text = `graphql ${sent.length} ${Math.random()}`;
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...alice.headers },
        body: JSON.stringify({ query: SEND, variables: { dialogId, text } }),
      });
      expect([response.status, await response.json()]).toEqual([
        200,
        { data: { sendMessage: { id: expect.any(String) } } },
      ]);
      sent.push(text);
    }
  };
}

/** Reconnects after 1001, and resends messages without a response, as clients must. */
function overSocket({ url, alice, dialogId, sent }: Stage, nth: number): Load {
  return async (isOver) => {
    const client = createClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: alice.headers,
      retryAttempts: 100,
      retryWait: async () => {},
    });
    while (!isOver()) {
      const text = `socket ${nth} ${sent.length} ${Math.random()}`;
      for await (const answer of client.iterate({ query: SEND, variables: { dialogId, text } })) {
        expect(answer).toEqual({ data: { sendMessage: { id: expect.any(String) } } });
      }
      sent.push(text);
    }
    await client.dispose();
  };
}

async function positions(dialogId: string): Promise<string[]> {
  const rows = await sql<{ position: string }>(
    "SELECT position FROM events_outbox WHERE dialog_id = $1 AND kind = 'messageSent' ORDER BY position",
    [dialogId],
  );
  return rows.map(({ position }) => position);
}

async function texts(dialogId: string): Promise<string[]> {
  const rows = await sql<{ text: string }>('SELECT text FROM messages WHERE dialog_id = $1', [dialogId]);
  return rows.map(({ text }) => text).toSorted();
}

test('a stopping process is not ready, serves with Connection: close, and closes its sockets over the drain time', {
  timeout: 600_000,
}, async () => {
  // Long enough for several requests on a slow machine.
  const drainSeconds = 10;
  const service = await startProcess(drainSeconds);
  const agent = new Agent({ keepAlive: true });
  const get = (path: string) =>
    new Promise<{ status: number; connection: string | undefined }>((resolve, reject) => {
      outgoing(service.url + path, { agent }, (response) => {
        response.resume().on('end', () => {
          resolve({ status: response.statusCode!, connection: response.headers.connection });
        });
      })
        .on('error', reject)
        .end();
    });
  expect(await get('/readyz')).toEqual({ status: 200, connection: 'keep-alive' });
  const sockets = await Promise.all(Array.from({ length: 20 }, () => openedSocket(service)));

  const stopped = service.stop();
  while ((await get('/readyz')).status === 200);
  expect(await get('/readyz')).toEqual({ status: 503, connection: 'close' });
  expect(await get('/healthz')).toEqual({ status: 200, connection: 'close' });
  expect(await get('/chat/Dialog.json')).toEqual({ status: 401, connection: 'close' });
  const closings = await Promise.all(sockets.map(({ closed }) => closed));
  expect(closings.map(({ code }) => code)).toEqual(Array(20).fill(1001));
  const moments = closings.map(({ at }) => at).toSorted((one, other) => one - other);
  expect(moments.at(-1)! - moments[0]!).toBeGreaterThan(0.2 * drainSeconds * 1000);
  expect(await stopped).toBe(0);
  agent.destroy();
});

/** An authenticated socket, because a silent one is closed soon. */
async function openedSocket({ url }: Service): Promise<{ closed: Promise<{ code: number; at: number }> }> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const closed = new Promise<{ code: number; at: number }>((resolve) => {
    socket.on('close', (code) => resolve({ code, at: performance.now() }));
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const accepted = once(socket, 'message');
  socket.send(JSON.stringify({ type: 'connection_init', payload: apiKey.headers }));
  await accepted;
  return { closed };
}
