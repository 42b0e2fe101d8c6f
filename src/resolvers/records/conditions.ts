import { Prisma } from '../../db/client.ts';
import { type FieldFilter, type FilteredField, fieldConditions } from '../../db/conditions.ts';
import { BadInputError } from '../../lib/errors.ts';
import type { ClassField } from '../classes/catalogue.ts';
import { ALL_SLOTS, type Slot, slotKindOf, slotText, UNSET_NUMBER, UNSET_TEXT } from '../classes/slots.ts';
import type { Place, Scalar } from '../classes/values.ts';
import { chordOf } from '../geodata/rules.ts';
import {
  countValues,
  type FilterField,
  type FilterTest,
  type FilterValue,
  type Near,
  type RecordCondition,
} from './filter.ts';

/** Values that one filter may name. */
const MAX_FILTER_VALUES = 1_000;

/** Lists longer than this are compared value by value: each member of the index' answer is an index look-up of its own. */
const MAX_CONTAINMENTS = 20;

/** Where the values of a field lie. */
export interface Source {
  /** The object with all fields; one of our own expressions. */
  fields: Prisma.Sql;
  /** Whether slots may be asked: not of images that are compared outside of the table. */
  hasSlots: boolean;
}

/** The rows of the table `records r`. */
export const RECORDS: Source = { fields: Prisma.sql`r.fields`, hasSlots: true };

/** Columns that all records have. */
export const COMMON_COLUMNS: Record<string, FilteredField> = {
  _id: { column: Prisma.sql`r.id`, cast: 'text' },
  _parent_id: { column: Prisma.sql`r.parent_id`, cast: 'text' },
  user_id: { column: Prisma.sql`r.user_id`, cast: 'int' },
  created_at: { column: Prisma.sql`r.created_at`, cast: 'timestamptz' },
  updated_at: { column: Prisma.sql`r.updated_at`, cast: 'timestamptz' },
};

/**
 * The `where` of a filter. Names of fields and values are parameters, columns are our own.
 * @throws {BadInputError} a filter beyond all need
 */
export function whereOf(condition: RecordCondition, source: Source = RECORDS): Prisma.Sql {
  if (countValues(condition) > MAX_FILTER_VALUES) throw new BadInputError('Request parameters are too complex');
  return compile(condition, source);
}

function compile(condition: RecordCondition, source: Source): Prisma.Sql {
  if ('all' in condition) return joined(condition.all, ' AND ', Prisma.sql`true`, source);
  if ('any' in condition) return joined(condition.any, ' OR ', Prisma.sql`false`, source);
  const common = Object.hasOwn(COMMON_COLUMNS, condition.field.name) ? COMMON_COLUMNS[condition.field.name] : undefined;
  if (common) {
    const { operator, value } = condition;
    return Prisma.join(fieldConditions({ [operator]: value } as FieldFilter, common), ' AND ');
  }
  const slot = source.hasSlots ? readySlot(condition.field) : undefined;
  if (condition.field.isArray) return arrayTest(condition, source);
  if (condition.field.type === 'Location') return placeTest(condition, source, slot);
  return slot ? slotTest(condition, slot, source) : plainTest(condition, source);
}

function joined(parts: RecordCondition[], operator: string, none: Prisma.Sql, source: Source): Prisma.Sql {
  if (parts.length === 0) return none;
  return Prisma.sql`(${Prisma.join(
    parts.map((part) => compile(part, source)),
    operator,
  )})`;
}

/** The column that an index serves; undefined while it is not made for all records. */
export function readySlot(field: FilterField): Slot | undefined {
  const { slot, indexState } = field as Partial<ClassField>;
  return slot && indexState === 'ready' && ALL_SLOTS.includes(slot) ? slot : undefined;
}

/** A slot's column of `records r`. */
export function slotColumn(slot: Slot): Prisma.Sql {
  return Prisma.raw(`r.${slot}`);
}

/** The value of a field that is no array, as something to compare; null when it is unset. */
export function plainColumn({ name, type }: FilterField, { fields }: Source): FilteredField {
  switch (type) {
    case 'String':
      return { column: Prisma.sql`((${fields} ->> ${name}) COLLATE "C")`, cast: 'text' };
    case 'Boolean':
      return { column: Prisma.sql`(${fields} -> ${name})::boolean::int::float8`, cast: 'float8' };
    case 'File':
      return { column: Prisma.sql`(${fields} -> ${name} ->> 'fileId')`, cast: 'text' };
    default:
      return { column: Prisma.sql`(${fields} -> ${name})::float8`, cast: 'float8' };
  }
}

