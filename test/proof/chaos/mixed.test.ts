import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { findDifferences } from '../../support/app/integrity.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/app/postgres-server.ts';
import { freePort, REDIS, startRedis } from '../../support/app/redis.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { sql } from '../../support/app/sql.ts';
import { until } from '../../support/app/until.ts';
import { FaultProxy } from '../../support/faults/fault-proxy.ts';
import { addressOfDatabase } from '../../support/faults/proxied-database.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { pause, Random } from '../../support/fixtures/random.ts';
import { apiKey } from '../../support/fixtures/users.ts';
import {
  expectedOf,
  expectReceivedOnce,
  expectStoredOnce,
  faultsIn,
  hasReceivedAll,
  notifiedEvents,
} from './assertions.ts';
import { createChaosFixture, dialogsOf } from './fixture.ts';
import { FileKeeper, RecordKeeper, Secretary } from './keepers.ts';
import { Listener } from './listener.ts';
import { type Acknowledged, Writer } from './writer.ts';

/** Duration; for a longer run use `CHAOS_SECONDS=600 npx vitest run test/proof/chaos`. */
const SECONDS = Number(process.env.CHAOS_SECONDS ?? 10);
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);

/** Generous, for slow machines; a test that hangs fails with its seed. */
const TIMEOUT_MS = 600_000;

const SIZE = { users: 12, dialogs: 6 };
const PROCESSES = 2;

let database: OwnDatabase;
let folder: Awaited<ReturnType<typeof createDataDir>>;
let stopRedis: () => Promise<void> = async () => {};
let redisPort: number;

// The test process creates the application and its users; two other processes are disturbed.
useApp({
  database: async () => {
    database = await startOwnDatabase();
    return database;
  },
});

const random = new Random(SEED);
const services: Service[] = [];
/** In front of each process, and between it and its database. */
const proxies: { clients: FaultProxy; database: FaultProxy }[] = [];

beforeAll(async () => {
  folder = await createDataDir();
  if (REDIS) {
    redisPort = await freePort();
    stopRedis = await startRedis(redisPort);
  } else {
    console.info(
      'redis-server is not installed: processes communicate through PostgreSQL, and Redis is not disturbed.',
    );
  }
  for (let nth = 0; nth < PROCESSES; nth++) {
    proxies.push({
      clients: await FaultProxy.start(() => addressOf(services[nth]!), new Random(SEED + 1 + nth)),
      database: await FaultProxy.start(() => addressOfDatabase(database.config), new Random(SEED + 11 + nth)),
    });
  }
  services.push(...(await Promise.all(proxies.map((_, nth) => startProcess(nth)))));
}, TIMEOUT_MS);

afterAll(async () => {
  await Promise.all(services.map((service) => service.kill()));
  for (const { clients, database } of proxies) for (const proxy of [clients, database]) await proxy.close();
  await stopRedis();
  await folder.remove();
}, TIMEOUT_MS);

function addressOf({ url }: Service) {
  return { host: '127.0.0.1', port: Number(new URL(url).port) };
}

/** Starts a process over a reliable proxy, because a process that cannot reach its database does not start. */
async function startProcess(nth: number): Promise<Service> {
  const { user, database: name } = new pg.Client(database.config);
  const proxy = proxies[nth]!.database;
  proxy.isUnreliable = false;
  const service = await startService(folder.dataDir, {
    DATABASE_URL: `postgres://${user}@127.0.0.1:${proxy.port}/${name}`,
    ...(REDIS && { REDIS_URL: `redis://127.0.0.1:${redisPort}` }),
  });
  proxy.isUnreliable = true;
  return service;
}

const outputs: string[] = [];

const TROUBLES: Record<string, () => Promise<void>> = {
  'a process is killed': async () => {
    const nth = random.between(0, PROCESSES);
    await services[nth]!.kill();
    outputs.push(services[nth]!.output());
    services[nth] = await startProcess(nth);
  },
  'PostgreSQL is killed': () => database.crash(),
  'all proxies to the database are cut': async () => {
    for (const proxy of proxies) proxy.database.cut();
  },
  'Redis is down': async () => {
    if (!REDIS) return;
    await stopRedis();
    await pause(random.between(100, 2_000));
    stopRedis = await startRedis(redisPort);
  },
  'PostgreSQL is down': async () => {
    await database.stop();
    await pause(random.between(100, 2_000));
    await database.start();
  },
  'all proxies to clients are cut': async () => {
    for (const proxy of proxies) proxy.clients.cut();
  },
};

