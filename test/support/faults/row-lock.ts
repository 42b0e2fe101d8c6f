import pg from 'pg';
import { onTestFinished } from 'vitest';

const NAME = 'the process that waits';

/**
 * Holds the locks of a statement until they are released or the test ends. Processes with `env` are identified by their
 * application name.
 */
export async function lockRows(database: pg.ClientConfig, statement: string) {
  // A transaction sees a fixed snapshot of `pg_stat_activity`, so a second connection watches it.
  const [holder, watch] = [new pg.Client(database), new pg.Client(database)];
  for (const client of [holder, watch]) {
    await client.connect();
    onTestFinished(() => client.end());
  }
  await holder.query('BEGIN');
  await holder.query(statement);
  const count = async (condition: string) => {
    const { rows } = await watch.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1 AND ${condition}`,
      [NAME],
    );
    return rows.length;
  };
  return {
    env: { PGAPPNAME: NAME },
    /** Whether a process with `env` waits for a lock. */
    isWaitedFor: async () => (await count(`wait_event_type = 'Lock'`)) > 0,
    /** Whether no process with `env` is connected. */
    isLeft: async () => (await count('true')) === 0,
    release: () => holder.query('ROLLBACK'),
    query: (text: string) => watch.query(text),
  };
}
