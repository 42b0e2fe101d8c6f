import { Prisma } from '../../db/client.ts';
import { type FieldFilter, type FilteredField, fieldConditions } from '../../db/conditions.ts';
import { BadInputError } from '../../lib/errors.ts';
import type { ClassField } from '../classes/catalogue.ts';
import { ALL_SLOTS, type Slot, slotKindOf, slotText, UNSET_NUMBER, UNSET_TEXT } from '../classes/slots.ts';
import type { GeoPoint, Scalar } from '../classes/values.ts';
import { chordOf } from '../geodata/rules.ts';
import {
  countValues,
  type FilterField,
  type FilterTest,
  type FilterValue,
  type Near,
  type RecordCondition,
} from './filter.ts';

/** Values per filter. */
const MAX_FILTER_VALUES = 1_000;

/** Longer lists are compared by value, because each containment is a separate index lookup. */
const MAX_CONTAINMENTS = 20;

/** Location of field values. */
export interface FieldSource {
  /** Object of all fields; trusted SQL. */
  fields: Prisma.Sql;
  /** Whether slots exist; images outside the table have none. */
  hasSlots: boolean;
}

export const RECORDS: FieldSource = { fields: Prisma.sql`r.fields`, hasSlots: true };

export const COMMON_COLUMNS: Record<string, FilteredField> = {
  _id: { column: Prisma.sql`r.id`, cast: 'text' },
  _parent_id: { column: Prisma.sql`r.parent_id`, cast: 'text' },
  user_id: { column: Prisma.sql`r.user_id`, cast: 'int' },
  created_at: { column: Prisma.sql`r.created_at`, cast: 'timestamptz' },
  updated_at: { column: Prisma.sql`r.updated_at`, cast: 'timestamptz' },
};

/** Names and values are parameters; columns are trusted SQL. @throws {BadInputError} too complex */
export function whereOf(condition: RecordCondition, source: FieldSource = RECORDS): Prisma.Sql {
  if (countValues(condition) > MAX_FILTER_VALUES) throw new BadInputError('REQUEST_TOO_COMPLEX');
  return compile(condition, source);
}

function compile(condition: RecordCondition, source: FieldSource): Prisma.Sql {
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

function joined(parts: RecordCondition[], operator: string, none: Prisma.Sql, source: FieldSource): Prisma.Sql {
  if (parts.length === 0) return none;
  return Prisma.sql`(${Prisma.join(
    parts.map((part) => compile(part, source)),
    operator,
  )})`;
}

/** Undefined until the index covers all records. */
export function readySlot(field: FilterField): Slot | undefined {
  const { slot, indexState } = field as Partial<ClassField>;
  return slot && indexState === 'ready' && ALL_SLOTS.includes(slot) ? slot : undefined;
}

export function slotColumn(slot: Slot): Prisma.Sql {
  return Prisma.raw(`r.${slot}`);
}

/** Comparable value of a field that is not an array; null if unset. */
export function plainColumn({ name, type }: FilterField, { fields }: FieldSource): FilteredField {
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

/** Without a slot; the index of all fields serves equality. */
function plainTest(test: FilterTest, source: FieldSource): Prisma.Sql {
  const { field, operator, value } = test;
  if (field.type !== 'File' && value !== null) {
    if (operator === 'eq') return containment(test.field.name, storedForm(value as FilterValue), source);
    if (operator === 'in' && (value as FilterValue[]).length <= MAX_CONTAINMENTS) {
      return anyOf((value as FilterValue[]).map((one) => containment(field.name, storedForm(one), source)));
    }
  }
  const filter = { [operator]: Array.isArray(value) ? value.map(comparable) : comparable(value as FilterValue | null) };
  // The "C" collation ignores case only for ASCII.
  const column =
    operator === 'contains'
      ? ({ column: Prisma.sql`(${source.fields} ->> ${field.name})`, cast: 'text' } as const)
      : plainColumn(field, source);
  return Prisma.join(fieldConditions(filter as FieldFilter, column), ' AND ');
}

function slotTest({ field, operator, value }: FilterTest, slot: Slot, source: FieldSource): Prisma.Sql {
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

function arrayTest({ field: { name }, operator, value }: FilterTest, source: FieldSource): Prisma.Sql {
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
    // Every set array contains the empty list.
    default:
      return holds(value as FilterValue[]);
  }
}

export function centreOf({ lat, lon }: Near): Prisma.Sql {
  return Prisma.sql`place_of(${lat}::float8, ${lon}::float8)`;
}

function placeTest(
  { field: { name }, operator, value }: FilterTest,
  source: FieldSource,
  slot: Slot | undefined,
): Prisma.Sql {
  if (operator !== 'near') {
    const isSet = Prisma.sql`jsonb_exists(${source.fields}, ${name})`;
    if (value === null) return operator === 'eq' ? Prisma.sql`NOT ${isSet}` : isSet;
    return containment(name, value as GeoPoint, source);
  }
  const centre = centreOf(value as Near);
  const chord = chordOf((value as Near).radius);
  const place = Prisma.sql`(${source.fields} -> ${name})`;
  const point = slot
    ? slotColumn(slot)
    : Prisma.sql`place_of((${place} ->> 'lat')::float8, (${place} ->> 'lon')::float8)`;
  const isWithin = Prisma.sql`coalesce(cube_distance(${point}, ${centre}) <= ${chord}::float8, false)`;
  // The index serves the box, which is slightly larger than the circle.
  return slot ? Prisma.sql`(${point} <@ cube_enlarge(${centre}, ${chord}::float8, 3) AND ${isWithin})` : isWithin;
}

function containment(name: string, value: Scalar | Scalar[], { fields }: FieldSource): Prisma.Sql {
  return Prisma.sql`${fields} @> ${JSON.stringify({ [name]: value })}::jsonb`;
}

function anyOf(conditions: Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0 ? Prisma.sql`false` : Prisma.sql`(${Prisma.join(conditions, ' OR ')})`;
}

function storedForm(value: FilterValue): Scalar {
  return value instanceof Date ? value.getTime() : value;
}

/** Dates and booleans as numbers. */
export function comparable(value: FilterValue | null): Scalar | null {
  if (value === null) return null;
  const stored = storedForm(value);
  return typeof stored === 'boolean' ? Number(stored) : stored;
}
