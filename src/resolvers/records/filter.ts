import { readInteger, readText } from '../../lib/casts.ts';
import { BadInputError, UnprocessableError } from '../../lib/errors.ts';
import type { JsonValue } from '../../lib/json.ts';
import { isObject } from '../../lib/json.ts';
import { problem } from '../../lib/problems.ts';
import { isSearchText } from '../../lib/search-text.ts';
import {
  readSpan,
  type Span,
  spanFrom,
  type TimestampFilter,
  type TimestampOperator,
  timestampFilter,
} from '../../lib/timestamp-filters.ts';
import { castScalar, type FieldType, pointProblem, readNumber, readPoint, type Scalar } from '../classes/values.ts';

export interface FilterField {
  name: string;
  type: FieldType | 'Id' | 'User' | 'Moment';
  isArray: boolean;
}

/** Fields of every record, by their legacy names. */
export const COMMON_FIELDS: Record<string, FilterField> = {
  _id: { name: '_id', type: 'Id', isArray: false },
  _parent_id: { name: '_parent_id', type: 'Id', isArray: false },
  user_id: { name: 'user_id', type: 'User', isArray: false },
  created_at: { name: 'created_at', type: 'Moment', isArray: false },
  updated_at: { name: 'updated_at', type: 'Moment', isArray: false },
};

/** GraphQL names; a field of the class with the same name takes precedence. */
const COMMON_ALIASES: Record<string, keyof typeof COMMON_FIELDS> = {
  id: '_id',
  parentId: '_parent_id',
  userId: 'user_id',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
};

export type FilterOperator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'notIn' | 'all' | 'contains' | 'near';

/** Values are in stored form, times are `Date`; null means unset. */
export interface FilterTest {
  field: FilterField;
  operator: FilterOperator;
  value: FilterValue | FilterValue[] | Near | null;
}

export type FilterValue = Scalar | Date;

export interface Near {
  lat: number;
  lon: number;
  /** Metres. */
  radius: number;
}

export type RecordCondition = { all: RecordCondition[] } | { any: RecordCondition[] } | FilterTest;

/** Legacy and GraphQL names; conditions with `or` are combined with OR. */
const OPERATORS: Record<string, FilterOperator | 'or'> = {
  eq: 'eq',
  ne: 'ne',
  lt: 'lt',
  lte: 'lte',
  gt: 'gt',
  gte: 'gte',
  in: 'in',
  nin: 'notIn',
  notIn: 'notIn',
  all: 'all',
  ctn: 'contains',
  contains: 'contains',
  near: 'near',
  or: 'or',
};

const COMPARED = new Set<FilterField['type']>(['Integer', 'Float', 'Date', 'Id', 'User', 'Moment']);

/** Keys per filter, including nested ones. */
const MAX_FILTER_PARTS = 1_000;

export interface FilterReading {
  /** Treatment of unknown names; `ignore` accepts only legacy names. */
  unknown: 'ignore' | 'refuse';
  /** Excludes the fields of every record, because the data belongs to a dialog. */
  isOfClassOnly?: boolean;
  /** Field names in error messages; default: the name itself. */
  called?: (name: string) => string;
}

export function fieldNamed(name: string, fields: ReadonlyMap<string, FilterField>): FilterField | undefined {
  const alias = Object.hasOwn(COMMON_ALIASES, name) ? COMMON_ALIASES[name]! : name;
  return contractField(name, fields) ?? contractField(alias, fields);
}

function contractField(name: string, fields: ReadonlyMap<string, FilterField>): FilterField | undefined {
  return fields.get(name) ?? (Object.hasOwn(COMMON_FIELDS, name) ? COMMON_FIELDS[name] : undefined);
}

/** `{ make: 'AB', value: { gt: 50 }, or: [{ … }, { … }] }`. @throws {UnprocessableError} `Incorrect filter: <key>` */
export function readRecordFilter(
  given: unknown,
  fields: ReadonlyMap<string, FilterField>,
  reading: FilterReading['unknown'] | FilterReading,
  parts = { left: MAX_FILTER_PARTS },
): RecordCondition {
  const { unknown, isOfClassOnly, called }: FilterReading =
    typeof reading === 'string' ? { unknown: reading } : reading;
  if (given === null || given === undefined) return { all: [] };
  if (!isObject(given as JsonValue)) throw new BadInputError(problem('NOT_AN_OBJECT', { name: 'filter' }));
  const conditions: RecordCondition[] = [];
  const alternatives: RecordCondition[] = [];
  for (const [key, operand] of Object.entries(given as Record<string, JsonValue>)) {
    if (--parts.left < 0) throw new BadInputError('REQUEST_TOO_COMPLEX');
    if ((key === 'or' || key === 'and') && Array.isArray(operand)) {
      const read = operand.map((part) => readRecordFilter(part, fields, reading, parts));
      // An empty `or` matches everything, as in all filters.
      if (key === 'and') conditions.push(...read);
      else if (read.length > 0) conditions.push({ any: read });
      continue;
    }
    const operators: [string | undefined, JsonValue][] = isOperators(operand)
      ? Object.entries(operand)
      : [[undefined, operand]];
    const common = unknown === 'ignore' ? contractField : fieldNamed;
    const field = isOfClassOnly ? fields.get(key) : common(key, fields);
    const plainName = called?.(key) ?? key;
    for (const [operator, value] of operators) {
      const name = operator === undefined ? plainName : `${plainName}[${operator}]`;
      if (!field) {
        if (operator === undefined && unknown === 'ignore') continue;
        throw incorrect(name);
      }
      const known =
        operator === undefined ? 'eq' : Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator]! : undefined;
      if (known === undefined) throw incorrect(name);
      if (known === 'or') alternatives.push(testOf(field, 'in', value, name));
      else conditions.push(testOf(field, known, value, name));
    }
  }
  if (alternatives.length > 0) conditions.push({ any: alternatives });
  return { all: conditions };
}

