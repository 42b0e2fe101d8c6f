import type pg from 'pg';
import { APPLICATIONS, ARCHIVED, ownerColumn } from './tables.ts';

export interface Column {
  name: string;
  type: string;
  isNotNull: boolean;
  isOptional: boolean;
  /** In SQL notation. */
  sequence: string | null;
}

/** Names come from the PostgreSQL catalogue, never from an archive, because they become part of SQL statements. */
export interface TableColumns {
  name: string;
  columns: Column[];
  key: string[];
  globallyUnique: string[];
}

export async function readColumns(client: pg.Client): Promise<Map<string, TableColumns>> {
  const { rows } = await client.query<{ table: string; column: string } & Omit<Column, 'name'>>(
    `SELECT c.relname AS "table", a.attname AS "column", format_type(a.atttypid, a.atttypmod) AS type,
      a.attnotnull AS "isNotNull", a.atthasdef OR NOT a.attnotnull AS "isOptional",
      pg_get_serial_sequence(quote_ident(c.relname), a.attname) AS sequence
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname = ANY($1)
      AND a.attgenerated = ''
    ORDER BY c.relname, a.attnum`,
    [ARCHIVED.map(({ name }) => name)],
  );
  const indexes = await readIndexes(client);
  return new Map(
    ARCHIVED.map(({ name, without = [] }) => {
      const columns = rows
        .filter((row) => row.table === name && !without.includes(row.column))
        .map(({ table: _table, column, ...about }) => ({ name: column, ...about }));
      const own = indexes.filter(({ table }) => table === name);
      const key = own.find(({ isPrimary }) => isPrimary)?.columns ?? [];
      const globallyUnique = own
        .filter(({ columns }) => columns.length === 1 && !columns.includes(ownerColumn(name)))
        .flatMap(({ columns }) => columns);
      return [name, { name, columns, key, globallyUnique }];
    }),
  );
}

/** The text form of a value must not depend on the server, and must round-trip exactly. */
export async function namePlainly(client: pg.Client): Promise<void> {
  await client.query(`SET TIME ZONE 'UTC'; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres';
    SET extra_float_digits = 1; SET bytea_output = 'hex'; SET client_encoding = 'UTF8'`);
}

interface UniqueIndex {
  table: string;
  isPrimary: boolean;
  columns: string[];
}

async function readIndexes(client: pg.Client): Promise<UniqueIndex[]> {
  const { rows } = await client.query<UniqueIndex>(
    `SELECT c.relname AS "table", i.indisprimary AS "isPrimary", array_agg(a.attname::text ORDER BY k.place) AS columns
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    CROSS JOIN unnest(i.indkey) WITH ORDINALITY AS k (number, place)
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
    WHERE c.relnamespace = current_schema()::regnamespace AND i.indisunique AND c.relname <> $1
    GROUP BY c.relname, i.indexrelid, i.indisprimary
    UNION ALL SELECT $1, true, ARRAY['id']`,
    [APPLICATIONS],
  );
  return rows;
}
