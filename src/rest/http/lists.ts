import { isObject, type Parameters, type ParameterValue } from '../../lib/bracket-keys.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import {
  readFlag,
  readInteger,
  readIntegerWithin,
  readList,
  readText,
  readTimestamp,
} from '../../lib/parameter-values.ts';
import { isSearchText } from '../../lib/search-text.ts';
import {
  readSpan,
  type Span,
  type TimestampFilter,
  type TimestampOperator,
  timestampFilter,
} from '../../lib/timestamp-filters.ts';
import { isDatabaseId } from '../../lib/tokens.ts';

export type FilterType = 'id' | 'integer' | 'text' | 'moment' | 'unixTime' | 'integers' | 'texts';

export type FilterNames = Record<string, readonly [field: string, type: FilterType]>;

type Condition = Record<string, unknown>;
type Part = Record<string, Condition> | TimestampFilter;
export type FilterInput = Record<string, Condition | Part[]>;

const COMPARED = new Set<FilterType>(['id', 'integer', 'moment', 'unixTime']);
const LISTS = new Set<FilterType>(['integers', 'texts']);

/** `sender_id[in]=1,2` → `{ senderId: { in: [1, 2] } }` @throws {UnprocessableError} `Incorrect filter: <key>` */
export function readFilter(parameters: Parameters, names: FilterNames): FilterInput {
  const filter: FilterInput = {};
  const alternatives: Part[] = [];
  const moments: Part[] = [];
  for (const [key, [field, type]] of Object.entries(names)) {
    const requested = parameters[key];
    if (requested === undefined) continue;
    const condition: Condition = {};
    for (const [operator, value] of operatorsOf(requested)) {
      const name = operator === undefined ? key : `${key}[${operator}]`;
      const part = conditionOf(operator === 'or' ? 'in' : operator, value, type, name);
      if (operator === 'or') alternatives.push(partOf(field, part, type));
      else if (type === 'moment') moments.push(partOf(field, part, type));
      else Object.assign(condition, part);
    }
    if (Object.keys(condition).length > 0) filter[field] = condition;
  }
  if (alternatives.length > 0) filter.or = alternatives;
  if (moments.length > 0) filter.and = moments;
  return filter;
}

/** @param fields legacy name → name in the GraphQL enum @throws {UnprocessableError} `Incorrect sort field: <field>` */
export function readOrder<Field extends string>(parameters: Parameters, fields: Record<string, Field>) {
  const descending = readText(parameters.sort_desc);
  const legacy = descending || readText(parameters.sort_asc);
  if (!legacy) return undefined;
  const field = Object.hasOwn(fields, legacy) ? fields[legacy] : undefined;
  if (!field) throw new UnprocessableError(`Incorrect sort field: ${legacy}`);
  return { field, direction: descending ? ('DESC' as const) : ('ASC' as const) };
}

/** Invalid values do not fail: see "Lists" in docs/reference/rest-contract.md. */
export function readWindow(parameters: Parameters): { limit: number; skip: number } {
  const limit = readInteger(parameters.limit) ?? 100;
  const skip = readIntegerWithin(parameters.skip, 0, 2_147_483_647) ?? 0;
  return { limit: limit >= 1 ? Math.min(limit, 100) : 100, skip };
}

export function isCount(parameters: Parameters): boolean {
  return readFlag(parameters.count) === true;
}

/** `a, b,,a` → `["a", "b", "a"]` */
export function readIds(text: string): string[] {
  return text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

function operatorsOf(requested: ParameterValue): [operator: string | undefined, value: ParameterValue][] {
  return isObject(requested) ? Object.entries(requested) : [[undefined, requested]];
}

/** Times match with the precision of answers, which is a second. */
function partOf(field: string, condition: Condition, type: FilterType): Part {
  const [[operator, value] = []] = Object.entries(condition);
  if (type !== 'moment' || value === null) return { [field]: condition };
  return timestampFilter(field, operator as TimestampOperator, [value].flat() as Span[]);
}

function conditionOf(operator: string | undefined, value: ParameterValue, type: FilterType, key: string): Condition {
  switch (operator) {
    case undefined:
      return { eq: oneOf(value, type, key) };
    case 'ne':
      return { ne: oneOf(value, type, key) };
    case 'in':
      return { in: manyOf(value, type, key) };
    case 'nin':
      return { notIn: manyOf(value, type, key) };
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      if (COMPARED.has(type)) return { [operator]: castOne(value, type, key) };
      break;
    case 'all':
      if (LISTS.has(type)) return { all: manyOf(value, type, key) };
      break;
    case 'ctn':
      if (type === 'text') return { contains: searchedOf(value, key) };
      break;
  }
  throw incorrect(key);
}

function oneOf(value: ParameterValue, type: FilterType, key: string): unknown {
  return value === null || value === 'null' ? null : castOne(value, type, key);
}

function manyOf(value: ParameterValue, type: FilterType, key: string): unknown[] {
  return readList(value).map((item) => castOne(item, type, key));
}

function searchedOf(value: ParameterValue, key: string): unknown {
  const text = castOne(value, 'text', key);
  if (!isSearchText(String(text))) throw incorrect(key);
  return text;
}

function castOne(value: ParameterValue, type: FilterType, key: string): unknown {
  const cast = CASTS[type](value);
  if (cast === undefined || cast === null) throw incorrect(key);
  return cast;
}

const CASTS: Record<FilterType, (value: ParameterValue) => unknown> = {
  id: readText,
  text: readText,
  texts: readText,
  integer: readDatabaseInteger,
  integers: readDatabaseInteger,
  unixTime: readUnixTime,
  moment: readSpan,
};

/** Keeps all fractional digits, because rounding to milliseconds would move a bound. */
function readUnixTime(value: ParameterValue): number | undefined {
  const milliseconds = readTimestamp(value);
  if (milliseconds === undefined) return undefined;
  const seconds = Number(value);
  return Number.isNaN(seconds) ? milliseconds / 1000 : seconds;
}

function readDatabaseInteger(value: ParameterValue): number | undefined {
  const integer = readInteger(value);
  return integer !== undefined && (integer === 0 || isDatabaseId(Math.abs(integer))) ? integer : undefined;
}

function incorrect(key: string): UnprocessableError {
  return new UnprocessableError(`Incorrect filter: ${key}`);
}
