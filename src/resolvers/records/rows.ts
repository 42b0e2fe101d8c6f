import { Prisma } from '../../db/client.ts';
import type { KnownClass } from '../classes/catalogue.ts';
import type { Grants } from '../classes/grants.ts';
import { ALL_SLOTS, slotValue } from '../classes/slots.ts';
import { type StoredFields, shownField } from '../classes/values.ts';

/** A record as it is stored. */
export interface RecordRow {
  applicationId: number;
  id: string;
  classKey: number;
  parentId: string | null;
  userId: number;
  readers: Grants;
  updaters: Grants;
  deleters: Grants;
  fields: StoredFields;
  createdAt: Date;
  updatedAt: Date;
}

/** A record with its class, without which nobody can tell what its fields mean. */
export interface ShownRecord extends RecordRow {
  class: KnownClass;
  /** Set when the caller has changed the record and may not read it: they are shown its id and times alone. */
  isHidden?: boolean;
}

/** Columns of a record under the names of `RecordRow`; `r` is the table. */
export const RECORD_COLUMNS = Prisma.raw(
  [
    'r.application_id AS "applicationId"',
    'r.id',
    'r.class_key AS "classKey"',
    'r.parent_id AS "parentId"',
    'r.user_id AS "userId"',
    'r.readers',
    'r.updaters',
    'r.deleters',
    'r.fields',
    'r.created_at AS "createdAt"',
    'r.updated_at AS "updatedAt"',
  ].join(', '),
);

/** Record `r` as a `RecordImage` (src/realtime/outbox.ts). */
export const IMAGE = Prisma.raw(
  ['parent_id', 'user_id', 'readers', 'fields', 'created_at', 'updated_at']
    .map((column) => `'${column}', r.${column}`)
    .join(', ')
    .replace(/^(.*)$/, 'jsonb_build_object($1)'),
);

/** What statements that store records are given of each, as columns of `json_to_recordset`. */
export const SLOT_COLUMNS = Prisma.raw(
  ALL_SLOTS.map((slot) => `${slot} ${slot.startsWith('n') ? 'float8' : slot.startsWith('t') ? 'text' : 'json'}`).join(
    ', ',
  ),
);

/** The slots' columns, and what they are given of a row `g`. */
export const SLOT_NAMES = Prisma.raw(ALL_SLOTS.join(', '));
export const SLOT_VALUES = Prisma.raw(ALL_SLOTS.map(slotOfGiven).join(', '));
export const SLOT_CHANGES = Prisma.raw(ALL_SLOTS.map((slot) => `${slot} = ${slotOfGiven(slot)}`).join(', '));

function slotOfGiven(slot: string): string {
  return slot.startsWith('p') ? `place_of((g.${slot} ->> 'lat')::float8, (g.${slot} ->> 'lon')::float8)` : `g.${slot}`;
}

/** What the slots hold of a record; those of no field, or of one whose index is given up, are null. */
export function slotsOf(known: KnownClass, fields: StoredFields): Record<string, unknown> {
  const slots: Record<string, unknown> = {};
  for (const field of known.fields.values()) {
    if (field.slot && field.indexState !== 'dropping')
      slots[field.slot] = slotValue(field, storedOf(fields, field.name));
  }
  return slots;
}

/** A field's value; what a plain object inherits is none. */
export function storedOf(fields: StoredFields, name: string): StoredFields[string] | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** All fields of the class as clients see them, in its order: null for unset ones. */
export function shownFields({ class: known, fields }: Pick<ShownRecord, 'class' | 'fields'>): Record<string, unknown> {
  return Object.fromEntries(
    [...known.fields.values()].map((field) => [field.name, shownField(field, storedOf(fields, field.name))]),
  );
}

/** The resolver of a field that a caller who may update the record and not read it sees as null (gaps §22.7). */
export function readableOnly<Value>(resolve: (record: ShownRecord) => Value) {
  return (record: ShownRecord): Value | null => (record.isHidden ? null : resolve(record));
}
