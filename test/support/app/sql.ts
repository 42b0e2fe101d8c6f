import pg from 'pg';
import { running } from './app.ts';

/** One statement on a connection of its own, past everything the service knows. */
export async function sql<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = await ownConnection();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** How many rows each table has. */
export async function rowCounts(): Promise<Record<string, number>> {
  const tables = await sql<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
  );
  const counts = tables.map(({ name }) => `(SELECT count(*)::int FROM "${name}") AS "${name}"`);
  const [row] = await sql<Record<string, number>>(`SELECT ${counts.join(', ')}`);
  return row!;
}

/** Of `pg_locks`, which shows those of every database: tables of two have the same numbers where one is a copy. */
export const LOCKED_HERE = 'database = (SELECT oid FROM pg_database WHERE datname = current_database())';

/** A connection that the test ends itself; for transactions that stay open for a while. */
export async function ownConnection(): Promise<pg.Client> {
  const client = new pg.Client(running.database.config);
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** What runs by itself beside the requests: stored moments of sessions, notifications, readers of the stream, pushes. */
const BACKGROUND =
  /touched AS MATERIALIZED|pg_notify|FROM events_outbox|pg_snapshot_xmin|pg_current_xact_id|pgboss|push_cursor|push_deliveries|due_at/;

/** The statements that an action makes the service send to the database, without those of its background work. */
export async function statementsOf(action: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function spied(this: pg.Client, ...args: unknown[]) {
    const [statement] = args;
    const text = typeof statement === 'string' ? statement : ((statement as { text?: string } | null)?.text ?? '');
    if (!BACKGROUND.test(text)) sent.push(text);
    return (query as (...all: unknown[]) => unknown).apply(this, args);
  } as typeof query;
  try {
    await action();
  } finally {
    pg.Client.prototype.query = query;
  }
  return sent;
}

/**
 * Does an action while another transaction holds a user's row, which changes it as soon as the action waits for it,
 * or is done without waiting.
 */
export function whileUserIsLocked<Result>(
  userId: number,
  change: string,
  action: () => Promise<Result>,
): Promise<Result> {
  return whileLocked('SELECT FROM users WHERE id = $1 FOR UPDATE', userId, change, action);
}

/** The same with a dialog's row. */
export function whileDialogIsLocked<Result>(
  dialogId: string,
  change: string,
  action: () => Promise<Result>,
): Promise<Result> {
  return whileLocked('SELECT FROM dialogs WHERE id = $1 FOR UPDATE', dialogId, change, action);
}

/** The same with whatever rows a statement holds; both statements are about `$1`. */
export async function whileLocked<Result>(
  hold: string,
  id: number | string,
  change: string,
  action: () => Promise<Result>,
): Promise<Result> {
  const holder = await ownConnection();
  try {
    await holder.query('BEGIN');
    await holder.query(hold, [id]);
    let isDone = false;
    const acting = action().finally(() => {
      isDone = true;
    });
    acting.catch(() => {});
    while (!isDone && !(await isSomebodyWaiting())) await new Promise((resolve) => setTimeout(resolve, 10));
    await holder.query(change, [id]);
    await holder.query('COMMIT');
    return await acting;
  } finally {
    await holder.end();
  }
}

async function isSomebodyWaiting(): Promise<boolean> {
  const waiting = await sql<{ query: string }>(
    "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return waiting.some(({ query }) => !BACKGROUND.test(query));
}
