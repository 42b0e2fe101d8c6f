import { afterAll, beforeAll, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { type PostgresPair, startPostgresPair } from '../../support/app/postgres-pair.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { pause } from '../../support/fixtures/random.ts';
import { underLoad } from './load.ts';

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
  await underLoad(services, SEED, async ({ random, isOver, nextAcknowledged }) => {
    const pauses: number[] = [];
    for (let round = 0; round < ROUNDS && !isOver(); round++) {
      await pause(random.between(300, 1_500));
      await pair.failOver();
      pauses.push(await nextAcknowledged());
      await pair.addStandby();
    }
    console.info(`Messages are acknowledged again after a promotion in ${pauses.join(', ')} ms.`);
  });
});
