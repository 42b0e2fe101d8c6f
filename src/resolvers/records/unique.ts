import { query } from '../../db/query.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import type { RecordRow } from './rows.ts';

export function uniqueFields({ fields }: ClassDefinition): string[] {
  return [...fields.values()].filter(({ isUnique }) => isUnique).map(({ name }) => name);
}

export type UniqueRow = Pick<RecordRow, 'id' | 'fields'>;

export function uniqueRow(known: ClassDefinition, { id, fields }: UniqueRow): UniqueRow {
  const unique = uniqueFields(known).filter((name) => Object.hasOwn(fields, name));
  return { id, fields: Object.fromEntries(unique.map((name) => [name, fields[name]!])) };
}

/** Unique values that other records have, or that the given rows share. */
export function takenValues(known: ClassDefinition, rows: UniqueRow[]): Promise<{ ord: number; field: string }[]> {
  const fields = uniqueFields(known);
  const given = rows.map((row, ord) => ({ ord, ...uniqueRow(known, row) }));
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
