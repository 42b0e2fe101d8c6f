import type pg from 'pg';
import { Prisma } from '../generated/prisma/client.ts';
import type { Actor } from '../lib/actor.ts';
import { ACTOR_SETTING, nameStatement, type Transaction } from './client.ts';
import type { RowOf, RowSql } from './columns.ts';
import { poolFor } from './shards.ts';
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
  const config = configOf(statement, values);
  const pool = poolFor(config);
  const { rows } = await underSpan(config.text, async () =>
    (pool instanceof Promise ? await pool : pool).query(config),
  );
  return rows as Row[];
}

/**
 * `query` for a single statement that changes rows. With an actor it runs in a transaction of its own, whose changes
 * the audit log records.
 */
export function queryAs(actor: Actor | undefined): typeof query {
  if (!actor) return query;
  const run = (statement: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) => {
    const config = configOf(statement, values);
    return underSpan(config.text, () => runAs(actor, config));
  };
  return run as typeof query;
}

async function runAs(actor: Actor, config: pg.QueryConfig): Promise<unknown[]> {
  const client = await (await poolFor(config)).connect();
  let isBroken = false;
  try {
    await client.query('BEGIN');
    await client.query('SELECT set_config($1, $2, true)', [ACTOR_SETTING, JSON.stringify(actor)]);
    const { rows } = await client.query(config);
    await client.query('COMMIT');
    return rows;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      isBroken = true;
    });
    throw error;
  } finally {
    client.release(isBroken);
  }
}

function configOf(statement: TemplateStringsArray | Prisma.Sql, values: unknown[]) {
  const sql = statement instanceof Prisma.Sql ? statement : Prisma.sql(statement as TemplateStringsArray, ...values);
  const { text } = sql;
  return { name: nameStatement({ sql: text }), text, values: sql.values.map(parameterOf), types: valueTypes };
}

export function queryIn<Row>(transaction: Transaction, sql: RowSql<Row>): Promise<Row[]> {
  return transaction.$queryRaw<Row[]>(sql);
}
