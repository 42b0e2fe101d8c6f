import { BadInputError } from '../lib/errors.ts';
import type { Cursor, PageRequest } from '../lib/pagination.ts';
import { isSearchText, MAX_SEARCH_CHARACTERS } from '../lib/search-text.ts';
import { Prisma } from './client.ts';

/** What a list may be asked of one field; several are AND-ed. */
export interface FieldFilter {
  eq?: unknown;
  ne?: unknown;
  lt?: unknown;
  lte?: unknown;
  gt?: unknown;
  gte?: unknown;
  in?: readonly unknown[] | null;
  notIn?: readonly unknown[] | null;
  /** Array fields: holds all of them. */
  all?: readonly unknown[] | null;
  /** Letter case ignored. */
  contains?: string | null;
}

/** Filters by field, AND-ed; of `or` at least one has to match, of `and` every one. */
export type FilterInput = {
  or?: readonly FilterInput[] | null;
  and?: readonly FilterInput[] | null;
} & Record<string, unknown>;

/** How a field is compared. `column` and `cast` are our own constants, never input. */
export interface FilteredField {
  column: Prisma.Sql;
  /** PostgreSQL type of the values. */
  cast: 'int' | 'int8' | 'numeric' | 'text' | 'timestamptz' | 'float8';
  /** The column is kept in lower case, so letter case of what it is compared with is ignored. */
  isFolded?: boolean;
  /** The column holds several values; `column` is then an array. */
  isArray?: boolean;
}

/** What a filter may ask for, by name; a function makes the condition of what is no plain column. */
export type FilterFields = Record<string, FilteredField | ((condition: unknown) => Prisma.Sql)>;

/** Conditions and alternatives of one filter; a list of values is one. */
const MAX_FILTER_PARTS = 1_000;

/**
 * The `where` of a filter. Fields outside the table can't be asked for.
 * @throws {BadInputError} a filter beyond all need
 */
export function conditionOf(filter: FilterInput | null | undefined, fields: FilterFields): Prisma.Sql {
  return conditionIn(filter, fields, { left: MAX_FILTER_PARTS });
}

function conditionIn(
  filter: FilterInput | null | undefined,
  fields: FilterFields,
  parts: { left: number },
): Prisma.Sql {
  const conditions: Prisma.Sql[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const condition = filter?.[name];
    if (!condition) continue;
    if (typeof field === 'function') conditions.push(field(condition));
    else conditions.push(...fieldConditions(condition as FieldFilter, field));
  }
  parts.left -= conditions.length + (filter?.or?.length ?? 0) + (filter?.and?.length ?? 0);
  if (parts.left < 0) throw new BadInputError('Request parameters are too complex');
  if (filter?.or?.length) {
    conditions.push(
      Prisma.sql`(${Prisma.join(
        filter.or.map((part) => conditionIn(part, fields, parts)),
        ' OR ',
      )})`,
    );
  }
  for (const part of filter?.and ?? []) conditions.push(conditionIn(part, fields, parts));
  return conditions.length > 0 ? Prisma.sql`(${Prisma.join(conditions, ' AND ')})` : Prisma.sql`true`;
}

/** What is asked of one field, to be AND-ed. */
export function fieldConditions(
  condition: FieldFilter,
  { column, cast, isArray, isFolded }: FilteredField,
): Prisma.Sql[] {
  const comparable = (value: unknown) => parameter(isFolded && typeof value === 'string' ? value.toLowerCase() : value);
  const one = (value: unknown) => Prisma.sql`${comparable(value)}::${Prisma.raw(cast)}`;
  const many = (values: readonly unknown[]) => Prisma.sql`${values.map(comparable)}::${Prisma.raw(cast)}[]`;
  const conditions: Prisma.Sql[] = [];
  if (isArray) {
    if (condition.eq === null) conditions.push(Prisma.sql`cardinality(${column}) = 0`);
    if (condition.ne === null) conditions.push(Prisma.sql`cardinality(${column}) > 0`);
    if (condition.eq !== undefined && condition.eq !== null)
      conditions.push(Prisma.sql`${column} @> ARRAY[${one(condition.eq)}]`);
    if (condition.ne !== undefined && condition.ne !== null) {
      conditions.push(Prisma.sql`NOT ${column} @> ARRAY[${one(condition.ne)}]`);
    }
    if (condition.in) conditions.push(Prisma.sql`${column} && ${many(condition.in)}`);
    if (condition.notIn) conditions.push(Prisma.sql`NOT ${column} && ${many(condition.notIn)}`);
    if (condition.all) conditions.push(Prisma.sql`${column} @> ${many(condition.all)}`);
    return conditions;
  }
  if (condition.eq === null) conditions.push(Prisma.sql`${column} IS NULL`);
  else if (condition.eq !== undefined) conditions.push(Prisma.sql`${column} = ${one(condition.eq)}`);
  if (condition.ne === null) conditions.push(Prisma.sql`${column} IS NOT NULL`);
  else if (condition.ne !== undefined) conditions.push(Prisma.sql`${column} IS DISTINCT FROM ${one(condition.ne)}`);
  if (condition.lt != null) conditions.push(Prisma.sql`${column} < ${one(condition.lt)}`);
  if (condition.lte != null) conditions.push(Prisma.sql`${column} <= ${one(condition.lte)}`);
  if (condition.gt != null) conditions.push(Prisma.sql`${column} > ${one(condition.gt)}`);
  if (condition.gte != null) conditions.push(Prisma.sql`${column} >= ${one(condition.gte)}`);
  if (condition.in) conditions.push(Prisma.sql`${column} = ANY(${many(condition.in)})`);
  if (condition.notIn) conditions.push(Prisma.sql`(${column} = ANY(${many(condition.notIn)})) IS NOT TRUE`);
  if (condition.contains != null) conditions.push(Prisma.sql`${column} ILIKE ${partOfText(condition.contains)}`);
  return conditions;
}

