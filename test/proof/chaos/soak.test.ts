import { afterAll, beforeAll, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/app/postgres-server.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { until } from '../../support/app/until.ts';
import { pause, Random } from '../../support/fixtures/random.ts';
import {
  expectedOf,
  expectReceivedOnce,
  expectStoredOnce,
  faultsIn,
  hasReceivedAll,
  notifiedEvents,
} from './assertions.ts';
import { createChaosFixture, dialogsOf } from './fixture.ts';
import { Listener } from './listener.ts';
import { type Acknowledged, Writer } from './writer.ts';

/** Duration; for a longer run use `SOAK_SECONDS=600 npx vitest run test/proof/chaos/soak.test.ts`. */
const SECONDS = Number(process.env.SOAK_SECONDS ?? 15);
const SEED = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000);
const CATCH_UP_TIMEOUT_MS = 60_000;

const SIZE = { users: 30, dialogs: 12 };
const LISTENERS = 50;
const WRITERS = 20;

let database: OwnDatabase;
let folder: Awaited<ReturnType<typeof createDataDir>>;

// The test process creates the application and its users; two other processes are disturbed.
useApp({
  database: async () => {
    database = await startOwnDatabase();
    return database;
  },
});

const services: Service[] = [];

const startProcess = () => startService(folder.dataDir, { DATABASE_URL: database.url });

beforeAll(async () => {
  folder = await createDataDir();
  services.push(...(await Promise.all([startProcess(), startProcess()])));
});

afterAll(async () => {
  await Promise.all(services.map((service) => service.kill()));
  await folder.remove();
});

const TROUBLES: ((random: Random) => Promise<void>)[] = [
  async (random) => {
    const nth = random.between(0, services.length);
    await services[nth]!.kill();
    await replace(nth);
  },
  async () => {
    await database.stop();
    await database.start();
  },
  async (random) => {
    const nth = random.between(0, services.length);
    const stopped = await services[nth]!.stop();
    expect(stopped === 0 ? '' : services[nth]!.output()).toBe('');
    await replace(nth);
  },
  async () => {
    await database.crash();
  },
];

const outputs: string[] = [];

async function replace(nth: number): Promise<void> {
  outputs.push(services[nth]!.output());
  services[nth] = await startProcess();
}

test(`nothing is lost, duplicated or out of order in ${SECONDS} seconds of killed processes and databases`, {
  timeout: SECONDS * 1000 + 5 * CATCH_UP_TIMEOUT_MS,
}, async ({ onTestFailed }) => {
  onTestFailed(() => console.error(`The soak test failed with SOAK_SEED=${SEED}.`));
  const random = new Random(SEED);
  const set = await createChaosFixture(random, SIZE);
  const urls = () => services.map(({ url }) => url);
  const listeners = Array.from({ length: LISTENERS }, (_, nth) => {
    const user = random.pick(set.users);
    const dialogId = random.chance(0.4) ? random.pick(dialogsOf(set, user)) : undefined;
    const via = nth % 10 < 7 ? 'socket' : nth % 10 < 9 ? 'stream' : 'polls';
    const options = { user, dialogId, via, withMessages: random.chance(0.5), since: set.since } as const;
    return new Listener(options, urls, new Random(SEED + 1_000 + nth));
  });
  const writers = Array.from({ length: WRITERS }, (_, nth) => {
    const user = random.pick(set.users);
    return new Writer(user, dialogsOf(set, user), urls, new Random(SEED + 2_000 + nth), nth);
  });

  const listening = listeners.map((listener) => listener.listen());
  const end = Date.now() + SECONDS * 1000;
  let troubles = 0;
  const isOver = () => Date.now() >= end && troubles >= TROUBLES.length;
  const writing = writers.map((writer) => writer.writeUntil(isOver));
  while (!isOver()) {
    await pause(random.between(500, 1500));
    await TROUBLES[troubles++ % TROUBLES.length]!(random);
  }
  await Promise.all(writing);
  const last = new Map<string, Acknowledged>();
  for (const { id, users } of set.dialogs) {
    const writer = new Writer(users[0]!, [id], urls, random, `last ${id}`);
    await writer.send(id);
    writers.push(writer);
    last.set(id, writer.acknowledged[0]!);
  }

  const notified = await notifiedEvents(set.since);
  const giveUp = Date.now() + CATCH_UP_TIMEOUT_MS;
  await until(() => Date.now() > giveUp || listeners.every((one) => hasReceivedAll(one, notified, set)));
  for (const listener of listeners) listener.stop();
  await Promise.all(listening);

  await expectStoredOnce(writers.flatMap(({ acknowledged }) => acknowledged));
  for (const listener of listeners) expectReceivedOnce(listener, expectedOf(listener, notified, set));
  expect([...outputs, ...services.map((service) => service.output())].flatMap(faultsIn)).toEqual([]);
  expect(listeners.reduce((sum, { connections }) => sum + connections, 0)).toBeGreaterThan(LISTENERS);
});
