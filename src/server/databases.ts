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

/** `database`: its number, from 0. */
export const DATABASE_STATUS = ['database', 'applications', 'users', 'postgresVersion', 'bytes'] as const;

export type DatabaseStatus = Record<Exclude<(typeof DATABASE_STATUS)[number], 'postgresVersion'>, number> & {
  postgresVersion: string;
};

export function listDatabases(): Promise<DatabaseStatus[]> {
  return onEachShard(async ({ number: database }) => {
    const [row] = await query<Omit<DatabaseStatus, 'database' | 'bytes'> & { bytes: string }>`
      SELECT count(*)::int AS applications, coalesce(sum(user_count), 0)::int AS users,
        current_setting('server_version') AS "postgresVersion", pg_database_size(current_database())::text AS bytes
      FROM applications`;
    const { bytes, ...status } = row!;
    return { database, ...status, bytes: Number(bytes) };
  });
}
