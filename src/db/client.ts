import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { tracing } from '../platform/observability/tracing.ts';
import { createPool } from './pool.ts';
import { tracedAdapter } from './traced-adapter.ts';

export { Prisma };
/** Without nested transactions, because their locks would outlive a failed part. */
export type Transaction = Omit<Prisma.TransactionClient, '$transaction'>;

let client: PrismaClient;

/** Without `$transaction`, because unbounded transactions could take all connections: use `transact`. */
export let db: Omit<PrismaClient, '$transaction'>;

/** Read by the triggers of audited tables (docs/architecture/audit.md). */
export const ACTOR_SETTING = 'atrium.actor';

/** A few connections per core are as fast as many. */
export const POOL_SIZE = 10;

/** Statements that scan a complete class set a longer timeout for their transaction. */
export const STATEMENT_TIMEOUT_MS = 60_000;

export const TRANSACTION_TIMEOUT_MS = 30_000;

/**
 * TimeZone: times are stored without a zone. jit: compiling takes longer than any of these statements. lock_timeout: a
 * blocked statement fails before `statement_timeout`. idle_in_transaction_session_timeout: a hung process frees locks.
 */
const SESSION_SETTINGS = '-c TimeZone=UTC -c jit=off -c lock_timeout=10s -c idle_in_transaction_session_timeout=60s';

/** Only for `query`; other access goes through `db`, on the same connections. */
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

export function poolState(): { total: number; idle: number; waiting: number } {
  return { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount };
}

/** Prefix of statements whose best plan depends on their values: PostgreSQL plans them on each execution. */
export const plannedForValues = Prisma.raw('/* planned for its values */ ');

const names = new Map<string, string>();
/** Filters of unusual shape must not grow this map, or the server's prepared plans, without bound. */
const MAX_NAMES = 500;

/** PostgreSQL plans a named statement once per connection instead of at every call. */
export function nameStatement({ sql }: { sql: string }): string {
  if (sql.trimStart().startsWith(plannedForValues.sql)) return '';
  const cached = names.get(sql);
  if (cached) return cached;
  if (names.size >= MAX_NAMES) return '';
  const name = `s${names.size}`;
  names.set(sql, name);
  return name;
}
