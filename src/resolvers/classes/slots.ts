import type { FieldType, GeoPoint, Scalar, StoredFields, StoredValue, TypedField } from './values.ts';

// A slot is a column of `records` that copies the value of an indexed field, or the values of a compound index as one
// text. Unset values are a marker that sorts last.

export const SLOTS = {
  number: ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8'],
  text: ['t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8'],
  place: ['p1', 'p2'],
  compound: ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8'],
} as const;

export type SlotKind = keyof typeof SLOTS;
export type Slot = (typeof SLOTS)[SlotKind][number];
export type CompoundSlot = (typeof SLOTS)['compound'][number];

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

/** Limits of indexed and unique texts, because an index entry must fit a page. */
export const MAX_INDEXED_BYTES = 1_000;
export const MAX_COMPOUND_BYTES = 400;

/** SQL converts a place to a point; null if unset. */
export function slotValue(field: TypedField, stored: StoredValue | undefined): string | GeoPoint | null {
  switch (slotKindOf(field)) {
    case 'number':
      return stored === undefined ? UNSET_NUMBER : String(Number(stored));
    case 'text':
      return stored === undefined ? UNSET_TEXT : slotText(String(stored));
    default:
      return (stored as GeoPoint | undefined) ?? null;
  }
}

export function slotText(text: string): string {
  return SET_TEXT + text;
}

export const SET_PART = 'v';
export const UNSET_PART = 'w';
/** Sorts after the keys that begin with the parts before it. */
export const AFTER_PARTS = 'x';

/** Part of a compound index. Parts in sequence sort like their values, because no part is the beginning of another. */
export function compoundPart(value: Scalar): string {
  return SET_PART + (typeof value === 'string' ? `${escaped(value)}\x01\x01` : numberKey(Number(value)));
}

/** All values of a compound index; must match the SQL function `compound_key`. */
export function compoundKey(names: readonly string[], fields: StoredFields): string {
  return names
    .map((name) => (Object.hasOwn(fields, name) ? compoundPart(fields[name] as Scalar) : UNSET_PART))
    .join('');
}

function escaped(text: string): string {
  return text.includes('\x01') ? text.replaceAll('\x01', '\x01\x02') : text;
}

const bits = new DataView(new ArrayBuffer(8));

/** 16 hexadecimal digits that sort like the number. */
function numberKey(value: number): string {
  bits.setFloat64(0, value + 0);
  const isNegative = bits.getInt32(0) < 0;
  const high = isNegative ? ~bits.getInt32(0) : bits.getInt32(0) ^ 0x80000000;
  const low = isNegative ? ~bits.getInt32(4) : bits.getInt32(4);
  return digits(high) + digits(low);
}

function digits(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
