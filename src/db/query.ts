import { Prisma } from '../generated/prisma/client.ts';
import { nameStatement, pool } from './client.ts';
import { underSpan } from './statement-span.ts';
import { parameterOf, valueTypes } from './values.ts';

/**
 * Rows of one statement outside of transactions: query<Row>`SELECT …`, or of a `Prisma.sql` that was put together
 * before. It goes to the pool directly, which takes half the CPU time of `$queryRaw` for the same statement and values
 * (docs/performance.md).
 * @throws {pg.DatabaseError} what PostgreSQL complains about; `failures.ts` tells what it means
 */
export function query<Row>(sql: Prisma.Sql): Promise<Row[]>;
export function query<Row>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row[]>;
export async function query<Row>(given: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<Row[]> {
  const sql = given instanceof Prisma.Sql ? given : Prisma.sql(given as TemplateStringsArray, ...values);
  const { text } = sql;
  const config = { name: nameStatement({ sql: text }), text, values: sql.values.map(parameterOf), types: valueTypes };
  const { rows } = await underSpan(text, () => pool.query(config));
  return rows as Row[];
}
