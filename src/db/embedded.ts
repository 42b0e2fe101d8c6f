import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openCluster } from './embedded/cluster.ts';
import { joinServer, leaveServer, type Server } from './embedded/server.ts';

export type EmbeddedPostgres = {
  /** For a `pg.Pool` or `pg.Client`; holds for as long as this object is in use, also when the server was restarted. */
  config: { host: string; port: number; user: string; database: string; ssl: false };
  /** The same as one string, for the Prisma CLI among others. */
  url: string;
  /** Whether the server ran already. */
  adopted: boolean;
  /** The process that runs now; another one after a restart. */
  readonly pid: number;
  /** Leaves the server, and stops it unless another process still uses it. Later calls wait for the first. */
  stop(): Promise<void>;
};

type Options = {
  /** The folder of the cluster; made when absent. */
  dataDir: string;
  /** Made when absent. */
  database?: string;
  /** More arguments for `postgres`; without effect on a server that runs already. */
  flags?: string[];
};

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

/**
 * Starts a PostgreSQL of our own, which needs nothing but the npm package with its binaries and listens on a Unix socket
 * that only its owner can open. Any number of processes may share the folder: they use one server, which the last of
 * them to leave stops. A killed process leaves the server running for the next one.
 *
 * When the server dies while it is in use, it is started again, over and over with growing pauses: pools with `config`
 * recover by themselves, only the queries under way fail.
 */
export async function startEmbedded({ dataDir, database = 'app', flags = [] }: Options): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(resolve(dataDir));
  const stopping = new AbortController();

  let server = await joinServer(cluster, flags, stopping.signal);
  let recovery: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;

  function watch({ connection }: Server): void {
    connection.once('end', () => {
      if (!stopping.signal.aborted) recovery = recover();
    });
  }

  async function recover(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !stopping.signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        server = await joinServer(cluster, flags, stopping.signal);
        watch(server);
        return;
      } catch {
        // The log in the cluster's folder says why; the queries of the service fail meanwhile.
        await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
  }

  async function stop(): Promise<void> {
    stopping.abort();
    await recovery;
    await leaveServer(cluster, server);
  }

  watch(server);
  try {
    await createDatabase(server.connection, database);
  } catch (error) {
    await stop();
    throw error;
  }

  const { host, port, adopted } = server;
  return {
    config: { host, port, user: 'postgres', database, ssl: false },
    url: connectionUrl(host, port, database),
    adopted,
    get pid() {
      return server.pid;
    },
    stop: () => (stopped ??= stop()),
  };
}

async function createDatabase(connection: pg.Client, name: string): Promise<void> {
  const { rowCount } = await connection.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  if (rowCount) return;
  try {
    await connection.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
  } catch (error) {
    // Another process was faster: PostgreSQL notices that at one of two places.
    const isDuplicate = error instanceof pg.DatabaseError && ['42P04', '23505'].includes(error.code ?? '');
    if (!isDuplicate) throw error;
  }
}

function connectionUrl(host: string, port: number, database: string): string {
  const name = encodeURIComponent(database);
  if (process.platform === 'win32') return `postgresql://postgres@${host}:${port}/${name}?sslmode=disable`;
  return `postgresql://postgres@localhost:${port}/${name}?host=${encodeURIComponent(host)}&sslmode=disable`;
}
