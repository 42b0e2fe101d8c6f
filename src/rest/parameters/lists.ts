import type { Parameters } from '../../lib/bracket-keys.ts';
import { readFlag, readInteger, readIntegerWithin, readList, readText, readTimestamp } from '../../lib/casts.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { isObject, type JsonValue } from '../../lib/json.ts';
import { MAX_PAGE } from '../../lib/pagination.ts';
import { problem } from '../../lib/problems.ts';
import { isSearchText } from '../../lib/search-text.ts';
import {
  readSpan,
  type Span,
  type TimestampFilter,
  type TimestampOperator,
  timestampFilter,
} from '../../lib/timestamp-filters.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import {
  described,
  flag,
  integer,
  moment,
  number,
  oneOfTexts,
  requestObject,
  type Schema,
  text,
  WRONG_TYPE,
} from '../openapi/docs/schemas.ts';
import { type ParameterTable, tableOf } from './table.ts';

export type FilterType = 'id' | 'integer' | 'text' | 'moment' | 'unixTime' | 'integers' | 'texts';

export type FilterNames = Record<string, readonly [field: string, type: FilterType]>;

type Condition = Record<string, unknown>;
type Part = Record<string, Condition> | TimestampFilter;
export type ListFilter = Record<string, Condition | Part[]>;

const COMPARED = new Set<FilterType>(['id', 'integer', 'moment', 'unixTime']);
const LISTS = new Set<FilterType>(['integers', 'texts']);

export function filtersOf(names: FilterNames): ParameterTable<{ filter: ListFilter }> {
  const properties = Object.entries(names).map(([name, [, type]]) => [name, schemaOf(name, type)]);
  return {
    schema: requestObject(Object.fromEntries(properties)),
    read: (parameters) => ({ filter: readFilter(parameters, names) }),
  };
}

