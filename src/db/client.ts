import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { tracing } from '../server/observability/tracing.ts';
import { createPool } from './pool.ts';
import { tracedAdapter } from './traced-adapter.ts';

export { Prisma };
/** Without nested transactions: their locks would outlive a failed part. */
export type Transaction = Omit<Prisma.TransactionClient, '$transaction'>;

let client: PrismaClient;

/**
 * The database of this process, set once by `connectDatabase`. It has no `$transaction`, because transactions that
 * nobody counts could take all connections: use `transact`.
 */
export let db: Omit<PrismaClient, '$transaction'>;

/** Connections of the pool: a few per core are as fast as many. */
export const POOL_SIZE = 10;

/** A statement that scans a whole class sets a longer one for its transaction. */
export const STATEMENT_TIMEOUT_MS = 60_000;

export const TRANSACTION_TIMEOUT_MS = 30_000;

/**
 * TimeZone: moments are written and read without a zone. lock_timeout: a row that stays locked fails its own statement
 * before it times out. idle_in_transaction_session_timeout: a process that hangs keeps its locks for one minute.
 */
const SESSION_SETTINGS = '-c TimeZone=UTC -c lock_timeout=10s -c idle_in_transaction_session_timeout=60s';

/** What `query` sends its statements to; whatever else is asked goes through `db`, on the same connections. */
export let pool: pg.Pool;

export async function connectDatabase(config: pg.PoolConfig): Promise<void> {
  const limits = { statement_timeout: STATEMENT_TIMEOUT_MS, options: SESSION_SETTINGS };
  pool = createPool({ max: POOL_SIZE, ...limits, ...config });
  const options = { statementNameGenerator: nameStatement, disposeExternalPool: true };
  const plain = new PrismaPg(pool, options);
  const adapter = tracing ? tracedAdapter(plain) : plain;
  const transactionOptions = { maxWait: TRANSACTION_TIMEOUT_MS, timeout: TRANSACTION_TIMEOUT_MS };
  client = new PrismaClient({ adapter, transactionOptions });
  db = client;
  await client.$connect();
}

/** Only for `transact`. */
export function runTransaction<Result>(
  work: (transaction: Transaction) => Promise<Result>,
  timeoutMs: number,
): Promise<Result> {
  return client.$transaction(work, { timeout: timeoutMs });
}

/** Connections of the pool, and who waits for one. */
export function poolState(): { total: number; idle: number; waiting: number } {
  return { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount };
}

/** Begins a statement whose best plan depends on its values: it is planned for those that it has, each time. */
export const plannedForValues = Prisma.raw('/* planned for its values */ ');

const names = new Map<string, string>();
/** Our statements are few; a list filter of odd shape must not grow the map, or the server's plans, without bound. */
const MAX_NAMES = 500;

/** Named statements are planned once per connection instead of at every call. */
export function nameStatement({ sql }: { sql: string }): string {
  if (sql.trimStart().startsWith(plannedForValues.sql)) return '';
  const known = names.get(sql);
  if (known) return known;
  if (names.size >= MAX_NAMES) return '';
  const name = `s${names.size}`;
  names.set(sql, name);
  return name;
}
