import type {
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlQueryable,
  Transaction,
} from '@prisma/driver-adapter-utils';
import { underSpan } from './statement-span.ts';

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
