import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';

type Connection = pg.Client | pg.PoolClient;
type Migration = { name: string; sql: string; checksum: string };
type AppliedMigration = { migration_name: string; checksum: string; finished_at: Date | null };

/** The Prisma CLI's advisory lock, so that the two never migrate at the same time. */
const MIGRATION_LOCK = 72707369;

/** So that `prisma migrate status` and `deploy` work with it. */
const BOOKKEEPING = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`;

/**
 * Applies migrations in order of name. Several processes may call it at once; `onPending` is called by the one that
 * applies them.
 * @throws a migration fails, failed earlier, was modified after it was applied, or is unknown to this build
 */
export async function migrate(
  connection: Connection,
  directory: string | URL,
  onPending: (names: string[]) => void = () => {},
): Promise<string[]> {
  const migrations = await readMigrations(directory);

  await lock(connection);
  try {
    const pending = await listPending(connection, migrations);
    const names = pending.map(({ name }) => name);
    if (names.length > 0) onPending(names);
    for (const migration of pending) await apply(connection, migration);
    return names;
  } finally {
    await connection.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {});
  }
}

async function readMigrations(directory: string | URL): Promise<Migration[]> {
  const root = directory instanceof URL ? fileURLToPath(directory) : directory;
  const entries = await readdir(root, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);

  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(root, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** Polls, because the snapshot of a waiting query would block CREATE INDEX CONCURRENTLY. */
async function lock(connection: Connection): Promise<void> {
  for (;;) {
    const sql = 'SELECT pg_try_advisory_lock($1) AS locked';
    const { rows } = await connection.query<{ locked: boolean }>(sql, [MIGRATION_LOCK]);
    if (rows[0]?.locked) return;
    await sleep(50);
  }
}

async function listPending(connection: Connection, migrations: Migration[]): Promise<Migration[]> {
  await connection.query(BOOKKEEPING);
  const { rows } = await connection.query<AppliedMigration>(
    'SELECT migration_name, checksum, finished_at FROM "_prisma_migrations" WHERE rolled_back_at IS NULL',
  );
  const known = new Map(migrations.map((migration) => [migration.name, migration]));

  for (const { migration_name: name, checksum, finished_at } of rows) {
    const migration = known.get(name);
    if (!migration) {
      throw new Error(`The database is newer than this build: it has the migration ${name}, which this build lacks`);
    }
    if (!finished_at) {
      const remedy = `npm run prisma -- migrate resolve --rolled-back ${name}`;
      throw new Error(`The migration ${name} failed earlier; repair its partial changes, then run: ${remedy}`);
    }
    if (checksum !== migration.checksum) {
      throw new Error(`The migration ${name} was changed after it had been applied to this database`);
    }
  }

  const applied = new Set(rows.map((row) => row.migration_name));
  return migrations.filter(({ name }) => !applied.has(name));
}

/** Without parameters PostgreSQL runs the text as a script, in one transaction unless the script contains its own. */
async function apply(connection: Connection, { name, sql, checksum }: Migration): Promise<void> {
  const id = randomUUID();
  const begin = 'INSERT INTO "_prisma_migrations" (id, checksum, migration_name) VALUES ($1, $2, $3)';
  const fail = 'UPDATE "_prisma_migrations" SET logs = $2 WHERE id = $1';
  const finish = 'UPDATE "_prisma_migrations" SET finished_at = now(), applied_steps_count = 1 WHERE id = $1';

  await connection.query(begin, [id, checksum, name]);
  try {
    await connection.query(sql);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // A script with its own BEGIN leaves its failed transaction open.
    await connection.query('ROLLBACK').catch(() => {});
    await connection.query(fail, [id, reason]).catch(() => {});
    throw new Error(`The migration ${name} failed: ${reason}`, { cause: error });
  }
  await connection.query(finish, [id]);
}