export function countValues(condition: RecordCondition): number {
  if ('all' in condition) return condition.all.reduce((sum, part) => sum + countValues(part), 0);
  if ('any' in condition) return condition.any.reduce((sum, part) => sum + countValues(part), 0);
  return Array.isArray(condition.value) ? condition.value.length + 1 : 1;
}

export function isSearch(condition: RecordCondition): boolean {
  if ('all' in condition) return condition.all.some(isSearch);
  if ('any' in condition) return condition.any.some(isSearch);
  const { field, operator } = condition;
  return field.name !== '_id' || (operator !== 'eq' && operator !== 'in');
}

/** A location or a date is not an object of operators. */
function isOperators(operand: JsonValue): operand is Record<string, JsonValue> {
  return isObject(operand) && !((operand as unknown) instanceof Date) && !('lat' in operand);
}

function testOf(field: FilterField, operator: FilterOperator, given: JsonValue, key: string): RecordCondition {
  const { type, isArray } = field;
  switch (operator) {
    case 'eq':
      if (given === null) return { field, operator, value: null };
      return oneOf(field, 'eq', given, key);
    case 'ne':
      if (type === 'Location' && given !== null) break;
      if (given === null) return { field, operator, value: null };
      return oneOf(field, 'ne', given, key);
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      if (!isArray && COMPARED.has(type)) return oneOf(field, operator, given, key);
      break;
    case 'in':
    case 'notIn':
      if (type !== 'Location') return manyOf(field, operator, given, key);
      break;
    case 'all':
      if (isArray) return manyOf(field, operator, given, key);
      break;
    case 'contains':
      if (type === 'String' && !isArray) return { field, operator, value: searchedOf(field, given, key) };
      break;
    case 'near':
      if (type === 'Location' && !isArray) return { field, operator, value: readNear(given, key) };
      break;
  }
  throw incorrect(key);
}

function oneOf(field: FilterField, operator: TimestampOperator, given: JsonValue, key: string): RecordCondition {
  if (isMoment(field)) return momentCondition(field, operator, [spanOf(given, key)]);
  return { field, operator, value: castOne(field, given, key) };
}

function manyOf(field: FilterField, operator: 'in' | 'notIn' | 'all', given: JsonValue, key: string): RecordCondition {
  const items = Array.isArray(given) ? given : given === null ? [] : [given];
  if (operator !== 'all' && isMoment(field)) {
    return momentCondition(
      field,
      operator,
      items.map((item) => spanOf(item, key)),
    );
  }
  return { field, operator, value: items.map((item) => castOne(field, item, key)) };
}

/** A time covers its complete precision (such as a second), except as an item of an array. */
function isMoment({ type, isArray }: FilterField): boolean {
  return !isArray && (type === 'Date' || type === 'Moment');
}

function spanOf(given: JsonValue, key: string): Span {
  const exact = given as unknown;
  const span = exact instanceof Date ? spanFrom(exact.getTime(), 1) : readSpan(given);
  if (!span) throw incorrect(key);
  return span;
}

function momentCondition(field: FilterField, operator: TimestampOperator, spans: Span[]): RecordCondition {
  return conditionsOf(timestampFilter('it', operator, spans), field);
}

function conditionsOf(filter: TimestampFilter, field: FilterField): RecordCondition {
  if ('or' in filter && Array.isArray(filter.or)) return { any: filter.or.map((part) => conditionsOf(part, field)) };
  if ('and' in filter && Array.isArray(filter.and)) return { all: filter.and.map((part) => conditionsOf(part, field)) };
  const [comparisons] = Object.values(filter as Record<string, Record<string, Date | null | never[]>>);
  return {
    all: Object.entries(comparisons!).map(([operator, value]) => ({
      field,
      operator: operator as FilterOperator,
      value,
    })),
  };
}

function castOne(field: FilterField, given: JsonValue, key: string): FilterValue {
  const { type } = field;
  if (type === 'Id') return textOf(given, key);
  if (type === 'User') {
    const id = readInteger(given);
    if (id === undefined || Math.abs(id) > 2_147_483_647) throw incorrect(key);
    return id;
  }
  if (type === 'Moment') throw incorrect(key);
  if (type === 'File') return textOf(given, key);
  const cast = castScalar({ name: field.name, type, isArray: false }, given);
  if (cast.problem !== undefined) throw incorrect(key);
  return cast.value;
}

function searchedOf(field: FilterField, given: JsonValue, key: string): FilterValue {
  const text = castOne(field, given, key);
  if (!isSearchText(String(text))) throw incorrect(key);
  return text;
}

function textOf(given: JsonValue, key: string): string {
  const text = readText(given);
  if (typeof text !== 'string') throw incorrect(key);
  return text;
}

/** `"<lat>,<lon>;<radius in metres>"`, or `{"lat", "lon", "radius"}`. */
function readNear(given: JsonValue, key: string): Near {
  const isText = typeof given === 'string';
  const [at, metres, ...more] = isText ? given.split(';') : [given, isObject(given) ? given.radius : undefined];
  const place = readPoint(at);
  const radius = readNumber(metres);
  const isSound = place && radius !== undefined && radius >= 0 && pointProblem(place) === undefined;
  if (!isSound || more.length > 0) throw incorrect(key);
  return { ...place, radius };
}

function incorrect(key: string): UnprocessableError {
  return new UnprocessableError(problem('FILTER_INCORRECT', { filter: key }));
}
