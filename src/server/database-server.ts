import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { type Config, ConfigError, naming } from '../config.ts';
import { connectTo } from '../db/connection.ts';
import { startEmbedded } from '../db/embedded.ts';
import { isDatabaseUnavailable } from '../db/failures.ts';
import { requireIdentity } from '../db/identity.ts';
import { migrate } from '../db/migrate.ts';
import { SECOND } from '../lib/time.ts';
import { PROJECT_ROOT } from '../project-root.ts';

// Without the modules of Prisma, because the primary process of workers needs none of them, and a start loads them
// while the server starts.

const OLDEST_POSTGRES = 15;
/** PostgreSQL's default, for one process and the CLI. */
const CONNECTIONS = 100;
const CONNECTIONS_PER_WORKER = 20;
const connectionsOf = (workers: number) => CONNECTIONS + (workers - 1) * CONNECTIONS_PER_WORKER;

/** One database that hangs must not keep the service from serving the others. */
const CONNECT_TIMEOUT_MS = 5 * SECOND;

const MIGRATIONS = new URL('prisma/migrations', PROJECT_ROOT);

export type DatabaseSettings = Pick<
  Config,
  'databaseUrl' | 'databaseDirectUrl' | 'databaseShards' | 'dataDir' | 'workers'
>;

export interface Connections {
  config: pg.PoolConfig;
  /** A pooler may not provide a database session of its own. */
  direct: pg.ClientConfig;
  /** The further databases among which applications are divided; each provides sessions. */
  others: pg.ClientConfig[];
  /** Numbers of those that did not respond at the start. */
  away: number[];
}

export interface DatabaseServer extends Connections {
  /** The embedded server stops with the last process that uses it. */
  stop: () => Promise<void>;
}

export interface OpenOptions {
  /** False: fails if `DATA_DIR` has no database. Default: true. */
  mayCreate?: boolean;
  /** False: the databases may not be set up yet. Default: true. */
  checksIdentity?: boolean;
  /** Called before steps that can take seconds. Default: writes to the standard error output. */
  onProgress?: (text: string) => void;
}

/** A server of the operator or the embedded one, with all migrations. */
export async function openServer(config: DatabaseSettings, options: OpenOptions = {}): Promise<DatabaseServer> {
  const {
    mayCreate = true,
    checksIdentity = true,
    onProgress = (text) => process.stderr.write(`atrium: ${text}\n`),
  } = options;
  if (!mayCreate) requireDatabase(config);
  const { databaseUrl, databaseDirectUrl, databaseShards, dataDir, workers } = config;
  if (databaseUrl) {
    const direct = { connectionString: databaseDirectUrl ?? databaseUrl };
    await prepare(direct, onProgress).catch(naming(databaseDirectUrl ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL'));
    const others = databaseShards.map((connectionString) => ({
      connectionString,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    }));
    const connections = { config: { connectionString: databaseUrl }, direct, others };
    const away: number[] = [];
    for (const number of others.keys()) {
      const admitted = admit(connections, number + 1, { checksIdentity, onProgress });
      await admitted.catch((error) => {
        if (!checksIdentity || !isDatabaseUnavailable(error)) naming('DATABASE_SHARDS')(error);
        onProgress(`database ${number + 1} does not respond; its applications are unavailable: ${error.message}`);
        away.push(number + 1);
      });
    }
    if (checksIdentity) await requireIdentity([direct, ...others], 0).catch(naming('DATABASE_SHARDS'));
    return { ...connections, away, stop: async () => {} };
  }
  await mkdir(dataDir, { recursive: true }).catch(naming('DATA_DIR'));
  const folder = folderOf(dataDir);
  if (!existsSync(folder)) onProgress(`creating a database in ${dataDir}`);
  const flags = ['-c', `max_connections=${connectionsOf(workers)}`];
  const embedded = await startEmbedded({ dataDir: folder, database: 'atrium', flags });
  try {
    await prepare(embedded.config, onProgress);
    return { config: embedded.config, direct: embedded.config, others: [], away: [], stop: () => embedded.stop() };
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

/** Makes a further database ready for use. @throws it does not respond, or is not the database of this number */
export async function admit(
  { direct, others }: Pick<Connections, 'direct' | 'others'>,
  number: number,
  { checksIdentity = true, onProgress = () => {} }: Pick<OpenOptions, 'checksIdentity' | 'onProgress'> = {},
): Promise<void> {
  await prepare(others[number - 1]!, onProgress);
  if (checksIdentity) await requireIdentity([direct, ...others], number);
}

const folderOf = (dataDir: string) => join(dataDir, 'postgres');

function requireDatabase({ databaseUrl, dataDir }: DatabaseSettings): void {
  if (databaseUrl || existsSync(folderOf(dataDir))) return;
  throw new ConfigError(`DATA_DIR: there is no database in ${dataDir}; \`app create\` and \`import\` create one`);
}

async function prepare(config: pg.ClientConfig, onProgress: (text: string) => void): Promise<void> {
  const client = await connectTo(config);
  try {
    const { rows } = await client.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::int / 10000 AS version`,
    );
    const version = rows[0]!.version;
    if (version < OLDEST_POSTGRES)
      throw new Error(`PostgreSQL ${OLDEST_POSTGRES} or newer is required, but the server is version ${version}`);
    await migrate(client, MIGRATIONS, ({ length }) => onProgress(`applying ${length} migrations`));
  } finally {
    await client.end();
  }
}
