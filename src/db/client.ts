import { PrismaPg } from '@prisma/adapter-pg';
import type { PoolConfig } from 'pg';
import { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { createPool } from './pool.ts';

export { Prisma };
export type Transaction = Prisma.TransactionClient;

/** The database of this process. Set once by `connectDatabase`, then imported by whoever queries. */
export let db: PrismaClient;

/** Connections of the pool: a few per core are as fast as many. */
const POOL_SIZE = 10;

/** Milliseconds a statement may run. What looks at a whole class says by itself that it takes longer. */
const STATEMENT_LIMIT = 60_000;

/** Milliseconds a transaction may wait for its connection, and last: in a rush on one dialog it waits for many others. */
const PATIENCE = 30_000;

export async function connectDatabase(config: PoolConfig): Promise<void> {
  const pool = createPool({ max: POOL_SIZE, statement_timeout: STATEMENT_LIMIT, ...config });
  const adapter = new PrismaPg(pool, { statementNameGenerator: nameStatement, disposeExternalPool: true });
  db = new PrismaClient({ adapter, transactionOptions: { maxWait: PATIENCE, timeout: PATIENCE } });
  await db.$connect();
}

/** Begins a statement whose best plan depends on its values: it is planned for those that it has, each time. */
export const plannedForValues = Prisma.raw('/* planned for its values */ ');

const names = new Map<string, string>();
/** Our statements are few; a list filter of odd shape must not grow the map, or the server's plans, without bound. */
const MAX_NAMES = 500;

/** Named statements are planned once per connection instead of at every call. */
function nameStatement({ sql }: { sql: string }): string {
  if (sql.trimStart().startsWith(plannedForValues.sql)) return '';
  const known = names.get(sql);
  if (known) return known;
  if (names.size >= MAX_NAMES) return '';
  const name = `s${names.size}`;
  names.set(sql, name);
  return name;
}
