import pg from 'pg';
import { walk } from '../../db/walk.ts';

export async function* fileKeys(client: pg.Client, applicationId: number): AsyncGenerator<string> {
  yield* keys(
    client,
    `SELECT b.storage_key FROM blobs b
    WHERE b.application_id = ${applicationId} AND b.storage_key IS NOT NULL ORDER BY b.application_id, b.id`,
  );
  const { rows } = await client.query<{ key: number; name: string }>(
    `SELECT f.class_key AS key, f.name FROM class_fields f
    WHERE f.application_id = $1 AND f.type = 'File' ORDER BY f.class_key, f.position`,
    [applicationId],
  );
  for (const { key, name } of rows) {
    const stored = `r.fields -> ${pg.escapeLiteral(name)} ->> 'key'`;
    yield* keys(
      client,
      `SELECT ${stored} FROM records r
      WHERE r.application_id = ${applicationId} AND r.class_key = ${key} AND ${stored} IS NOT NULL
      ORDER BY r.application_id, r.id`,
    );
  }
}

async function* keys(client: pg.Client, select: string): AsyncGenerator<string> {
  for await (const [key] of walk(client, select)) yield key!;
}
