import type { IdentifiedContext } from '../../context.ts';
import { Prisma, plannedForValues } from '../../db/client.ts';
import { column, select, unionAll } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import { inSearchTurn, MAX_CHEAP_SKIP, searchesOf } from '../../db/search-turns.ts';
import { type IdentifiedViewer, jobOwnerOf } from '../../lib/access.ts';
import { BadInputError } from '../../lib/errors.ts';
import {
  type ConnectionArguments,
  type CountedConnection,
  connection,
  MAX_PAGE,
  type PageRequest,
  pageRequest,
} from '../../lib/pagination.ts';
import { type ClassDefinition, classNamed } from '../classes/catalogue.ts';
import { readable, readableParts } from './access.ts';
import { whereOf } from './conditions.ts';
import { isSearch, type RecordCondition, readRecordFilter } from './filter.ts';
import { requireParent } from './find.ts';
import { type Calculation, groupRecords, type RecordGroup } from './groups.ts';
import { type RecordOrder, type Walk, walkOf } from './order.ts';
import { LISTED_COLUMNS, type ListedRow, type PresentedRecord } from './rows.ts';

export interface RecordListing {
  className: string;
  /** `{ make: { eq: "AB" }, or: [ … ] }`; see `filter.ts`. */
  filter?: unknown;
  orderBy?: RecordOrder | null;
  parentId?: string | null;
}

/** By `_id` by default. @throws {ForbiddenError} `Undefined class` @throws {UnprocessableError} filter or order */
export async function listRecords(
  listing: RecordListing & ConnectionArguments,
  { viewer }: IdentifiedContext,
): Promise<CountedConnection<PresentedRecord>> {
  const known = await classNamed(listing.className, viewer);
  const page = pageRequest(listing);
  const condition = readRecordFilter(listing.filter, known.fields, 'refuse');
  const where = conditionOf(known, condition, listing.parentId);
  const search = searchesOf(jobOwnerOf(viewer), isSearch(condition) || listing.orderBy != null);
  const walk = walkOf(known, listing.orderBy, page);
  const rows = await search(() => readWalk(known, viewer, { where, walk, page, limit: page.limit + 1, skip: 0 }));
  const shown = rows.map((row) => ({ ...row, class: known }));
  return {
    ...connection(shown, page, ({ sortedBy, id }) => ({
      value: sortedBy instanceof Date ? sortedBy.toISOString() : sortedBy,
      id,
    })),
    totalCount: () => countRecords(known, viewer, where),
  };
}

export interface RecordReading {
  className: string;
  /** Filters by key; unknown names are ignored. */
  criteria?: unknown;
  orderBy?: RecordOrder | null;
  parent?: { className: string; id: string } | null;
  skip: number;
  limit: number;
  lastOnly?: boolean | null;
}

export interface RecordPage {
  skip: number;
  limit: number;
  items: () => Promise<PresentedRecord[]>;
  totalCount: () => Promise<number>;
  groups: (by: string, calculations: Calculation[]) => Promise<RecordGroup[]>;
}

/** Pages by offset, for REST. @throws like `listRecords` @throws {NotFoundError} parent @throws {BadInputError} */
export async function listRecordPage(reading: RecordReading, { viewer }: IdentifiedContext): Promise<RecordPage> {
  const { className, parent, lastOnly, skip } = reading;
  const limit = lastOnly ? 1 : reading.limit;
  if (limit < 1 || limit > MAX_PAGE) throw new BadInputError(`limit should be between 1 and ${MAX_PAGE}`);
  if (skip < 0) throw new BadInputError('skip should not be negative');
  const known = await classNamed(className, viewer);
  if (parent) await requireParent(parent.className, parent.id, viewer);
  const condition = readRecordFilter(reading.criteria, known.fields, 'ignore');
  const where = conditionOf(known, condition, parent?.id);
  const owner = jobOwnerOf(viewer);
  const isLong = skip > MAX_CHEAP_SKIP || reading.orderBy != null;
  const search = searchesOf(owner, isLong || isSearch(condition));
  const page: PageRequest = { limit, isBackward: lastOnly === true, after: undefined, before: undefined };
  const walk = walkOf(known, reading.orderBy, page);
  return {
    skip,
    limit,
    items: async () => {
      const rows = await search(() => readWalk(known, viewer, { where, walk, page, limit, skip }));
      return rows.map((row) => ({ ...row, class: known }));
    },
    totalCount: () => countRecords(known, viewer, where),
    groups: (by, calculations) =>
      inSearchTurn(owner, () => groupRecords(known, viewer, { where, by, calculations, skip, limit })),
  };
}

export function conditionOf(
  { applicationId, key }: ClassDefinition,
  condition: RecordCondition,
  parentId?: string | null,
): Prisma.Sql {
  const below = parentId == null ? Prisma.sql`true` : Prisma.sql`r.parent_id = ${parentId}`;
  return Prisma.sql`r.application_id = ${applicationId} AND r.class_key = ${key} AND ${below} AND ${whereOf(condition)}`;
}

type WalkedRow = ListedRow & { sortedBy: string | number | Date | null };

interface WalkedPage {
  where: Prisma.Sql;
  walk: Walk;
  page: PageRequest;
  limit: number;
  skip: number;
}

// Walks each readable part separately and no further than the page, so that unreadable records cost nothing.
async function readWalk(
  known: ClassDefinition,
  viewer: IdentifiedViewer,
  { where, walk, page, limit, skip }: WalkedPage,
): Promise<WalkedRow[]> {
  const visible = await readableParts(known, viewer);
  const walks = walk.stretches.flatMap((stretch, index) => visible.map((part) => ({ ...stretch, index, part })));
  if (walks.length === 0) return [];
  const sortedBy = column('sortedBy', 'sort key | null', walk.value);
  const part = ({ index, part, where: between, orderBy }: (typeof walks)[number], rows: number) => select`
    SELECT ${LISTED_COLUMNS}, ${sortedBy}, ${index}::int AS stretch FROM records r
    WHERE ${where} AND ${part} AND ${between} ORDER BY ${orderBy} LIMIT ${rows}`;
  if (walks.length === 1) return query`${part(walks[0]!, limit)} OFFSET ${skip}`;
  const parts = walks.map((one) => select`(${part(one, limit + skip)})`);
  const direction = Prisma.raw(walk.isDescending === page.isBackward ? 'ASC' : 'DESC');
  const unset = Prisma.raw(page.isBackward ? 'NULLS FIRST' : 'NULLS LAST');
  return query`
    ${known.hasShared && viewer.kind === 'user' ? plannedForValues : Prisma.empty}SELECT * FROM (${unionAll(parts)}) walked
    ORDER BY stretch, "sortedBy" ${direction} ${unset}, id ${direction} LIMIT ${limit} OFFSET ${skip}`;
}

/** The cost grows with the number of matches. */
async function countRecords(known: ClassDefinition, viewer: IdentifiedViewer, where: Prisma.Sql): Promise<number> {
  const count = () =>
    query<{ count: number }>`
      SELECT count(*)::int AS count FROM records r WHERE ${where} AND ${readable(known, viewer)}`;
  const [row] = await inSearchTurn(jobOwnerOf(viewer), count);
  return row!.count;
}
