import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const root = fileURLToPath(new URL('../..', import.meta.url));
const createDogs = 'CREATE TABLE "Dog" ("id" INTEGER NOT NULL, CONSTRAINT "Dog_pkey" PRIMARY KEY ("id"));\n';
const nameDogs = 'ALTER TABLE "Dog" ADD COLUMN "name" TEXT NOT NULL;\n';

let folder: string;
let postgres: EmbeddedPostgres;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'atrium-migrate-'));
  // PostgreSQL refuses to run as root.
  chmodSync(folder, 0o755);
  postgres = await startEmbedded({ dataDir: join(folder, 'postgres'), flags: ['-c', 'fsync=off'] });
});

afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('pending migrations are applied in order of name, each once', async () => {
  const database = await createDatabase();
  const migrations = writeMigrations({ '2_name': nameDogs, '1_dogs': createDogs });

  expect(await database.migrate(migrations)).toEqual(['1_dogs', '2_name']);
  expect(await database.migrate(pathToFileURL(`${migrations}/`))).toEqual([]);
  await database.query(`INSERT INTO "Dog" VALUES (1, 'Rex')`);
});

test('when several processes migrate at once, one applies and the others wait', async () => {
  const database = await createDatabase();
  // CREATE INDEX CONCURRENTLY waits for all transactions: it would deadlock if the others waited inside a query.
  const index = 'CREATE INDEX CONCURRENTLY "Dog_name" ON "Dog" ("name");';
  const migrations = writeMigrations({ '1_dogs': createDogs, '2_name': nameDogs, '3_index': index });

  const applied = await Promise.all(Array.from({ length: 5 }, () => database.migrate(migrations)));
  expect(applied.flat()).toEqual(['1_dogs', '2_name', '3_index']);
});

test('startup refuses a database whose applied migration has changed since', async () => {
  const database = await createDatabase();
  await database.migrate(writeMigrations({ '1_dogs': createDogs }));

  const edited = writeMigrations({ '1_dogs': `-- edited\n${createDogs}` });
  await expect(database.migrate(edited)).rejects.toThrow('1_dogs was changed after it had been applied');
});

test('startup refuses a database with a migration that this build does not know', async () => {
  const database = await createDatabase();
  await database.migrate(writeMigrations({ '1_dogs': createDogs, '2_name': nameDogs }));

  const older = writeMigrations({ '1_dogs': createDogs });
  await expect(database.migrate(older)).rejects.toThrow('The database is newer than this build');
});

test('a failed migration leaves only its record and blocks later ones until it is resolved', async () => {
  const database = await createDatabase();
  const migrations = writeMigrations({ '1_dogs': `${createDogs} SELECT 1 / 0;`, '2_name': nameDogs });

  await expect(database.migrate(migrations)).rejects.toThrow('1_dogs failed: division by zero');
  await expect(database.migrate(migrations)).rejects.toThrow('1_dogs failed earlier');
  await expect(database.query('SELECT * FROM "Dog"')).rejects.toThrow('does not exist');

  await database.prisma(migrations, 'migrate', 'resolve', '--rolled-back', '1_dogs');
  writeFileSync(join(migrations, '1_dogs', 'migration.sql'), createDogs);
  expect(await database.migrate(migrations)).toEqual(['1_dogs', '2_name']);
});

test('a script that fails inside its own transaction is recorded with its error', async () => {
  const database = await createDatabase();
  const migrations = writeMigrations({ '1_own': 'BEGIN; SELECT 1 / 0; COMMIT;' });

  await expect(database.migrate(migrations)).rejects.toThrow('1_own failed: division by zero');
  const { rows } = await database.query('SELECT logs, finished_at FROM "_prisma_migrations"');
  expect(rows).toEqual([{ logs: 'division by zero', finished_at: null }]);
});

test('the Prisma CLI and the service agree on which migrations are applied', async () => {
  const database = await createDatabase();
  const migrations = writeMigrations({ '1_dogs': createDogs });
  await database.migrate(migrations);
  expect(await database.prisma(migrations, 'migrate', 'status')).toContain('Database schema is up to date');

  addMigration(migrations, '2_name', nameDogs);
  expect(await database.prisma(migrations, 'migrate', 'deploy')).toContain('2_name');
  expect(await database.migrate(migrations)).toEqual([]);
});

