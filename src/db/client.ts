import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { tracing } from '../observe/tracing.ts';
import { createPool } from './pool.ts';
import { tracedAdapter } from './traced-adapter.ts';

export { Prisma };
export type Transaction = Prisma.TransactionClient;

/** The database of this process. Set once by `connectDatabase`, then imported by whoever queries. */
export let db: PrismaClient;

/** Connections of the pool: a few per core are as fast as many. */
const POOL_SIZE = 10;

/** Milliseconds a statement may run. What looks at a whole class says by itself that it takes longer. */
const STATEMENT_LIMIT = 60_000;

/** Whatever the zone of the server: moments are written, and read, without one. */
const IN_UTC = '-c TimeZone=UTC';

/** Milliseconds a transaction may wait for its connection, and last: in a rush on one dialog it waits for many others. */
const PATIENCE = 30_000;

/** What `query` sends its statements to; whatever else is asked goes through `db`, on the same connections. */
export let pool: pg.Pool;

export async function connectDatabase(config: pg.PoolConfig): Promise<void> {
  pool = createPool({ max: POOL_SIZE, statement_timeout: STATEMENT_LIMIT, options: IN_UTC, ...config });
  const options = { statementNameGenerator: nameStatement, disposeExternalPool: true };
  const plain = new PrismaPg(pool, options);
  const adapter = tracing ? tracedAdapter(plain) : plain;
  db = new PrismaClient({ adapter, transactionOptions: { maxWait: PATIENCE, timeout: PATIENCE } });
  await db.$connect();
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