/** Operators, by field, that an index serves, or that cost no more than the list without them. */
export type CheapOperators = Record<string, readonly (keyof FieldFilter)[]>;

/** Whether the cost of a filtered list can grow with what is stored. */
export function isSearch(filter: FilterInput | null | undefined, cheap: CheapOperators): boolean {
  return Object.entries(filter ?? {}).some(([name, condition]) => {
    if (condition == null) return false;
    if (name === 'or' || name === 'and') {
      const parts = condition as readonly FilterInput[];
      return parts.length === 0 || parts.some((part) => Object.keys(part).length === 0 || isSearch(part, cheap));
    }
    const operators = Object.keys(condition) as (keyof FieldFilter)[];
    return operators.length === 0 || operators.some((operator) => !cheap[name]?.includes(operator));
  });
}

/** PostgreSQL reads years of four digits and knows no year 0; what is kept lies between. */
function parameter(value: unknown): unknown {
  if (!(value instanceof Date)) return value;
  const year = value.getUTCFullYear();
  if (year < 1) return '-infinity';
  return year > 9_999 ? 'infinity' : value.toISOString();
}

/** The pattern of `ILIKE`. */
function partOfText(text: string): string {
  if (!isSearchText(text)) throw new BadInputError(`contains should have at most ${MAX_SEARCH_CHARACTERS} characters`);
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** What a list is sorted by: a column and, as the tie-breaker, the id. Unset values come last in both directions. */
export interface Order {
  column: Prisma.Sql;
  cast: FilteredField['cast'];
  id: Prisma.Sql;
  isDescending: boolean;
  /** The column is never unset: then one index serves both directions. */
  isAlwaysSet?: boolean;
}

/** `ORDER BY` list, turned round for walking backward. */
export function orderBy({ column, id, isDescending, isAlwaysSet }: Order, isBackward: boolean): Prisma.Sql {
  const direction = Prisma.raw(isDescending === isBackward ? 'ASC' : 'DESC');
  if (isAlwaysSet) return Prisma.sql`${column} ${direction}, ${id} ${direction}`;
  const unset = Prisma.raw(isBackward ? 'NULLS FIRST' : 'NULLS LAST');
  return Prisma.sql`${column} ${direction} ${unset}, ${id} ${direction}`;
}

/** The rows between the page's cursors. */
export function between({ after, before }: PageRequest, order: Order): Prisma.Sql {
  const conditions = [...(after ? [behind(after, order)] : []), ...(before ? [ahead(before, order)] : [])];
  return conditions.length > 0 ? Prisma.join(conditions, ' AND ') : Prisma.sql`true`;
}

function behind(cursor: Cursor, { column, cast, id, isDescending, isAlwaysSet }: Order): Prisma.Sql {
  const { value, id: tie } = requireFitting(cursor, cast);
  const beyond = Prisma.raw(isDescending ? '<' : '>');
  if (value === null) return Prisma.sql`(${column} IS NULL AND ${id} ${beyond} ${tie})`;
  const position = Prisma.sql`${value}::${Prisma.raw(cast)}`;
  if (isAlwaysSet) return Prisma.sql`(${column}, ${id}) ${beyond} (${position}, ${tie})`;
  return Prisma.sql`((${column}, ${id}) ${beyond} (${position}, ${tie}) OR ${column} IS NULL)`;
}

function ahead(cursor: Cursor, { column, cast, id, isDescending }: Order): Prisma.Sql {
  const { value, id: tie } = requireFitting(cursor, cast);
  const before = Prisma.raw(isDescending ? '>' : '<');
  if (value === null) return Prisma.sql`(${column} IS NOT NULL OR ${id} ${before} ${tie})`;
  return Prisma.sql`(${column}, ${id}) ${before} (${value}::${Prisma.raw(cast)}, ${tie})`;
}

/** A cursor comes from outside: what is in it need not be what we once wrote there for this order. */
function requireFitting(cursor: Cursor, cast: Order['cast']): Cursor {
  const { value, id } = cursor;
  const isFitting = value === null || FITS[cast](value);
  if (!isFitting || id.includes('\0')) throw new BadInputError('Invalid cursor');
  return cursor;
}

const FITS: Record<Order['cast'], (value: string | number) => boolean> = {
  int: (value) => Number.isInteger(value) && Math.abs(Number(value)) <= 2_147_483_647,
  int8: (value) => /^-?\d{1,18}$/.test(String(value)),
  numeric: (value) => /^\d{1,40}$/.test(String(value)),
  float8: (value) => typeof value === 'number',
  text: (value) => typeof value === 'string' && !value.includes('\0'),
  timestamptz: (value) => typeof value === 'string' && /^(?!0000)\d{4}-/.test(value) && isoText(value) === value,
};

function isoText(text: string): string | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
