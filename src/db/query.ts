import { Prisma } from '../generated/prisma/client.ts';
import { nameStatement, pool, type Transaction } from './client.ts';
import type { RowOf, RowSql } from './columns.ts';
import { underSpan } from './statement-span.ts';
import { parameterOf, valueTypes } from './values.ts';

/**
 * Typed by the select lists (`columns.ts`), or as query<Row>`SELECT …`. The pool takes half the CPU time of
 * `$queryRaw` (docs/performance.md). @throws {pg.DatabaseError} classified by `failures.ts`
 */
export function query<Row>(sql: RowSql<Row>): Promise<Row[]>;
export function query<Values extends unknown[]>(
  strings: TemplateStringsArray,
  ...values: Values
): Promise<RowOf<Values>[]>;
export function query<Row>(sql: Prisma.Sql): Promise<Row[]>;
export function query<Row>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row[]>;
export async function query<Row>(statement: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<Row[]> {
  const sql = statement instanceof Prisma.Sql ? statement : Prisma.sql(statement as TemplateStringsArray, ...values);
  const { text } = sql;
  const config = { name: nameStatement({ sql: text }), text, values: sql.values.map(parameterOf), types: valueTypes };
  const { rows } = await underSpan(text, () => pool.query(config));
  return rows as Row[];
}

export function queryIn<Row>(transaction: Transaction, sql: RowSql<Row>): Promise<Row[]> {
  return transaction.$queryRaw<Row[]>(sql);
}
