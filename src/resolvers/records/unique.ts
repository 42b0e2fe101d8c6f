import { query } from '../../db/query.ts';
import type { KnownClass } from '../classes/catalogue.ts';
import type { RecordRow } from './rows.ts';

export function uniqueFields({ fields }: KnownClass): string[] {
  return [...fields.values()].filter(({ isUnique }) => isUnique).map(({ name }) => name);
}

/** Values of unique fields that other records have, or that two of the given ones share. */
export function takenValues(
  known: KnownClass,
  rows: Pick<RecordRow, 'id' | 'fields'>[],
): Promise<{ ord: number; field: string }[]> {
  const fields = uniqueFields(known);
  const given = rows.map((row, ord) => ({ ord, id: row.id, fields: row.fields }));
  return query<{ ord: number; field: string }>`
    WITH given AS (
      SELECT g.ord, u.field, g.fields ->> u.field AS value
      FROM json_to_recordset(${JSON.stringify(given)}::json) AS g (ord int, id text, fields jsonb),
        unnest(${fields}::text[]) AS u (field)
      WHERE jsonb_exists(g.fields, u.field)
    )
    SELECT g.ord, g.field FROM given g
    WHERE EXISTS (
        SELECT FROM record_keys k
        WHERE k.application_id = ${known.applicationId} AND k.class_key = ${known.key} AND k.field = g.field
          AND k.value = g.value AND k.record_id <> ALL(${rows.map(({ id }) => id)}::text[]))
      OR EXISTS (SELECT FROM given o WHERE o.field = g.field AND o.value = g.value AND o.ord < g.ord)
    ORDER BY g.ord, g.field`;
}
