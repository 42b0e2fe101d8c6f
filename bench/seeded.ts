import { join } from 'node:path';
import pg from 'pg';
import type { Arena } from './arena.ts';
import { startService } from './service.ts';

/** Another service, on a database of its own. */
export interface Seeded {
  url: string;
  databaseUrl: string;
  pid: number;
}

/** @param name of the database, which there is not yet */
export async function startSeeded(name: string, { databaseUrl, folder, cleanup }: Arena): Promise<Seeded> {
  await queries(databaseUrl, [`CREATE DATABASE ${name}`]);
  const ownUrl = new URL(databaseUrl);
  ownUrl.pathname = `/${name}`;
  const { url, child } = await startService({ databaseUrl: ownUrl.href, dataDir: join(folder, name) }, cleanup);
  return { url, databaseUrl: ownUrl.href, pid: child.pid! };
}

/** Fills one table by a statement, faster than with its indexes in place. */
export async function fill(databaseUrl: string, table: string, statement: string): Promise<void> {
  const indexes = await queries(databaseUrl, [
    `SELECT indexname, indexdef FROM pg_indexes WHERE tablename = '${table}' AND indexname <> '${table}_pkey'`,
  ]);
  await queries(databaseUrl, [
    `SET maintenance_work_mem = '256MB'`,
    ...indexes.map(({ indexname }) => `DROP INDEX "${indexname}"`),
    statement,
    ...indexes.map(({ indexdef }) => indexdef as string),
    `VACUUM ANALYZE ${table}`,
    'CHECKPOINT',
  ]);
}

/** Runs them in turn. @returns the rows of the last one */
export async function queries(databaseUrl: string, statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {}); // said by the query
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}
