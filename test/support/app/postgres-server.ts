import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../../../src/db/embedded.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { until } from '../clients/websocket.ts';
import type { TestDatabase } from './database.ts';
import { createDataDir } from './service.ts';

/** A PostgreSQL server of a test's own, which it may stop and kill. */
export interface OwnDatabase extends TestDatabase {
  /** For `DATABASE_URL`; holds across restarts. */
  url: string;
  /** Shuts it down the fast way, which cuts all connections; it stays away until `start`. */
  stop: () => Promise<void>;
  start: () => Promise<void>;
  /** kill -9; it comes back by itself. */
  crash: () => Promise<void>;
}

/** @param place where its data lies; taken away with it */
export async function startOwnDatabase(place?: Awaited<ReturnType<typeof createDataDir>>): Promise<OwnDatabase> {
  const folder = place ?? (await createDataDir());
  // Its data outlives a crash of the server, if not of the machine.
  const options = { dataDir: join(folder.dataDir, 'postgres'), database: 'atrium', flags: ['-c', 'fsync=off'] };
  let postgres = await startEmbedded(options);
  const client = new pg.Client(postgres.config);
  await client.connect();
  await migrate(client, new URL('../../../prisma/migrations', import.meta.url));
  await client.end();
  return {
    config: postgres.config,
    url: postgres.url,
    stop: () => postgres.stop(),
    start: async () => {
      postgres = await startEmbedded(options);
    },
    crash: async () => {
      const { pid } = postgres;
      process.kill(pid, 'SIGKILL');
      await until(() => postgres.pid !== pid);
    },
    drop: async () => {
      await postgres.stop();
      await folder.remove();
    },
  };
}
