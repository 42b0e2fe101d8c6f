import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import type { Environment } from './environment.ts';
import { startService } from './service.ts';

export interface Seeded {
  url: string;
  databaseUrl: string;
  pid: number;
  child: ChildProcess;
}

/** @param name of a new database */
export async function startSeeded(
  name: string,
  { databaseUrl, folder, cleanup }: Environment,
  nodeArgs: string[] = [],
): Promise<Seeded> {
  await queries(databaseUrl, [`CREATE DATABASE ${name}`]);
  const ownUrl = new URL(databaseUrl);
  ownUrl.pathname = `/${name}`;
  const home = { databaseUrl: ownUrl.href, dataDir: join(folder, name) };
  const { url, child } = await startService(home, cleanup, nodeArgs);
  return { url, databaseUrl: home.databaseUrl, pid: child.pid!, child };
}

/** Fills a table while its indexes are dropped, because that is faster. */
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

/** @returns the rows of the last statement */
export async function queries(databaseUrl: string, statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {}); // the query rejects
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}
