import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openCluster } from './embedded/cluster.ts';
import { joinServer, leaveServer, type Server } from './embedded/server.ts';

export type EmbeddedPostgres = {
  /** Remains valid when the server restarts. */
  config: { host: string; port: number; user: string; database: string; ssl: false };
  url: string;
  adopted: boolean;
  readonly pid: number;
  /** Later calls wait for the first. */
  stop(): Promise<void>;
};

type Options = {
  dataDir: string;
  database?: string;
  /** Ignored if the server is already running. */
  flags?: string[];
};

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

/**
 * Listens on a Unix socket that only its owner can open (Windows: on the loopback interface). Processes that share the
 * folder share one server, which the last of them stops; a killed process leaves it running. A server that dies while
 * in use is restarted, with growing pauses. Pools with `config` recover; only queries in flight fail.
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
    // Another process created it first: duplicate_database or unique_violation.
    const isDuplicate = error instanceof pg.DatabaseError && ['42P04', '23505'].includes(error.code ?? '');
    if (!isDuplicate) throw error;
  }
}

function connectionUrl(host: string, port: number, database: string): string {
  const name = encodeURIComponent(database);
  if (process.platform === 'win32') return `postgresql://postgres@${host}:${port}/${name}?sslmode=disable`;
  return `postgresql://postgres@localhost:${port}/${name}?host=${encodeURIComponent(host)}&sslmode=disable`;
}
