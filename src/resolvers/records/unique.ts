import type { Transaction } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import { type Problem, problem } from '../../lib/problems.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import { indexName } from '../classes/compound-indexes.ts';
import { compoundKey } from '../classes/slots.ts';
import type { RecordRow } from './rows.ts';

export function hasUniqueKeys({ fields }: ClassDefinition): boolean {
  return [...fields.values()].some(({ isInUniqueKey }) => isInUniqueKey);
}

/** A key of a compound index; the value of a single field is read from the record in SQL. */
interface UniqueKey {
  field: string;
  value?: string;
}

/** Unique keys of a record; none for an unset field, or for an index with an unset field. */
export function uniqueKeys({ fields: known, indexes }: ClassDefinition, fields: RecordRow['fields']): UniqueKey[] {
  const isSet = (name: string) => Object.hasOwn(fields, name);
  const single = [...known.values()].filter(({ isUnique, name }) => isUnique && isSet(name));
  const compound = indexes.filter((index) => index.isUnique && index.fields.every(isSet));
  return [
    ...single.map(({ name }) => ({ field: name })),
    ...compound.map((index) => ({ field: indexName(index), value: compoundKey(index.fields, fields) })),
  ];
}

export type UniqueRow = Pick<RecordRow, 'id' | 'fields'>;

export function uniqueRow({ fields: known }: ClassDefinition, { id, fields }: UniqueRow): UniqueRow {
  const names = Object.keys(fields).filter((name) => known.get(name)?.isInUniqueKey);
  return { id, fields: Object.fromEntries(names.map((name) => [name, fields[name]!])) };
}

/** Claims the keys of rows that have none. @throws {Prisma.PrismaClientKnownRequestError} another record has a key */
export async function insertKeys(
  transaction: Transaction,
  definition: ClassDefinition,
  rows: UniqueRow[],
): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO record_keys (application_id, class_key, field, value, record_id)
    SELECT ${definition.applicationId}::int, ${definition.key}::int, u.field, coalesce(u.value, g.fields ->> u.field), g.id
    FROM json_to_recordset(${JSON.stringify(rows.map((row) => keyedRow(definition, row)))}::json)
        AS g (id text, fields jsonb, keys json),
      json_to_recordset(g.keys) AS u (field text, value text)
    ORDER BY 1, 2, 3, 4`;
}

function keyedRow(definition: ClassDefinition, row: UniqueRow) {
  return { ...uniqueRow(definition, row), keys: uniqueKeys(definition, row.fields) };
}

/** Unique keys that other records have, or that the given rows share. */
export function takenKeys(definition: ClassDefinition, rows: UniqueRow[]): Promise<{ ord: number; field: string }[]> {
  const given = rows.map((row, ord) => ({ ord, ...keyedRow(definition, row) }));
  return query<{ ord: number; field: string }>`
    WITH given AS (
      SELECT g.ord, u.field, coalesce(u.value, g.fields ->> u.field) AS value
      FROM json_to_recordset(${JSON.stringify(given)}::json) AS g (ord int, id text, fields jsonb, keys json),
        json_to_recordset(g.keys) AS u (field text, value text)
    )
    SELECT g.ord, g.field FROM given g
    WHERE EXISTS (
        SELECT FROM record_keys k
        WHERE k.application_id = ${definition.applicationId} AND k.class_key = ${definition.key} AND k.field = g.field
          AND k.value = g.value AND k.record_id <> ALL(${rows.map(({ id }) => id)}::text[]))
      OR EXISTS (SELECT FROM given o WHERE o.field = g.field AND o.value = g.value AND o.ord < g.ord)
    ORDER BY g.ord, g.field`;
}

export function takenProblem(field: string): Problem {
  return field.includes(',')
    ? problem('FIELDS_TAKEN', { fields: field.replaceAll(',', ', ') })
    : problem('FIELD_TAKEN', { field });
}