/** A field without a slot; what is equal is found by the index of all fields. */
function plainTest(test: FilterTest, source: Source): Prisma.Sql {
  const { field, operator, value } = test;
  if (field.type !== 'File' && value !== null) {
    if (operator === 'eq') return containment(test.field.name, storedForm(value as FilterValue), source);
    if (operator === 'in' && (value as FilterValue[]).length <= MAX_CONTAINMENTS) {
      return anyOf((value as FilterValue[]).map((one) => containment(field.name, storedForm(one), source)));
    }
  }
  const asked = { [operator]: Array.isArray(value) ? value.map(comparable) : comparable(value as FilterValue | null) };
  // Under "C", letter case would be known of ASCII alone.
  const column =
    operator === 'contains'
      ? ({ column: Prisma.sql`(${source.fields} ->> ${field.name})`, cast: 'text' } as const)
      : plainColumn(field, source);
  return Prisma.join(fieldConditions(asked as FieldFilter, column), ' AND ');
}

function slotTest({ field, operator, value }: FilterTest, slot: Slot, source: Source): Prisma.Sql {
  const column = slotColumn(slot);
  const isText = slotKindOf(field as ClassField) === 'text';
  const cast = Prisma.raw(isText ? 'text' : 'float8');
  const unset = Prisma.sql`${isText ? UNSET_TEXT : UNSET_NUMBER}::${cast}`;
  const of = (one: FilterValue) => (isText ? slotText(String(one)) : comparable(one));
  const one = () => Prisma.sql`${of(value as FilterValue)}::${cast}`;
  const many = () => Prisma.sql`${(value as FilterValue[]).map(of)}::${cast}[]`;
  switch (operator) {
    case 'eq':
      return Prisma.sql`${column} = ${value === null ? unset : one()}`;
    case 'ne':
      return value === null ? Prisma.sql`${column} < ${unset}` : Prisma.sql`${column} <> ${one()}`;
    case 'lt':
      return Prisma.sql`${column} < ${one()}`;
    case 'lte':
      return Prisma.sql`${column} <= ${one()}`;
    case 'gt':
      return Prisma.sql`(${column} > ${one()} AND ${column} < ${unset})`;
    case 'gte':
      return Prisma.sql`(${column} >= ${one()} AND ${column} < ${unset})`;
    case 'in':
      return Prisma.sql`${column} = ANY(${many()})`;
    case 'notIn':
      return Prisma.sql`${column} <> ALL(${many()})`;
    default:
      return plainTest({ field, operator, value }, source);
  }
}

function arrayTest({ field: { name }, operator, value }: FilterTest, source: Source): Prisma.Sql {
  const holds = (items: FilterValue[]) => containment(name, items.map(storedForm), source);
  const isSet = Prisma.sql`jsonb_exists(${source.fields}, ${name})`;
  switch (operator) {
    case 'eq':
      return value === null ? Prisma.sql`NOT ${isSet}` : holds([value as FilterValue]);
    case 'ne':
      return value === null ? isSet : Prisma.sql`NOT ${holds([value as FilterValue])}`;
    case 'in':
      return anyOf((value as FilterValue[]).map((item) => holds([item])));
    case 'notIn':
      return Prisma.sql`NOT ${anyOf((value as FilterValue[]).map((item) => holds([item])))}`;
    // The empty list is held by every array that is set.
    default:
      return holds(value as FilterValue[]);
  }
}

function placeTest(
  { field: { name }, operator, value }: FilterTest,
  source: Source,
  slot: Slot | undefined,
): Prisma.Sql {
  if (operator !== 'near') {
    const isSet = Prisma.sql`jsonb_exists(${source.fields}, ${name})`;
    if (value === null) return operator === 'eq' ? Prisma.sql`NOT ${isSet}` : isSet;
    return containment(name, value as Place, source);
  }
  const { lat, lon, radius } = value as Near;
  const centre = Prisma.sql`place_of(${lat}::float8, ${lon}::float8)`;
  const chord = chordOf(radius);
  const place = Prisma.sql`(${source.fields} -> ${name})`;
  const point = slot
    ? slotColumn(slot)
    : Prisma.sql`place_of((${place} ->> 'lat')::float8, (${place} ->> 'lon')::float8)`;
  const isWithin = Prisma.sql`coalesce(cube_distance(${point}, ${centre}) <= ${chord}::float8, false)`;
  // The box is what the index knows, and a little larger than what is asked for.
  return slot ? Prisma.sql`(${point} <@ cube_enlarge(${centre}, ${chord}::float8, 3) AND ${isWithin})` : isWithin;
}

function containment(name: string, value: Scalar | Scalar[], { fields }: Source): Prisma.Sql {
  return Prisma.sql`${fields} @> ${JSON.stringify({ [name]: value })}::jsonb`;
}

function anyOf(conditions: Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0 ? Prisma.sql`false` : Prisma.sql`(${Prisma.join(conditions, ' OR ')})`;
}

/** As it stands in the object of the fields. */
function storedForm(value: FilterValue): Scalar {
  return value instanceof Date ? value.getTime() : value;
}

/** As it is compared outside of it: moments and booleans as numbers. */
function comparable(value: FilterValue | null): Scalar | null {
  if (value === null) return null;
  const stored = storedForm(value);
  return typeof stored === 'boolean' ? Number(stored) : stored;
}
