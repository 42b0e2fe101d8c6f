import type {
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlQueryable,
  Transaction,
} from '@prisma/driver-adapter-utils';
import { tracing } from '../observe/tracing.ts';

/** Longer statements are cut: they are many rows of placeholders. */
const MAX_TEXT = 4_000;

/**
 * The adapter with a span for each statement that is run below another span: what is read in the background is part of
 * nothing that anybody would look for. A statement's text is ours and has no values in it.
 */
export function tracedAdapter(factory: SqlDriverAdapterFactory): SqlDriverAdapterFactory {
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => traceDriver(await factory.connect()),
  };
}

function traceDriver(driver: SqlDriverAdapter): SqlDriverAdapter {
  const startTransaction = driver.startTransaction.bind(driver);
  return Object.assign(traceStatements(driver), {
    startTransaction: (isolation?: Parameters<typeof startTransaction>[0]) =>
      underSpan('BEGIN', async () => traceTransaction(await startTransaction(isolation))),
  });
}

function traceTransaction(transaction: Transaction): Transaction {
  return traceStatements(transaction);
}

function traceStatements<Queryable extends SqlQueryable>(queryable: Queryable): Queryable {
  const queryRaw = queryable.queryRaw.bind(queryable);
  const executeRaw = queryable.executeRaw.bind(queryable);
  return Object.assign(queryable, {
    queryRaw: (query: SqlQuery) => underSpan(query.sql, () => queryRaw(query)),
    executeRaw: (query: SqlQuery) => underSpan(query.sql, () => executeRaw(query)),
  });
}

function underSpan<Result>(sql: string, run: () => Promise<Result>): Promise<Result> {
  if (!tracing?.here()) return run();
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': sql.trim().slice(0, MAX_TEXT) };
  return tracing.span(nameOf(sql), { kind: 'client', attributes }, run);
}

/** `SELECT`, `WITH`, `COMMIT` … */
function nameOf(sql: string): string {
  return /[a-z]+/i.exec(sql.replace(/^\s*\/\*.*?\*\//, ''))?.[0].toUpperCase() ?? 'SQL';
}
