import { Prisma } from '../../db/client.ts';
import { column, columns, columnsOf, type RowOf, type RowSql, select, withJson } from '../../db/columns.ts';
import { timeOf } from '../../db/json-rows.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import type { StoredFields } from '../classes/values.ts';
import { type PresentedRecord, SMALL_FIELDS } from './rows.ts';

/** Optional columns of a page. */
export interface PageColumns {
  hasPermissions: boolean;
  hasCursors: boolean;
}

export type WalkedRow = PresentedRecord & { sortedBy?: SortKey | undefined };
type SortKey = string | number | Date | null;

const COMMON = withJson<{ fields: StoredFields | null }>()(
  select`${columnsOf('Record', 'r', ['id', 'parentId', 'userId'])}, ${columns({
    createdAt: ['float', epochOf('r.created_at')],
    updatedAt: ['float', epochOf('r.updated_at')],
    fields: ['json', SMALL_FIELDS],
  })}`,
);
const PERMISSIONS = columnsOf('Record', 'r', ['readers', 'updaters', 'deleters']);

export type PageRow = RowOf<[typeof COMMON]>;

/** Seconds, which are parsed faster than texts. */
function epochOf(column: string): string {
  return `date_part('epoch', ${column})`;
}

function timeFrom(seconds: number): Date {
  return new Date(Math.round(seconds * 1_000));
}

export function pageColumns({ hasPermissions }: PageColumns): RowSql<PageRow> {
  return hasPermissions ? select`${COMMON}, ${PERMISSIONS}` : COMMON;
}

const AGGREGATES = aggregatesOf(['id', 'parentId', 'userId', 'createdAt', 'updatedAt', 'fields']);
const PERMISSION_AGGREGATES = Prisma.sql`, ${aggregatesOf(['readers', 'updaters', 'deleters'])}`;
const CURSOR_AGGREGATE = Prisma.sql`, ${aggregatesOf(['sortedBy'])}`;

function aggregatesOf(names: string[]): Prisma.Sql {
  return Prisma.raw(names.map((name) => `'${name}', json_agg("${name}")`).join(', '));
}

/**
 * The rows of `page` as one value with an array for each column. It takes two thirds of the CPU time of
 * `json_agg(page)`, for which PostgreSQL looks up the types of all columns for each row.
 */
export function pageValue(
  page: RowSql<PageRow>,
  { hasPermissions, hasCursors }: PageColumns,
): RowSql<{ page: unknown }> {
  const permissions = hasPermissions ? PERMISSION_AGGREGATES : Prisma.empty;
  const cursors = hasCursors ? CURSOR_AGGREGATE : Prisma.empty;
  const value = Prisma.sql`(SELECT json_build_object(${AGGREGATES}${permissions}${cursors}) FROM (${page}) page)`;
  return column('page', 'json', value);
}

/** Arrays of equal length, or null without rows. */
interface PageValue {
  id: string[] | null;
  parentId: (string | null)[];
  userId: number[];
  createdAt: number[];
  updatedAt: number[];
  fields: (StoredFields | null)[];
  readers?: string[][];
  updaters?: string[][];
  deleters?: string[][];
  sortedBy?: (string | number | null)[];
}

export function pageRows(definition: ClassDefinition, value: unknown, isSortedByTime: boolean): WalkedRow[] {
  const page = value as PageValue;
  const { readers, updaters, deleters, sortedBy } = page;
  return (page.id ?? []).map((id, place) => ({
    class: definition,
    applicationId: definition.applicationId,
    classKey: definition.key,
    id,
    parentId: page.parentId[place]!,
    userId: page.userId[place]!,
    createdAt: timeFrom(page.createdAt[place]!),
    updatedAt: timeFrom(page.updatedAt[place]!),
    fields: page.fields[place]!,
    readers: readers?.[place],
    updaters: updaters?.[place],
    deleters: deleters?.[place],
    sortedBy: sortedBy && sortKey(sortedBy[place]!, isSortedByTime),
  }));
}

function sortKey(value: string | number | null, isTime: boolean): SortKey {
  return isTime && value !== null ? timeOf(String(value)) : value;
}
