import pg from 'pg';
import { createPool } from '../../../src/db/pool.ts';
import { isOfService } from '../../../src/db/shards.ts';
import { running } from './app.ts';
import { until } from './until.ts';

/** Beside the pool of the service; a dropped database closes its connections. */
const pools = new WeakMap<pg.ClientConfig, pg.Pool>();

export async function sql<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  const { database } = running;
  const config = isOfService(text) ? (database.shards?.[0] ?? database.config) : database.config;
  const pool = pools.get(config) ?? createPool({ ...config, idleTimeoutMillis: 0 });
  pools.set(config, pool);
  return (await pool.query<Row>(text, values)).rows;
}

export async function rowCounts(): Promise<Record<string, number>> {
  const tables = await sql<{ name: string }>(
    // The service writes to these tables after the response.
    `SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_name <> 'audit_chains' AND table_name NOT LIKE 'request\\_%' ORDER BY 1`,
  );
  const counts = tables.map(({ name }) => `(SELECT count(*)::int FROM "${name}") AS "${name}"`);
  const [row] = await sql<Record<string, number>>(`SELECT ${counts.join(', ')}`);
  return row!;
}

/** Condition of `pg_locks`, which lists all databases: cloned tables have equal ids. */
export const LOCKED_HERE = 'database = (SELECT oid FROM pg_database WHERE datname = current_database())';

export async function ownConnection(): Promise<pg.Client> {
  const client = new pg.Client(running.database.config);
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Statements of new connections, and of background work: session times, notifications, outbox readers, pushes, request log, jobs. */
const BACKGROUND =
  /follow_timeline|touched AS MATERIALIZED|pg_notify|FROM events_outbox|pg_snapshot_xmin|pg_current_xact_id|pgboss|push_cursor|push_deliveries|due_at|request_log|e\.seq IS NULL|FROM jobs j WHERE j\.state/;

/** Statements of transactions of background work, whose other statements look like those of any transaction. */
const BACKGROUND_TRANSACTION = /"audit_chains"|FROM audit_chains WHERE|SET seq = g\.seq/;

export async function statementsOf(action: () => Promise<unknown>): Promise<string[]> {
  const sent: { text: string; transaction: { isBackground: boolean } | undefined }[] = [];
  const transactions = new Map<pg.Client, { isBackground: boolean }>();
  const release = onStatement((text, client) => {
    if (text === 'BEGIN') transactions.set(client, { isBackground: false });
    let transaction = transactions.get(client);
    if (BACKGROUND_TRANSACTION.test(text)) {
      transaction ??= { isBackground: true }; // it began before the action
      transaction.isBackground = true;
      transactions.set(client, transaction);
    }
    if (!BACKGROUND.test(text)) sent.push({ text, transaction });
    if (text === 'COMMIT' || text === 'ROLLBACK') transactions.delete(client);
  });
  try {
    await action();
  } finally {
    release();
  }
  return sent.filter(({ transaction }) => !transaction?.isBackground).map(({ text }) => text);
}

/** Wakes the outbox until the service has read it, or the recipients of its rows, ten more times. */
export async function outboxReads(): Promise<void> {
  let reads = 0;
  const release = onStatement((text) => {
    if (/events_outbox|members/.test(text)) reads++;
  });
  await until(() => {
    running.app.services.outbox.wake();
    return reads >= 10;
  });
  release();
}

/** Calls back before each statement of this process is sent. @returns a function that ends this */
export function onStatement(notify: (text: string, client: pg.Client) => void): () => void {
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function spied(this: pg.Client, ...args: unknown[]) {
    const [statement] = args;
    notify(typeof statement === 'string' ? statement : ((statement as { text?: string } | null)?.text ?? ''), this);
    return (query as (...all: unknown[]) => unknown).apply(this, args);
  } as typeof query;
  return () => {
    pg.Client.prototype.query = query;
  };
}

/**
 * Runs an action while another transaction locks a user's row. That transaction applies `change` and commits once the
 * action waits for the lock or is done.
 */
export function whileUserIsLocked<Result>(
  userId: number,
  change: string,
  action: () => Promise<Result>,
): Promise<Result> {
  return whileLocked('SELECT FROM users WHERE id = $1 FOR UPDATE', userId, change, action);
}

export function whileDialogIsLocked<Result>(
  dialogId: string,
  change: string,
  action: () => Promise<Result>,
): Promise<Result> {
  return whileLocked('SELECT FROM dialogs WHERE id = $1 FOR UPDATE', dialogId, change, action);
}

/** The same with the rows that `hold` locks; both statements receive `id` as `$1`. */
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
    await until(async () => isDone || (await isWaiting()));
    await holder.query(change, [id]);
    await holder.query('COMMIT');
    return await acting;
  } finally {
    await holder.end();
  }
}

async function isWaiting(): Promise<boolean> {
  const waiting = await sql<{ query: string }>(
    "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return waiting.some(({ query }) => !BACKGROUND.test(query));
}