describe('the migration that partitions the outbox', () => {
  const migrations = join(root, 'prisma/migrations');
  const partitioning = '20261127200000_partitioned_outbox';
  const append = `INSERT INTO events_outbox (application_id, kind, subject_id, created_at)
    SELECT 1, 'messageSent', n, now() FROM generate_series(1, 1000) n`;

  async function databaseBefore() {
    const database = await createDatabase();
    const earlier = mkdtempSync(join(folder, 'earlier-'));
    for (const name of readdirSync(migrations).filter((name) => name < partitioning)) {
      cpSync(join(migrations, name), join(earlier, name), { recursive: true });
    }
    await database.migrate(earlier);
    await database.query(append);
    await database.query('DELETE FROM events_outbox WHERE position < 100 OR position = 500');
    return database;
  }

  const stored = async (database: Database) =>
    (await database.query('SELECT position, subject_id, created_at FROM events_outbox ORDER BY position')).rows;
  const file = async (database: Database, table: string) =>
    (await database.query(`SELECT pg_relation_filenode('${table}') AS number`)).rows[0].number;

  test('keeps all rows, their positions and their file, and continues the positions', async () => {
    const database = await databaseBefore();
    const [rows, number] = [await stored(database), await file(database, 'events_outbox')];
    await database.migrate(migrations);
    expect(await stored(database)).toEqual(rows);
    expect(await file(database, 'outbox.events_0')).toBe(number);
    await database.query(append);
    const { rows: ends } = await database.query(`
      SELECT min(position)::int AS first, max(position)::int AS last FROM events_outbox WHERE position > 1000`);
    expect(ends).toEqual([{ first: 1001, last: 2000 }]);
  });

  test('lets others write while it waits for a long transaction', async () => {
    const database = await databaseBefore();
    const long = await database.connect();
    await long.query('BEGIN');
    await long.query('SELECT count(*) FROM events_outbox');
    const migrated = database.migrate(migrations);
    const isWaiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
    await vi.waitUntil(async () => (await database.query(isWaiting)).rows.length > 0, { timeout: 60_000 });
    await database.query(append);
    await long.query('COMMIT');
    await long.end();
    await migrated;
    expect(await stored(database)).toHaveLength(1000 - 100 + 1000);
  });

  test('can be repeated when it was interrupted', async () => {
    const database = await databaseBefore();
    const script = readFileSync(join(migrations, partitioning, 'migration.sql'), 'utf8');
    const steps = script.split(/(?<=^COMMIT;\n)/m);
    for (let done = 1; done < steps.length - 1; done++) await database.query(steps.slice(0, done).join(''));
    await database.migrate(migrations);
    expect(await stored(database)).toHaveLength(1000 - 100);
  });
});

type Database = Awaited<ReturnType<typeof createDatabase>>;

async function createDatabase() {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
  await connected('postgres', (client) => client.query(`CREATE DATABASE ${name}`));
  const url = postgres.url.replace('/app?', `/${name}?`);

  return {
    migrate: (migrations: string | URL) => connected(name, (client) => migrate(client, migrations)),
    connect: () => connectTo(name),
    query: (sql: string) => connected(name, (client) => client.query(sql)),
    prisma: (migrations: string, ...args: string[]) => runPrisma(migrations, url, args),
  };
}

async function connectTo(database: string): Promise<pg.Client> {
  const client = new pg.Client({ ...postgres.config, database });
  await client.connect();
  return client;
}

async function connected<Result>(database: string, run: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = await connectTo(database);
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

function writeMigrations(scripts: Record<string, string>): string {
  const directory = join(mkdtempSync(join(folder, 'prisma-')), 'migrations');
  for (const [name, sql] of Object.entries(scripts)) addMigration(directory, name, sql);
  return directory;
}

function addMigration(directory: string, name: string, sql: string): void {
  mkdirSync(join(directory, name), { recursive: true });
  writeFileSync(join(directory, name, 'migration.sql'), sql);
}

async function runPrisma(migrations: string, url: string, args: string[]): Promise<string> {
  const project = join(migrations, '..');
  writeFileSync(join(project, 'schema.prisma'), 'datasource db {\n  provider = "postgresql"\n}\n');
  writeFileSync(join(migrations, 'migration_lock.toml'), 'provider = "postgresql"\n');
  const paths = { schema: join(project, 'schema.prisma'), migrations: { path: migrations } };
  const config = JSON.stringify({ ...paths, datasource: { url } });
  writeFileSync(join(project, 'prisma.config.ts'), `export default ${config};\n`);

  const command = [join(root, 'scripts/prisma.mjs'), ...args, '--config', join(project, 'prisma.config.ts')];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root });
  return stdout;
}
