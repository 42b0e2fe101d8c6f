import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { missingForPatroni, type PatroniCluster, startPatroni } from '../../support/app/patroni.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { pause } from '../../support/fixtures/random.ts';
import { underLoad } from './load.ts';

if (missingForPatroni.length > 0) {
  const names = missingForPatroni.join(', ');
  console.info(`Not installed: ${names}. Patroni and HAProxy as in docs/operations.md are not tested.`);
}

/** Deaths of the primary; for more use `FAILOVER_ROUNDS=50 npx vitest run test/proof/chaos/patroni.test.ts`. */
const ROUNDS = Number(process.env.FAILOVER_ROUNDS ?? 2);
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);
const TIMEOUT_MS = 600_000;
/** From a promotion until messages are acknowledged again. */
const MAX_PAUSE_MS = 2_000;

let cluster: PatroniCluster;
let folder: Awaited<ReturnType<typeof createDataDir>>;
let services: Service[];

describe.skipIf(missingForPatroni.length > 0)('Patroni and HAProxy as in docs/operations.md', () => {
  useApp({
    database: async () => {
      cluster = await startPatroni();
      return cluster;
    },
  });

  beforeAll(async () => {
    folder = await createDataDir();
    const settings = { DATABASE_URL: cluster.url };
    services = await Promise.all([startService(folder.dataDir, settings), startService(folder.dataDir, settings)]);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await Promise.all(services.map((service) => service.kill()));
    await folder.remove();
  }, TIMEOUT_MS);

  test(`${ROUNDS} times the primary is killed, then it is switched over, and nothing acknowledged is lost or doubled`, {
    timeout: ROUNDS * 120_000 + TIMEOUT_MS,
  }, async ({ onTestFailed }) => {
    onTestFailed(() => console.error(`The Patroni test failed with CHAOS_SEED=${SEED}.`));
    await underLoad(services, SEED, async ({ random, isOver, nextAcknowledged, repeatOnce }) => {
      const pauses: number[] = [];
      for (let round = 0; round < ROUNDS && !isOver(); round++) {
        await pause(random.between(300, 1_500));
        await cluster.killPrimary(round % 2 ? 'server' : 'postgres');
        pauses.push(await nextAcknowledged());
        await cluster.restore();
      }
      console.info(`Messages are acknowledged again after a promotion in ${pauses.join(', ')} ms.`);
      expect(Math.max(...pauses)).toBeLessThan(MAX_PAUSE_MS);

      // A request that began before the last promotion may still fail.
      await nextAcknowledged();
      repeatOnce();
      for (let round = 0; round < ROUNDS && !isOver(); round++) {
        await cluster.switchOver();
        await nextAcknowledged();
        await cluster.restore();
      }
    });
  });
});
