import pg from 'pg';
import { onTestFinished } from 'vitest';

const NAME = 'the process that waits';

/** Holds what a statement locks until it is released, or the test ends; a process with its `env` is known by its name. */
export async function lockRows(database: pg.ClientConfig, statement: string) {
  // What a transaction sees of others stays as it was at its first look.
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
    /** Whether the process waits for it. */
    isWaitedFor: async () => (await count(`wait_event_type = 'Lock'`)) > 0,
    /** Whether the process has no connection. */
    isLeft: async () => (await count('true')) === 0,
    release: () => holder.query('ROLLBACK'),
    /** Asks beside it. */
    query: (text: string) => watch.query(text),
  };
}
