import { join } from 'node:path';
import pg from 'pg';
import type { Arena } from './arena.ts';
import { createPerson, type Person } from './doors.ts';
import { APPLICATION, startService } from './service.ts';

/** A service with many users, and somebody who asks for them. */
export interface Crowd {
  url: string;
  size: number;
  asker: Person;
}

/** Users who share a tag. */
export const TAGGED_TOGETHER = 5;

/** Another service on a database of its own with that many users: `user-1`, `user-2`, … */
export async function startCrowd(size: number, { databaseUrl, folder, cleanup }: Arena): Promise<Crowd> {
  const name = `crowd_${size}`;
  await queries(databaseUrl, [`CREATE DATABASE ${name}`]);
  const ownUrl = new URL(databaseUrl);
  ownUrl.pathname = `/${name}`;
  const { url } = await startService({ databaseUrl: ownUrl.href, dataDir: join(folder, name) }, cleanup);
  await queries(ownUrl.href, [
    `SET maintenance_work_mem = '256MB'`,
    ...(await withoutIndexes(ownUrl.href, insertUsers(size))),
    'VACUUM ANALYZE users',
    'CHECKPOINT',
  ]);
  return { url, size, asker: await createPerson(url, 'asker') };
}

function insertUsers(size: number): string {
  return `
    INSERT INTO users
      (application_id, login, login_key, email, full_name, phone, external_user_id, tags, created_at, updated_at)
    SELECT ${APPLICATION.id}, 'user-' || n, 'user-' || n, n || '@bench.test', 'User ' || n, '+' || (4900000000 + n), n,
      ARRAY['tag-' || (n - 1) / ${TAGGED_TOGETHER}], moment, moment
    FROM generate_series(1, ${size}) n, LATERAL (SELECT now() - make_interval(secs => ${size} - n) AS moment)
    ORDER BY n`;
}

/** The statement between those that take the indexes away and those that make them again, which is faster. */
async function withoutIndexes(databaseUrl: string, statement: string): Promise<string[]> {
  const indexes = await queries(databaseUrl, [
    `SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'users' AND indexname <> 'users_pkey'`,
  ]);
  return [
    ...indexes.map(({ indexname }) => `DROP INDEX "${indexname}"`),
    statement,
    ...indexes.map(({ indexdef }) => indexdef as string),
  ];
}

/** Runs them in turn. @returns the rows of the last one */
async function queries(databaseUrl: string, statements: string[]): Promise<Record<string, unknown>[]> {
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
