import type { Context, IdentifiedContext } from '../../context.ts';
import { Prisma } from '../../db/client.ts';
import { columns, columnsOf, type RowOf, select, withJson } from '../../db/columns.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import { isOpen } from '../classes/grants.ts';
import { ALL_SLOTS, compoundKey, slotValue } from '../classes/slots.ts';
import { presentedType, type StoredFields } from '../classes/values.ts';

const BARE_COLUMNS = [
  'applicationId',
  'id',
  'classKey',
  'parentId',
  'userId',
  'readers',
  'updaters',
  'deleters',
  'createdAt',
  'updatedAt',
] as const;

export const RECORD_COLUMNS = withJson<{ fields: StoredFields }>()(
  columnsOf('Record', 'r', [...BARE_COLUMNS, 'fields']),
);

export type RecordRow = RowOf<[typeof RECORD_COLUMNS]>;

export type RecordGrants = Pick<RecordRow, 'readers' | 'updaters' | 'deleters'>;

export interface ListedRow extends Omit<RecordRow, 'fields'> {
  /** Null if they may be large; then `largeFields` reads them on demand. */
  fields: StoredFields | null;
}

/** Pages contain the permissions only on request. */
type MaybeGrants = { [Name in keyof RecordGrants]?: RecordGrants[Name] | undefined };

export interface PresentedRecord extends Omit<ListedRow, keyof RecordGrants>, MaybeGrants {
  class: ClassDefinition;
  /** The caller changed the record but may not read it: shows only id and times. */
  isHidden?: boolean;
}

/** Fields that lists read immediately: uncompressed, so that their size is known, and at most 8 KiB. */
export const SMALL_FIELDS = `CASE WHEN pg_column_compression(r.fields) IS NULL AND pg_column_size(r.fields) <= 8192
  THEN r.fields END`;

export const LISTED_COLUMNS = withJson<{ fields: StoredFields | null }>()(
  select`${columnsOf('Record', 'r', BARE_COLUMNS)}, ${columns({ fields: ['json', SMALL_FIELDS] })}`,
);

/** Record `r` as a `RecordImage` (src/realtime/outbox.ts). */
export const IMAGE = Prisma.raw(
  ['parent_id', 'user_id', 'readers', 'fields', 'created_at', 'updated_at']
    .map((column) => `'${column}', r.${column}`)
    .join(', ')
    .replace(/^(.*)$/, 'jsonb_build_object($1)'),
);

export const SLOT_COLUMNS = Prisma.raw(
  ALL_SLOTS.map((slot) => `${slot} ${slot.startsWith('n') ? 'float8' : slot.startsWith('p') ? 'json' : 'text'}`).join(
    ', ',
  ),
);

/** `newRow()` as columns of `json_to_recordset()`. */
export const NEW_INPUT = Prisma.sql`id text, "classKey" int, "parentId" text, "userId" int, "isOpen" boolean,
  readers json, updaters json, deleters json, fields jsonb, "createdAt" timestamptz(3), "updatedAt" timestamptz(3),
  ${SLOT_COLUMNS}`;
export const NEW_COLUMNS = Prisma.raw(`id, class_key, parent_id, user_id, is_open, readers, updaters, deleters, fields,
  created_at, updated_at, ${ALL_SLOTS.join(', ')}`);
/** Of an input `g`, without the application. */
export const NEW_VALUES = Prisma.raw(`g.id, g."classKey", g."parentId", g."userId", g."isOpen",
  ARRAY(SELECT json_array_elements_text(g.readers)), ARRAY(SELECT json_array_elements_text(g.updaters)),
  ARRAY(SELECT json_array_elements_text(g.deleters)), g.fields, g."createdAt", g."updatedAt",
  ${ALL_SLOTS.map(slotOfGiven).join(', ')}`);
export const SLOT_CHANGES = Prisma.raw(ALL_SLOTS.map((slot) => `${slot} = ${slotOfGiven(slot)}`).join(', '));

function slotOfGiven(slot: string): string {
  return slot.startsWith('p') ? `place_of((g.${slot} ->> 'lat')::float8, (g.${slot} ->> 'lon')::float8)` : `g.${slot}`;
}

/** Lists every member, because extending a spread object is slow. */
export function newRow(row: RecordRow, definition: ClassDefinition): object {
  const { id, classKey, parentId, userId, readers, updaters, deleters, fields, createdAt, updatedAt } = row;
  const own = { id, classKey, parentId, userId, isOpen: isOpen(readers), readers, updaters, deleters, fields };
  return Object.assign(own, { createdAt, updatedAt }, slotsOf(definition, fields));
}

/** Slots without a field, or with a dropped index, are absent. */
export function slotsOf(definition: ClassDefinition, fields: StoredFields): Record<string, unknown> {
  const slots: Record<string, unknown> = {};
  for (const field of definition.fields.values()) {
    if (field.slot && field.indexState !== 'dropping')
      slots[field.slot] = slotValue(field, storedOf(fields, field.name));
  }
  for (const index of definition.indexes) {
    if (index.state !== 'dropping') slots[index.slot] = compoundKey(index.fields, fields);
  }
  return slots;
}

/** Ignores inherited properties. */
export function storedOf(fields: StoredFields, name: string): StoredFields[string] | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

interface FieldsOfClass {
  class: ClassDefinition;
  fields: StoredFields;
}

/** In class order, null if unset. */
export function presentFields({ class: definition, fields }: FieldsOfClass): Record<string, unknown> {
  const presented: Record<string, unknown> = {};
  // Names of fields begin with a letter, so none is `__proto__`.
  for (const field of definition.fields.values())
    presented[field.name] = presentedType(field, storedOf(fields, field.name));
  return presented;
}

/** @throws if the page was read without permissions */
export function recordGrants({ readers, updaters, deleters }: PresentedRecord): RecordGrants {
  if (!readers || !updaters || !deleters) throw new Error('the permissions of the record were not read');
  return { readers, updaters, deleters };
}

/** Null for callers who may update the record but not read it. */
export function readableOnly<Value>(resolve: (record: PresentedRecord, context: IdentifiedContext) => Value) {
  return (record: PresentedRecord, _args: unknown, context: Context): Value | null =>
    record.isHidden ? null : resolve(record, context as IdentifiedContext);
}
