import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { type Config, ConfigError } from '../config.ts';
import { connectDatabase, db } from '../db/client.ts';
import { startEmbedded } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { Encrypter } from './encryption/encrypter.ts';
import { readKeyFile } from './encryption/key-file.ts';

const OLDEST_POSTGRES = 15;
/** PostgreSQL's default, for one process and the CLI. */
const CONNECTIONS = 100;
const CONNECTIONS_PER_WORKER = 20;
const connectionsOf = (workers: number) => CONNECTIONS + (workers - 1) * CONNECTIONS_PER_WORKER;

const MIGRATIONS = new URL('prisma/migrations', PROJECT_ROOT);

type DatabaseSettings = Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'dataDir' | 'workers'>;

export interface Database {
  config: pg.PoolConfig;
  /** A pooler may not provide a database session of its own. */
  direct: pg.ClientConfig;
  /** The embedded server stops with the last process that uses it. */
  stop: () => Promise<void>;
}

export interface OpenOptions {
  /** False: fails if `DATA_DIR` has no database. Default: true. */
  mayCreate?: boolean;
  /** Called before steps that can take seconds. Default: writes to the standard error output. */
  onProgress?: (text: string) => void;
}

export async function openDatabase(config: DatabaseSettings, options: OpenOptions = {}): Promise<Database> {
  const { mayCreate = true, onProgress = (text) => process.stderr.write(`atrium: ${text}\n`) } = options;
  if (!mayCreate) requireDatabase(config);
  const { config: database, direct, stop } = await findDatabase(config, onProgress);
  try {
    await connectDatabase(database);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    config: database,
    direct,
    async stop() {
      await db.$disconnect();
      await stop();
    },
  };
}

/** The first process creates the key file in `DATA_DIR`. */
export async function createEncrypter({ encryptionKey, dataDir }: Pick<Config, 'encryptionKey' | 'dataDir'>) {
  return new Encrypter(encryptionKey ?? (await readKeyFile(dataDir).catch(naming('ENCRYPTION_KEY, DATA_DIR'))));
}

/** Names the variables that caused an error; with `syscalls`, only if one of these calls failed. */
export function naming(variables: string, syscalls?: string[]) {
  return (error: Error & { syscall?: string }): never => {
    if (syscalls && !syscalls.includes(error.syscall ?? '')) throw error;
    throw new ConfigError(`${variables}: ${error.message}`);
  };
}

const folderOf = (dataDir: string) => join(dataDir, 'postgres');

function requireDatabase({ databaseUrl, dataDir }: DatabaseSettings): void {
  if (databaseUrl || existsSync(folderOf(dataDir))) return;
  throw new ConfigError(`DATA_DIR: there is no database in ${dataDir}; \`app create\` and \`import\` create one`);
}

async function findDatabase(
  { databaseUrl, databaseDirectUrl, dataDir, workers }: DatabaseSettings,
  onProgress: (text: string) => void,
): Promise<Database> {
  if (databaseUrl) {
    const direct = { connectionString: databaseDirectUrl ?? databaseUrl };
    await prepare(direct, onProgress).catch(naming(databaseDirectUrl ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL'));
    return { config: { connectionString: databaseUrl }, direct, stop: async () => {} };
  }
  await mkdir(dataDir, { recursive: true }).catch(naming('DATA_DIR'));
  const folder = folderOf(dataDir);
  if (!existsSync(folder)) onProgress(`creating a database in ${dataDir}`);
  const flags = ['-c', `max_connections=${connectionsOf(workers)}`];
  const embedded = await startEmbedded({ dataDir: folder, database: 'atrium', flags });
  try {
    await prepare(embedded.config, onProgress);
    return { config: embedded.config, direct: embedded.config, stop: () => embedded.stop() };
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

async function prepare(config: pg.ClientConfig, onProgress: (text: string) => void): Promise<void> {
  const client = new pg.Client(config);
  client.on('error', () => {}); // the query in flight reports it
  await client.connect();
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
