import { afterAll, beforeAll, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { findDifferences } from '../../support/app/integrity.ts';
import { type PostgresPair, startPostgresPair } from '../../support/app/postgres-pair.ts';
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
import { Writer } from './writer.ts';

/** Deaths of the primary; for more use `FAILOVER_ROUNDS=50 npx vitest run test/proof/chaos/failover.test.ts`. */
const ROUNDS = Number(process.env.FAILOVER_ROUNDS ?? 3);
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);
const TIMEOUT_MS = 600_000;

let pair: PostgresPair;
let folder: Awaited<ReturnType<typeof createDataDir>>;
let services: Service[];

useApp({
  database: async () => {
    pair = await startPostgresPair();
    return pair;
  },
});

beforeAll(async () => {
  folder = await createDataDir();
  const settings = { DATABASE_URL: pair.url };
  services = await Promise.all([startService(folder.dataDir, settings), startService(folder.dataDir, settings)]);
}, TIMEOUT_MS);

afterAll(async () => {
  await Promise.all(services.map((service) => service.kill()));
  await folder.remove();
}, TIMEOUT_MS);

test(`${ROUNDS} times the primary is killed and its synchronous standby promoted, and nothing acknowledged is lost or doubled`, {
  timeout: ROUNDS * 60_000 + TIMEOUT_MS,
}, async ({ onTestFailed }) => {
  onTestFailed(() => console.error(`The failover test failed with CHAOS_SEED=${SEED}.`));
  const random = new Random(SEED);
  const set = await createChaosFixture(random, { users: 8, dialogs: 4 });
  const urls = () => services.map(({ url }) => url);
  const listeners = Array.from({ length: 9 }, (_, nth) => {
    const user = random.pick(set.users);
    const dialogId = nth % 2 ? random.pick(dialogsOf(set, user)) : undefined;
    const via = (['socket', 'stream', 'polls'] as const)[nth % 3]!;
    return new Listener(
      { user, dialogId, via, withMessages: nth % 2 === 0, since: set.since },
      urls,
      new Random(SEED + nth),
    );
  });
  const writers = Array.from({ length: 6 }, (_, nth) => {
    const user = random.pick(set.users);
    return new Writer(user, dialogsOf(set, user), urls, new Random(SEED + 100 + nth), nth);
  });
  const listening = listeners.map((listener) => listener.listen());
  let isOver = false;
  const writing = Promise.all(writers.map((writer) => writer.writeUntil(() => isOver)));
  writing.catch(() => {
    isOver = true;
  });

  const acknowledged = () => writers.reduce((sum, writer) => sum + writer.acknowledged.length, 0);
  const pauses: number[] = [];
  for (let round = 0; round < ROUNDS && !isOver; round++) {
    await pause(random.between(300, 1_500));
    await pair.failOver();
    const [promotedAt, before] = [performance.now(), acknowledged()];
    await until(() => isOver || acknowledged() > before);
    pauses.push(Math.round(performance.now() - promotedAt));
    await pair.addStandby();
  }
  isOver = true;
  await writing;
  console.info(`Messages are acknowledged again after a promotion in ${pauses.join(', ')} ms.`);

  const last = set.dialogs.map(({ id, users }) => new Writer(users[0]!, [id], urls, random, `last ${id}`));
  for (const [nth, writer] of last.entries()) await writer.send(set.dialogs[nth]!.id);
  const notified = await notifiedEvents(set.since);
  await until(() => listeners.every((one) => hasReceivedAll(one, notified, set)));
  for (const listener of listeners) listener.stop();
  await Promise.all(listening);

  await expectStoredOnce([...writers, ...last].flatMap((writer) => writer.acknowledged));
  for (const listener of listeners) expectReceivedOnce(listener, expectedOf(listener, notified, set));
  expect(await findDifferences()).toEqual([]);
  expect(services.flatMap(({ output }) => faultsIn(output()))).toEqual([]);
});