test(`nothing is lost, duplicated or miscounted in ${SECONDS} seconds of mixed work over unreliable proxies`, {
  timeout: SECONDS * 1000 + TIMEOUT_MS,
}, async ({ onTestFailed }) => {
  let doing = 'creating the fixture';
  console.info(`CHAOS_SEED=${SEED}`);
  onTestFailed(() => console.error(`The chaos test failed with CHAOS_SEED=${SEED}, while ${doing}.`));
  const set = await createChaosFixture(random, SIZE);
  await makeClass();
  await giveMailboxes(set.users.map(({ id }) => id));
  const urls = () => proxies.map(({ clients }) => `http://127.0.0.1:${clients.port}`);
  let seed = SEED + 100;
  const next = () => new Random(++seed);

  const listeners = Array.from({ length: 16 }, (_, nth) => {
    const user = random.pick(set.users);
    const dialogId = random.chance(0.4) ? random.pick(dialogsOf(set, user)) : undefined;
    const via = nth % 4 < 2 ? 'socket' : nth % 4 < 3 ? 'stream' : 'polls';
    const options = { user, dialogId, via, withMessages: random.chance(0.5), since: set.since } as const;
    return new Listener(options, urls, next());
  });
  const writers = Array.from({ length: 8 }, (_, nth) => {
    const user = random.pick(set.users);
    return new Writer(user, dialogsOf(set, user), urls, next(), nth);
  });
  const recordKeepers = Array.from({ length: 4 }, (_, nth) => {
    const keeper = new RecordKeeper(random.pick(set.users), urls, next());
    keeper.name = `part-${nth}`;
    return keeper;
  });
  const fileKeepers = Array.from({ length: 3 }, () => new FileKeeper(random.pick(set.users), urls, next()));
  const secretaries = set.users.slice(0, 3).map((user) => {
    const secretary = new Secretary(user, urls, next());
    secretary.userId = user.id;
    return secretary;
  });

  for (const { clients } of proxies) clients.isUnreliable = true;
  const listening = listeners.map((listener) => listener.listen());
  const end = Date.now() + SECONDS * 1000;
  const troubles = Object.entries(TROUBLES);
  let happened = 0;
  let isStopped = false;
  const isOver = () => isStopped || (Date.now() >= end && happened >= troubles.length);
  const working = Promise.all([
    ...writers.map((writer) => writer.writeUntil(isOver)),
    ...[...recordKeepers, ...fileKeepers, ...secretaries].map((worker) => worker.workUntil(isOver)),
  ]);
  working.catch(() => {
    isStopped = true;
  });
  while (!isOver()) {
    await pause(random.between(300, 1_500));
    const [name, trouble] = troubles[happened++ % troubles.length]!;
    doing = name;
    await trouble();
  }
  doing = 'requests in flight were completing';
  await working;

  for (const proxy of proxies) {
    proxy.clients.isUnreliable = false;
    proxy.database.isUnreliable = false;
  }
  doing = 'sending the last messages';
  const last: Acknowledged[] = [];
  for (const { id, users } of set.dialogs) {
    const writer = new Writer(users[0]!, [id], urls, random, `last ${id}`);
    await writer.send(id);
    last.push(...writer.acknowledged);
  }
  doing = 'listeners were catching up';
  const notified = await notifiedEvents(set.since);
  await until(() => listeners.every((one) => hasReceivedAll(one, notified, set)));
  for (const listener of listeners) listener.stop();
  await Promise.all(listening);

  doing = 'comparing the results';
  await expectStoredOnce([...writers.flatMap(({ acknowledged }) => acknowledged), ...last]);
  for (const listener of listeners) expectReceivedOnce(listener, expectedOf(listener, notified, set));
  for (const keeper of recordKeepers) await keeper.verify();
  for (const keeper of fileKeepers) await keeper.verify();
  await expectContacts(secretaries);
  await expectSentOnce(secretaries.flatMap(({ eventIds }) => eventIds));
  expect(await findDifferences({ dataDir: folder.dataDir })).toEqual([]);
  const written = [...outputs, ...services.map((service) => service.output())];
  expect(written.flatMap(faultsIn)).toEqual([]);
  const done = {
    messages: writers.flatMap(({ acknowledged }) => acknowledged).length,
    records: recordKeepers.flatMap(({ records }) => records).length,
    files: fileKeepers.flatMap(({ files }) => files).length,
    contacts: secretaries.flatMap(({ phones }) => phones).length,
    pushes: secretaries.flatMap(({ eventIds }) => eventIds).length,
    cuts: proxies.reduce((sum, { clients, database: other }) => sum + clients.cuts + other.cuts, 0),
    troubles: happened,
  };
  console.info(JSON.stringify(done));
  for (const count of Object.values(done)) expect(count).toBeGreaterThan(0);
});

async function makeClass(): Promise<void> {
  const fields = [
    { name: 'code', type: 'STRING', unique: true, index: true },
    { name: 'state', type: 'STRING' },
  ];
  const query =
    'mutation ($fields: [ClassFieldInput!]!) { createClass(input: { name: "parts", fields: $fields }) { id } }';
  await execute(query, { fields }, apiKey);
}

async function giveMailboxes(ids: number[]): Promise<void> {
  await sql("UPDATE users SET email = 'user-' || id || '@example.org' WHERE id = ANY($1)", [ids]);
  await sql(
    `INSERT INTO push_subscriptions (application_id, user_id, channel, platform, udid, created_at, updated_at)
    SELECT $1, unnest($2::int[]), 'email', 'web', 'd', now(), now()`,
    [APPLICATION.id, ids],
  );
}

async function expectContacts(secretaries: Secretary[]): Promise<void> {
  for (const { userId, phones } of secretaries) {
    const rows = await sql<{ phone: string }>('SELECT phone FROM contacts WHERE user_id = $1 ORDER BY 1', [userId]);
    expect(rows.map(({ phone }) => phone)).toEqual([...new Set(phones)].sort());
  }
}

/** Also waits for pushes of messages, and for pushes whose acknowledgement was lost. */
async function expectSentOnce(acknowledged: number[]): Promise<void> {
  await until(async () => (await sql('SELECT FROM push_sends WHERE finished_at IS NULL LIMIT 1')).length === 0);
  const events = await sql<{ id: number; times: number; sends: number; active: boolean; delivered: number }>(
    `SELECT e.id, e.occured_count AS times, count(s.id)::int AS sends, e.active, sum(s.delivered)::int AS delivered
    FROM events e LEFT JOIN push_sends s ON s.application_id = e.application_id AND s.event_id = e.id GROUP BY e.id, e.occured_count, e.active`,
  );
  const once = { times: 1, sends: 1, active: false, delivered: 1 };
  expect(events).toEqual(events.map(({ id }) => ({ id, ...once })));
  expect(events.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
}
