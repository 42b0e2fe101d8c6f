import type { FieldType, Place, StoredValue, TypedField } from './values.ts';

// Indexed fields have a copy of their value in a column of `records` that an index serves, a slot. An unset value has a
// mark there that sorts behind all others, so that one walk over the index finds the unset ones last.

export const SLOTS = {
  number: ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8'],
  text: ['t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8'],
  place: ['p1', 'p2'],
} as const;

export type SlotKind = keyof typeof SLOTS;
export type Slot = (typeof SLOTS)[SlotKind][number];

export const ALL_SLOTS: readonly Slot[] = Object.values(SLOTS).flat();

const KINDS: Record<FieldType, SlotKind | undefined> = {
  Integer: 'number',
  Float: 'number',
  Boolean: 'number',
  Date: 'number',
  String: 'text',
  Location: 'place',
  File: undefined,
};

/** Which kind of slot an index of the field needs; undefined: none, since arrays are served by the index of all fields. */
export function slotKindOf({ type, isArray }: TypedField): SlotKind | undefined {
  return isArray ? undefined : KINDS[type];
}

/** PostgreSQL sorts it behind every number. */
export const UNSET_NUMBER = 'NaN';
/** Behind every text that is set, as those begin with `v`. */
export const UNSET_TEXT = 'w';
const SET_TEXT = 'v';

/** Longest text of an indexed or unique field: an entry of an index has to fit a page. */
export const MAX_INDEXED_BYTES = 1_000;

/** What a slot holds of a value; of a place SQL makes the point, which is null for an unset one. */
export function slotValue(field: TypedField, stored: StoredValue | undefined): string | Place | null {
  switch (slotKindOf(field)) {
    case 'number':
      return stored === undefined ? UNSET_NUMBER : String(Number(stored));
    case 'text':
      return stored === undefined ? UNSET_TEXT : slotText(String(stored));
    default:
      return (stored as Place | undefined) ?? null;
  }
}

export function slotText(text: string): string {
  return SET_TEXT + text;
}
