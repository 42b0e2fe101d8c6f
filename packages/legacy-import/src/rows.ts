import { Prisma, snakeCase } from './service.ts';

/** The columns have the types of the table, and are null without a property of their name. */
export function rowsOf(table: string, rows: object[]): Prisma.Sql {
  return Prisma.sql`json_populate_recordset(NULL::${Prisma.raw(table)}, ${JSON.stringify(rows)}::json)`;
}

export function inSnakeCase(row: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [snakeCase(name), value]));
}

export function columnList(names: string[], table?: string): Prisma.Sql {
  return Prisma.raw(names.map((name) => (table === undefined ? name : `${table}.${name}`)).join(', '));
}

/** Assignments for `ON CONFLICT DO UPDATE`. */
export function excluded(names: string[]): Prisma.Sql {
  return Prisma.raw(names.map((name) => `${name} = excluded.${name}`).join(', '));
}
