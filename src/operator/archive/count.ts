import type pg from 'pg';
import { fileSelects } from './files.ts';
import { ARCHIVED, conditionOf } from './tables.ts';

/** Rows and files of the applications, in the snapshots of their connections. */
export async function countItems(applications: ReadonlyMap<number, pg.Client>, signal: AbortSignal): Promise<number> {
  let items = 0;
  for (const [id, client] of applications) {
    for (const table of ARCHIVED) {
      signal.throwIfAborted();
      items += await countRows(client, `"${table.name}" t WHERE ${conditionOf(table, id)}`);
    }
    for (const select of await fileSelects(client, id)) items += await countRows(client, `(${select}) files`);
  }
  return items;
}

async function countRows(client: pg.Client, from: string): Promise<number> {
  const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${from}`);
  return Number(rows[0]!.count);
}
