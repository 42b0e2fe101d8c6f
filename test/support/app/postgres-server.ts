import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../../../src/db/embedded.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { until } from '../clients/websocket.ts';
import type { TestDatabase } from './database.ts';
import { createDataDir } from './service.ts';

/** A separate PostgreSQL server, which a test may stop and kill. */
export interface OwnDatabase extends TestDatabase {
  /** Remains valid across restarts. */
  url: string;
  /** Fast shutdown, which cuts all connections; the server is down until `start`. */
  stop: () => Promise<void>;
  start: () => Promise<void>;
  /** The processes of the server neither answer nor end. @returns a function that lets them continue */
  freeze: () => () => void;
  /** kill -9; the server restarts automatically. */
  crash: () => Promise<void>;
}

/** @param place folder of the data, which is removed with the server */
export async function startOwnDatabase(place?: Awaited<ReturnType<typeof createDataDir>>): Promise<OwnDatabase> {
  const folder = place ?? (await createDataDir());
  // fsync is unnecessary, because only the server crashes, not the machine.
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
    freeze: () => {
      const processes = processesOf(postgres.pid);
      for (const pid of processes) process.kill(pid, 'SIGSTOP');
      return () => {
        for (const pid of processes) process.kill(pid, 'SIGCONT');
      };
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

/** The server and its children. */
function processesOf(pid: number): number[] {
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return [pid, ...children.trim().split(/\s+/).map(Number)];
}
