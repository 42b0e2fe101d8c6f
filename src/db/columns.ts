import { Prisma } from '../generated/prisma/client.ts';

/**
 * All columns of a model for `query`, under the names that Prisma gives them: `columnsOf(Prisma.UserScalarFieldEnum, 'u')`
 * of a table `u`. The schema calls each column as its field, in snake case.
 */
export function columnsOf(fields: Record<string, string>, table: string): Prisma.Sql {
  const columns = Object.values(fields).map((field) => `${table}.${snakeCase(field)} AS "${field}"`);
  return Prisma.raw(columns.join(', '));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