/** `sender_id[in]=1,2` → `{ senderId: { in: [1, 2] } }` @throws {UnprocessableError} `Incorrect filter: <key>` */
export function readFilter(parameters: Parameters, names: FilterNames): ListFilter {
  const filter: ListFilter = {};
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

/** @param fields legacy name → name in the GraphQL enum */
export function orderOf<Field extends string>(fields: Record<string, Field>) {
  const name = { ...oneOfTexts(Object.keys(fields)), [WRONG_TYPE]: incorrectSort };
  return tableOf(
    {
      sort_asc: described(name, 'Field to sort by, in ascending order.'),
      sort_desc: described(name, 'Field to sort by, in descending order; takes precedence over `sort_asc`.'),
    },
    (parameters) => ({ orderBy: readOrder(parameters, fields) }),
  );
}

export const incorrectSort = (value: string) => problem('SORT_INCORRECT', { field: value });

/** @throws {UnprocessableError} `Incorrect sort field: <field>` */
function readOrder<Field extends string>(parameters: Parameters, fields: Record<string, Field>) {
  const descending = readText(parameters.sort_desc);
  const legacy = descending || readText(parameters.sort_asc);
  if (!legacy) return undefined;
  const field = Object.hasOwn(fields, legacy) ? fields[legacy] : undefined;
  if (!field) throw new UnprocessableError(problem('SORT_INCORRECT', { field: legacy }));
  return { field, direction: descending ? ('DESC' as const) : ('ASC' as const) };
}

/** Values out of range are not refused; the nearest valid value or the default applies. */
export const window = tableOf(
  {
    limit: {
      ...integer,
      default: MAX_PAGE,
      description: `Maximum number of items, 1 to ${MAX_PAGE}; other values count as ${MAX_PAGE}.`,
    },
    skip: { ...integer, default: 0, description: 'Number of items to skip; invalid values count as 0.' },
  },
  readWindow,
);

/** See "Lists" in docs/reference/rest-contract.md. */
export function readWindow(parameters: Parameters): { limit: number; skip: number } {
  const limit = readInteger(parameters.limit) ?? MAX_PAGE;
  const skip = readIntegerWithin(parameters.skip, 0, 2_147_483_647) ?? 0;
  return { limit: limit >= 1 ? Math.min(limit, MAX_PAGE) : MAX_PAGE, skip };
}

export const count = tableOf(
  { count: described(flag, '1 returns only the number of items, as `items.count`. Default 0.') },
  (parameters) => ({ count: isCount(parameters) }),
);

export function isCount(parameters: Parameters): boolean {
  return readFlag(parameters.count) === true;
}

function operatorsOf(requested: JsonValue): [operator: string | undefined, value: JsonValue][] {
  return isObject(requested) ? Object.entries(requested) : [[undefined, requested]];
}

/** Times match with the precision of answers, which is a second. */
function partOf(field: string, condition: Condition, type: FilterType): Part {
  const [[operator, value] = []] = Object.entries(condition);
  if (type !== 'moment' || value === null) return { [field]: condition };
  return timestampFilter(field, operator as TimestampOperator, [value].flat() as Span[]);
}

function conditionOf(operator: string | undefined, value: JsonValue, type: FilterType, key: string): Condition {
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

function oneOf(value: JsonValue, type: FilterType, key: string): unknown {
  return value === null || value === 'null' ? null : castOne(value, type, key);
}

function manyOf(value: JsonValue, type: FilterType, key: string): unknown[] {
  return readList(value).map((item) => castOne(item, type, key));
}

function searchedOf(value: JsonValue, key: string): unknown {
  const text = castOne(value, 'text', key);
  if (!isSearchText(String(text))) throw incorrect(key);
  return text;
}

function castOne(value: JsonValue, type: FilterType, key: string): unknown {
  const cast = CASTS[type](value);
  if (cast === undefined || cast === null) throw incorrect(key);
  return cast;
}

const CASTS: Record<FilterType, (value: JsonValue) => unknown> = {
  id: readText,
  text: readText,
  texts: readText,
  integer: readDatabaseInteger,
  integers: readDatabaseInteger,
  unixTime: readUnixTime,
  moment: readSpan,
};

/** Keeps all fractional digits, because rounding to milliseconds would move a bound. */
function readUnixTime(value: JsonValue): number | undefined {
  const milliseconds = readTimestamp(value);
  if (milliseconds === undefined) return undefined;
  const seconds = Number(value);
  return Number.isNaN(seconds) ? milliseconds / 1000 : seconds;
}

function readDatabaseInteger(value: JsonValue): number | undefined {
  const integer = readInteger(value);
  return integer !== undefined && (integer === 0 || isDatabaseId(Math.abs(integer))) ? integer : undefined;
}

function incorrect(key: string): UnprocessableError {
  return new UnprocessableError(problem('FILTER_INCORRECT', { filter: key }));
}

const VALUES: Record<FilterType, Schema> = {
  id: text,
  integer,
  text,
  moment,
  unixTime: number,
  integers: integer,
  texts: text,
};

function schemaOf(field: string, type: FilterType): Schema {
  const value = VALUES[type];
  const list = (description: string) => described(text, `${description} Separate the values with commas: \`1,2\`.`);
  const isList = type === 'integers' || type === 'texts';
  const operators = {
    ...(isList || type === 'text'
      ? {}
      : {
          lt: described(value, 'Less than the value.'),
          lte: described(value, 'Less than or equal to the value.'),
          gt: described(value, 'Greater than the value.'),
          gte: described(value, 'Greater than or equal to the value.'),
        }),
    ne: described(value, 'Not equal to the value, or unset.'),
    in: list('Equal to one of the values.'),
    nin: list('Equal to none of the values.'),
    ...(isList ? { all: list('Contains all of the values.') } : {}),
    or: list('Equal to one of the values. Items that match the `or` of any field are returned.'),
    ...(type === 'text' ? { ctn: described(text, 'Contains the text, letter case ignored.') } : {}),
  };
  const names = Object.keys(operators).map((name) => `\`${name}\``);
  return {
    anyOf: [value, { ...requestObject(operators), additionalProperties: false }],
    description: `Filters by \`${field}\`: a value, or operators such as \`${field}[in]=…\`. Operators: ${names.join(', ')}.`,
  };
}
