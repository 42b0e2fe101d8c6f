import type { FieldType, Place, StoredValue, TypedField } from './values.ts';

// A slot is a column of `records` that copies the value of an indexed field. Unset values are a marker that sorts last.

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

/** Undefined for files, and for arrays, which the index of all fields covers. */
export function slotKindOf({ type, isArray }: TypedField): SlotKind | undefined {
  return isArray ? undefined : KINDS[type];
}

/** PostgreSQL sorts it after all numbers. */
export const UNSET_NUMBER = 'NaN';
/** Sorts after all set texts, which begin with `v`. */
export const UNSET_TEXT = 'w';
const SET_TEXT = 'v';

/** Limit of indexed and unique texts, because an index entry must fit a page. */
export const MAX_INDEXED_BYTES = 1_000;

/** SQL converts a place to a point; null if unset. */
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
