import { onTestFinished } from 'vitest';
import { createDatabase } from '../app/database.ts';
import { ownConnection, sql } from '../app/sql.ts';

/** A database where what hangs does so until it is released, however slow the machine is. */
export async function databaseThatHangs() {
  const { config, drop } = await createDatabase();
  return { config: { ...config, options: '-c TimeZone=UTC -c lock_timeout=0', statement_timeout: 0 }, drop };
}

/** Locks what a statement locks until the test ends or releases it. */
export async function lock(statement: string): Promise<() => Promise<void>> {
  const connection = await ownConnection();
  await connection.query('BEGIN');
  await connection.query(statement);
  let isHeld = true;
  const release = async () => {
    if (isHeld) await connection.end();
    isHeld = false;
  };
  onTestFinished(release);
  return release;
}

/** Connections of the service that wait for a lock. */
export async function lockWaiters(): Promise<number> {
  const [row] = await sql<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row!.count;
}
