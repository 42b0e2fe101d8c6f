import { onTestFinished } from 'vitest';
import { createDatabase } from '../app/database.ts';
import { ownConnection, sql } from '../app/sql.ts';

/** A database without timeouts, so that blocked statements wait until they are released, even on slow machines. */
export async function databaseThatHangs() {
  const { config, drop } = await createDatabase();
  return { config: { ...config, options: '-c TimeZone=UTC -c lock_timeout=0', statement_timeout: 0 }, drop };
}

/** Holds the locks of a statement until the test ends or releases them. */
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

export async function lockWaiters(): Promise<number> {
  const [row] = await sql<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row!.count;
}
