import { BadInputError } from '../lib/errors.ts';
import type { Cursor, PageRequest } from '../lib/pagination.ts';
import { problem } from '../lib/problems.ts';
import { isSearchText, MAX_SEARCH_CHARACTERS } from '../lib/search-text.ts';
import { Prisma } from './client.ts';

export interface FieldFilter {
  eq?: unknown;
  ne?: unknown;
  lt?: unknown;
  lte?: unknown;
  gt?: unknown;
  gte?: unknown;
  in?: readonly unknown[] | null;
  notIn?: readonly unknown[] | null;
  all?: readonly unknown[] | null;
  contains?: string | null;
}

/** AND-ed; at least one of `or` must match. */
export type FilterInput = {
  or?: readonly FilterInput[] | null;
  and?: readonly FilterInput[] | null;
} & Record<string, unknown>;

/** `column` and `cast` are constants in the code, never input. */
export interface FilteredField {
  column: Prisma.Sql;
  cast: 'int' | 'int8' | 'numeric' | 'text' | 'timestamptz' | 'float8';
  /** Stored in lower case, so values are lower-cased, too. */
  isFolded?: boolean;
  isArray?: boolean;
}

export type FilterFields = Record<string, FilteredField | ((condition: unknown) => Prisma.Sql)>;

const MAX_FILTER_PARTS = 1_000;

/** Ignores fields that `fields` lacks. @throws {BadInputError} more than `MAX_FILTER_PARTS` conditions */
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
  if (parts.left < 0) throw new BadInputError('REQUEST_TOO_COMPLEX');
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

/** Served by an index, or no more expensive than the unfiltered list. */
export type CheapOperators = Record<string, readonly (keyof FieldFilter)[]>;

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

/** PostgreSQL accepts years 1 to 9999. Stored times are in this range, so infinity compares the same. */
function parameter(value: unknown): unknown {
  if (!(value instanceof Date)) return value;
  const year = value.getUTCFullYear();
  if (year < 1) return '-infinity';
  return year > 9_999 ? 'infinity' : value.toISOString();
}

function partOfText(text: string): string {
  if (!isSearchText(text)) throw new BadInputError(problem('SEARCH_TOO_LONG', { max: MAX_SEARCH_CHARACTERS }));
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** The id is the tie-breaker. NULL sorts last in both directions. */
export interface Order {
  column: Prisma.Sql;
  cast: FilteredField['cast'];
  id: Prisma.Sql;
  isDescending: boolean;
  /** One index then serves both directions. */
  isAlwaysSet?: boolean;
}

/** By a column that is always set, descending. Both are constants in the code. */
export function newestFirst(column: string, cast: Order['cast'], id = column): Order {
  return { column: Prisma.raw(column), cast, id: Prisma.raw(id), isDescending: true, isAlwaysSet: true };
}

/** The end of a statement that selects the rows of a page: `WHERE … AND ${rowsOf(page, order)}`. */
export function rowsOf(page: PageRequest, order: Order): Prisma.Sql {
  return Prisma.sql`${between(page, order)} ORDER BY ${orderBy(order, page.isBackward)} LIMIT ${page.limit + 1}`;
}

export function orderBy({ column, id, isDescending, isAlwaysSet }: Order, isBackward: boolean): Prisma.Sql {
  const direction = Prisma.raw(isDescending === isBackward ? 'ASC' : 'DESC');
  if (isAlwaysSet) return Prisma.sql`${column} ${direction}, ${id} ${direction}`;
  const unset = Prisma.raw(isBackward ? 'NULLS FIRST' : 'NULLS LAST');
  return Prisma.sql`${column} ${direction} ${unset}, ${id} ${direction}`;
}

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

/** Cursors are client input. */
function requireFitting(cursor: Cursor, cast: Order['cast']): Cursor {
  const { value, id } = cursor;
  const isFitting = value === null || FITS[cast](value);
  if (!isFitting || id.includes('\0')) throw new BadInputError('CURSOR_INVALID');
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
