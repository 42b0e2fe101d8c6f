import pg from 'pg';
import { walk } from '../../db/walk.ts';

export async function* fileKeys(client: pg.Client, applicationId: number): AsyncGenerator<string> {
  for (const select of await fileSelects(client, applicationId)) {
    for await (const [key] of walk(client, select)) yield key!;
  }
}

/** Statements that select the keys of the files of the application. */
export async function fileSelects(client: pg.Client, applicationId: number): Promise<string[]> {
  const { rows } = await client.query<{ key: number; name: string }>(
    `SELECT f.class_key AS key, f.name FROM class_fields f
    WHERE f.application_id = $1 AND f.type = 'File' ORDER BY f.class_key, f.position`,
    [applicationId],
  );
  return [
    `SELECT b.storage_key FROM blobs b
    WHERE b.application_id = ${applicationId} AND b.storage_key IS NOT NULL ORDER BY b.application_id, b.id`,
    ...rows.map(({ key, name }) => {
      const stored = `r.fields -> ${pg.escapeLiteral(name)} ->> 'key'`;
      return `SELECT ${stored} FROM records r
      WHERE r.application_id = ${applicationId} AND r.class_key = ${key} AND ${stored} IS NOT NULL
      ORDER BY r.application_id, r.id`;
    }),
  ];
}
