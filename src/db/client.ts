import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { tracing } from '../platform/observability/tracing.ts';
import { createPool } from './pool.ts';
import { shardedAdapter } from './sharded-adapter.ts';
import { allShards, setShards } from './shards.ts';
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

/** @param others the further servers among which applications are divided */
export async function connectDatabase(config: pg.PoolConfig, ...others: pg.PoolConfig[]): Promise<void> {
  const limits = { statement_timeout: STATEMENT_TIMEOUT_MS, options: SESSION_SETTINGS };
  const pools = [config, ...others].map((one) => createPool({ max: POOL_SIZE, ...limits, ...one }));
  setShards(pools);
  const options = { statementNameGenerator: nameStatement, disposeExternalPool: true };
  const adapters = pools.map((pool) => {
    const plain = new PrismaPg(pool, options);
    return tracing ? tracedAdapter(plain) : plain;
  });
  const adapter = others.length > 0 ? shardedAdapter(adapters) : adapters[0]!;
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
  const pools = allShards().map(({ pool }) => pool);
  const sum = (count: 'totalCount' | 'idleCount' | 'waitingCount') => pools.reduce((all, pool) => all + pool[count], 0);
  return { total: sum('totalCount'), idle: sum('idleCount'), waiting: sum('waitingCount') };
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
