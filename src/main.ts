import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { type Logger, pino } from 'pino';
import { type App, createApp } from './app.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { connectDatabase, db } from './db/client.ts';
import { startEmbedded } from './db/embedded.ts';
import { migrate } from './db/migrate.ts';
import { bootstrapApplication } from './resolvers/applications.ts';

const MIGRATIONS = new URL('../prisma/migrations', import.meta.url);

interface Database {
  config: pg.PoolConfig;
  stop: () => Promise<void>;
}

try {
  await main(readConfig());
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`atrium: ${error instanceof ConfigError ? '' : 'could not start: '}${message}\n`);
  process.exit(1);
}

async function main(config: Config): Promise<void> {
  const log = pino({ level: config.logLevel });
  const database = await openDatabase(config);
  let app: App;
  try {
    await migrateDatabase(database.config);
    await connectDatabase(database.config);
    await bootstrap(config);
    app = await createApp({ config, database: database.config, now: () => new Date(), log });
  } catch (error) {
    await database.stop();
    throw error;
  }
  stopOnSignal(app, database, log);
  process.stdout.write(`atrium is ready at ${app.services.publicUrl()}\n`);
}

async function openDatabase({ databaseUrl, dataDir }: Config): Promise<Database> {
  if (databaseUrl) return { config: { connectionString: databaseUrl }, stop: async () => {} };
  await mkdir(dataDir, { recursive: true });
  return startEmbedded({ dataDir: join(dataDir, 'postgres'), database: 'atrium' });
}

async function migrateDatabase(config: pg.PoolConfig): Promise<void> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    await migrate(client, MIGRATIONS);
  } finally {
    await client.end();
  }
}

/** The first application of an empty database; its secrets are printed and written down this once. */
async function bootstrap({ bootstrap, dataDir }: Config): Promise<void> {
  const { applicationId: id, ...secrets } = bootstrap;
  const credentials = await bootstrapApplication({ id, name: 'first', ...secrets }, new Date());
  if (!credentials) return;
  const file = join(dataDir, 'credentials.json');
  await mkdir(dataDir, { recursive: true });
  await writeFile(file, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  process.stdout.write(
    `first application (also in ${file}):\n` +
      Object.entries(credentials)
        .map(([name, value]) => `  ${name}: ${value}\n`)
        .join(''),
  );
}

function stopOnSignal(app: App, database: Database, log: Logger): void {
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    log.info('stopping');
    try {
      await app.stop();
      await db.$disconnect();
      await database.stop();
      process.exit(0);
    } catch (error) {
      log.error({ err: error }, 'could not stop in good order');
      process.exit(1);
    }
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
