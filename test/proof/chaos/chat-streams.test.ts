import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { findDifferences } from '../../support/app/integrity.ts';
import { freePort } from '../../support/app/redis.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { sql } from '../../support/app/sql.ts';
import { until } from '../../support/app/until.ts';
import { CHAT, CHAT_DOMAIN, closeStreams } from '../../support/clients/xmpp.ts';
import { FaultProxy } from '../../support/faults/fault-proxy.ts';
import { createDialog } from '../../support/fixtures/chat.ts';
import { pause, Random } from '../../support/fixtures/random.ts';
import { createUsers, onBehalfOf } from '../../support/fixtures/users.ts';
import { expectedOf, expectReceivedOnce, faultsIn, hasReceivedAll, notifiedEvents } from './assertions.ts';
import { CONNECTIONS } from './chat-connections.ts';
import { Chatter } from './chatter.ts';
import type { ChaosFixture } from './fixture.ts';
import { History } from './history.ts';
import { Listener } from './listener.ts';
import { Writer } from './writer.ts';

/** Of each trouble; for a longer run use `CHAOS_ROUNDS=10`. */
const ROUNDS = Number(process.env.CHAOS_ROUNDS ?? 1);
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);
const TIMEOUT_MS = 600_000;
const PROCESSES = 2;
/** Messages that each client has confirmed between two troubles. */
const CONFIRMED = 10;

// The test process creates the users; two other processes serve them.
useApp(CHAT);

let folder: Awaited<ReturnType<typeof createDataDir>>;
const random = new Random(SEED);
const services: Service[] = [];
const settings: Record<string, string>[] = [];
const proxies: { web: FaultProxy; tcp: FaultProxy }[] = [];
const outputs: string[] = [];
const ofProcess = globalThis.WebSocket;
const checked = process.env.NODE_TLS_REJECT_UNAUTHORIZED;

beforeAll(async () => {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; // the certificate is self-signed
  Object.assign(globalThis, { WebSocket }); // Node.js 20 has none
  folder = await createDataDir();
  for (let nth = 0; nth < PROCESSES; nth++) {
    const [PORT, XMPP_PORT] = [await freePort(), await freePort()];
    settings.push({
      DATABASE_URL: String(running.database.config.connectionString),
      CHAT_DOMAIN,
      PORT: String(PORT),
      XMPP_PORT: String(XMPP_PORT),
    });
    const at = (port: number) => ({ host: '127.0.0.1', port });
    proxies.push({ web: await FaultProxy.start(at(PORT)), tcp: await FaultProxy.start(at(XMPP_PORT)) });
    services.push(await startService(folder.dataDir, settings[nth]));
  }
}, TIMEOUT_MS);

