import { setTimeout as pause } from 'node:timers/promises';
import { type Config, MAX_DATABASES } from '../config.ts';
import { assignIdentities } from '../db/identity.ts';
import { query } from '../db/query.ts';
import { onEachShard } from '../db/shards.ts';
import { openServer } from './database-server.ts';

/** Those among which applications are divided. @returns their number */
export async function setUpDatabases(config: Config): Promise<number> {
  const { direct, others, stop } = await openServer(config, { mayCreate: false, checksIdentity: false });
  try {
    await assignIdentities([direct, ...others], MAX_DATABASES);
  } finally {
    await stop();
  }
  return others.length + 1;
}

/** `database`: its number, from 0. `connections`: of all processes, and of the command itself. */
export const DATABASE_STATUS = [
  'database',
  'applications',
  'users',
  'postgresVersion',
  'bytes',
  'connections',
  'transactionsPerSecond',
] as const;

export type DatabaseStatus = Record<(typeof DATABASE_STATUS)[number], number | string>;

/** PostgreSQL publishes its counters once per second. */
const SAMPLE_SECONDS = 3;

export function listDatabases(): Promise<DatabaseStatus[]> {
  return onEachShard(async ({ number: database }) => {
    const before = await transactionCount();
    await pause(SAMPLE_SECONDS * 1000);
    const transactions = (await transactionCount()) - before;
    const [row] = await query<{ applications: number; users: number; postgresVersion: string; bytes: string }>`
      SELECT count(*)::int AS applications, coalesce(sum(user_count), 0)::int AS users,
        current_setting('server_version') AS "postgresVersion", pg_database_size(current_database())::text AS bytes
      FROM applications`;
    const [load] = await query<{ connections: number }>`
      SELECT numbackends AS connections FROM pg_stat_database WHERE datname = current_database()`;
    const { bytes, ...status } = row!;
    const transactionsPerSecond = Math.round(transactions / SAMPLE_SECONDS);
    return { database, ...status, bytes: Number(bytes), ...load!, transactionsPerSecond };
  });
}

async function transactionCount(): Promise<number> {
  const [row] = await query<{ count: string }>`
    SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()`;
  return Number(row!.count);
}