afterAll(async () => {
  Object.assign(globalThis, { WebSocket: ofProcess });
  if (checked === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = checked;
  await closeStreams();
  await Promise.all(services.map((service) => service.kill()));
  for (const { web, tcp } of proxies) await Promise.all([web.close(), tcp.close()]);
  await folder.remove();
}, TIMEOUT_MS);

test('clients of all transports see each stored message once and in one order, while processes are killed and sockets cut', {
  timeout: ROUNDS * TIMEOUT_MS,
}, async ({ onTestFailed }) => {
  let doing = 'starting';
  onTestFailed(() => console.error(`failed with CHAOS_SEED=${SEED}, while ${doing}`));
  const users = await createUsers(6);
  const [alice, ...others] = users;
  const room = await createDialog(alice, others);
  const pairs = await Promise.all(
    [0, 2].map(async (nth) => {
      const pair = [users[nth]!, users[nth + 1]!] as const;
      return { pair, dialogId: await createDialog(pair[0], [pair[1]], 'PRIVATE') };
    }),
  );
  const [start] = await sql<{ position: string }>('SELECT max(position) AS position FROM events_outbox');
  const urls = () => services.map(({ url }) => url);
  const addresses = () => proxies.map(({ web, tcp }) => ({ url: web.url, tcpPort: tcp.port }));
  let seed = SEED;
  const next = () => new Random(++seed);

  const names = [...Object.keys(CONNECTIONS), 'bare WebSocket 2'];
  const chatters = names.map((name, nth) => {
    const user = users[nth]!;
    const own = pairs.flatMap(({ pair, dialogId }) =>
      pair.includes(user) ? [{ dialogId, to: pair.find((one) => one !== user)! }] : [],
    );
    return new Chatter({ user, name, talks: [{ dialogId: room }, ...own] }, { addresses, urls }, next());
  });
  const callers = users.map((user) => ({ ...user, ...onBehalfOf(user) }));
  const dialogs = [{ id: room, users }, ...pairs.map(({ dialogId: id, pair }) => ({ id, users: [...pair] }))].map(
    (dialog) => ({ id: dialog.id, users: dialog.users.map((user) => callers[users.indexOf(user)]!) }),
  );
  const set: ChaosFixture = { users: callers, dialogs, since: start!.position };
  const subscribers = (['socket', 'stream'] as const).map(
    (via, nth) =>
      new Listener(
        { user: callers[nth]!, dialogId: undefined, via, withMessages: true, since: set.since },
        urls,
        next(),
      ),
  );
  const poller = new History(callers[0]!, urls, next());
  poller.dialogIds = [room, pairs[0]!.dialogId];
  const writer = new Writer(callers[5]!, [room], urls, next(), 'writer');

  let isOver = false;
  const subscribing = subscribers.map((one) => one.listen());
  const working = [
    ...chatters.map((one) => one.chatUntil(() => isOver)),
    poller.workUntil(() => isOver),
    (async () => {
      while (!isOver) {
        await writer.send(room);
        await pause(random.between(20, 100));
      }
    })(),
  ];
  let failure: unknown;
  Promise.all(working).catch((error: unknown) => {
    failure = error;
  });
  const untilSo = async (isSo: () => boolean | Promise<boolean>) => {
    await until(async () => failure !== undefined || (await isSo()));
    if (failure !== undefined) throw failure;
  };
  const untilConfirmed = async () => {
    const before = chatters.map((one) => one.sent.length - one.unconfirmedCount);
    await untilSo(() =>
      chatters.every((one, nth) => one.sent.length - one.unconfirmedCount >= before[nth]! + CONFIRMED),
    );
  };
  const inFlight = () => untilSo(() => chatters.some((one) => one.unconfirmedCount > 0));
  const reconnected = async (disturb: () => Promise<void> | void) => {
    const before = chatters.map(({ connections }) => connections);
    await disturb();
    await untilSo(() => chatters.some((one, nth) => one.connections > before[nth]!));
  };
  /** Index of the process that most clients use. */
  const busiest = () => Number(chatters.filter(({ process }) => process === 1).length > chatters.length / 2);
  const kill = async () => {
    await inFlight();
    const nth = busiest();
    await reconnected(() => services[nth]!.kill());
    await untilConfirmed();
    outputs.push(services[nth]!.output());
    services[nth] = await startService(folder.dataDir, settings[nth]);
    await untilConfirmed();
  };
  const troubles: Record<string, () => Promise<void>> = {
    'a process is killed': kill,
    'all sockets are cut': async () => {
      await inFlight();
      await reconnected(() => {
        for (const { web, tcp } of proxies) for (const proxy of [web, tcp]) proxy.cut();
      });
      await untilConfirmed();
    },
    'a process is killed again': kill,
    'the sockets of a process are silent': async () => {
      const { web, tcp } = proxies[busiest()]!;
      await reconnected(() => {
        for (const proxy of [web, tcp]) proxy.isSilent = true;
      });
      for (const proxy of [web, tcp]) {
        proxy.cut();
        proxy.isSilent = false;
      }
      await untilConfirmed();
    },
  };
  await untilConfirmed();
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, trouble] of Object.entries(troubles)) {
      doing = name;
      await trouble();
    }
  doing = 'the last messages were confirmed';
  isOver = true;
  await Promise.all(working);
  doing = 'subscribers were catching up';
  const notified = await notifiedEvents(set.since);
  await untilSo(() => subscribers.every((one) => hasReceivedAll(one, notified, set)));
  for (const one of subscribers) one.stop();
  await Promise.all(subscribing);

  doing = 'comparing the results';
  const orders = new Map(
    await Promise.all(dialogs.map(async ({ id }) => [id, await storedIn(id)] as [string, Stored[]])),
  );
  const inRoom = idsOf(orders.get(room)!);
  const acknowledged = [...chatters.flatMap(({ sent }) => sent), ...writer.acknowledged.map(({ id }) => id)];
  expect([...orders.values()].flatMap(idsOf).sort()).toEqual(acknowledged.sort());
  for (const { name, user, slices, refusals } of chatters) {
    expect(refusals, name).toEqual([]);
    for (const { dialogId, ids } of slices) {
      // A client receives its own messages in rooms only.
      const order = orders.get(dialogId)!.filter(({ senderId }) => dialogId === room || senderId !== user.id);
      const begin = order.findIndex(({ id }) => id === ids[0]);
      expect(ids, name).toEqual(idsOf(order).slice(begin, ids.length === 0 ? begin : begin + ids.length));
    }
  }
  for (const [dialogId, ids] of poller.polled) expect(ids).toEqual(idsOf(orders.get(dialogId)!).slice(0, ids.length));
  for (const one of subscribers) expectReceivedOnce(one, expectedOf(one, notified, set));
  expect(await findDifferences()).toEqual([]);
  expect([...outputs, ...services.map((one) => one.output())].flatMap(faultsIn)).toEqual([]);
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  const done = {
    messages: acknowledged.length,
    inRoom: inRoom.length,
    live: sum(chatters.flatMap(({ slices }) => slices.map(({ ids }) => ids.length))),
    polled: sum([...poller.polled.values()].map((ids) => ids.length)),
    reconnects: sum(chatters.map(({ connections }) => connections - 1)),
    resent: sum(chatters.map(({ resent }) => resent)),
  };
  console.info(JSON.stringify(done));
  for (const count of Object.values(done)) expect(count).toBeGreaterThan(0);
});

interface Stored {
  id: string;
  senderId: number;
}

const idsOf = (stored: Stored[]) => stored.map(({ id }) => id);

function storedIn(dialogId: string): Promise<Stored[]> {
  return sql<Stored>(
    'SELECT id, sender_id AS "senderId" FROM messages WHERE application_id = $1 AND dialog_id = $2 ORDER BY seq',
    [APPLICATION.id, dialogId],
  );
}
