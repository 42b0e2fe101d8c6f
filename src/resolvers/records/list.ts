import type { IdentifiedContext } from '../../context.ts';
import type { Prisma } from '../../db/client.ts';
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
import { problem } from '../../lib/problems.ts';
import { type ClassDefinition, classNamed } from '../classes/catalogue.ts';
import { readable } from './access.ts';
import { isSearch, readRecordFilter } from './filter.ts';
import { requireParent } from './find.ts';
import { type Calculation, groupRecords, type RecordGroup } from './groups.ts';
import { noteList } from './missing-index.ts';
import type { RecordOrder } from './order.ts';
import { planPage } from './plan.ts';
import { isBounded, readPage } from './read-page.ts';
import type { PresentedRecord } from './rows.ts';

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
  context: IdentifiedContext,
): Promise<CountedConnection<PresentedRecord>> {
  const { viewer } = context;
  const definition = await classNamed(listing.className, viewer);
  const page = pageRequest(listing);
  const condition = readRecordFilter(listing.filter, definition.fields, 'refuse');
  noteList(context, definition, condition, listing.orderBy?.field);
  const plan = planPage(definition, { ...listing, condition, page, limit: page.limit + 1, skip: 0 });
  const isLong = isSearch(condition) || listing.orderBy != null;
  const search = searchesOf(jobOwnerOf(viewer), isLong && !isBounded(plan, viewer));
  const rows = await search(() => readPage(plan, viewer, { hasPermissions: true, hasCursors: true }));
  return {
    ...connection(rows, page, ({ sortedBy, id }) => ({
      value: sortedBy instanceof Date ? sortedBy.toISOString() : sortedBy!,
      id,
    })),
    totalCount: () => countRecords(definition, viewer, plan.where),
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
  items: (columns: { hasPermissions: boolean }) => Promise<PresentedRecord[]>;
  totalCount: () => Promise<number>;
  groups: (by: string, calculations: Calculation[]) => Promise<RecordGroup[]>;
}

/** Pages by offset, for REST. @throws like `listRecords` @throws {NotFoundError} parent @throws {BadInputError} */
export async function listRecordPage(reading: RecordReading, context: IdentifiedContext): Promise<RecordPage> {
  const { viewer } = context;
  const { className, parent, lastOnly, skip } = reading;
  const limit = lastOnly ? 1 : reading.limit;
  if (limit < 1 || limit > MAX_PAGE)
    throw new BadInputError(problem('OUT_OF_RANGE', { name: 'limit', min: 1, max: MAX_PAGE }));
  if (skip < 0) throw new BadInputError(problem('NEGATIVE_NUMBER', { name: 'skip' }));
  const definition = await classNamed(className, viewer);
  if (parent) await requireParent(parent.className, parent.id, viewer);
  const condition = readRecordFilter(reading.criteria, definition.fields, 'ignore');
  const page: PageRequest = { limit, isBackward: lastOnly === true, after: undefined, before: undefined };
  const { orderBy } = reading;
  noteList(context, definition, condition, orderBy?.field);
  const plan = planPage(definition, { condition, orderBy, parentId: parent?.id, page, limit, skip });
  const { where } = plan;
  const owner = jobOwnerOf(viewer);
  const isLong = skip > MAX_CHEAP_SKIP || orderBy != null || isSearch(condition);
  const search = searchesOf(owner, isLong && !isBounded(plan, viewer));
  return {
    skip,
    limit,
    items: (columns) => search(() => readPage(plan, viewer, columns)),
    totalCount: () => countRecords(definition, viewer, where),
    groups: (by, calculations) =>
      inSearchTurn(owner, () => groupRecords(definition, viewer, { where, by, calculations, skip, limit })),
  };
}

/** The cost grows with the number of matches. */
async function countRecords(definition: ClassDefinition, viewer: IdentifiedViewer, where: Prisma.Sql): Promise<number> {
  const count = () =>
    query<{ count: number }>`
      SELECT count(*)::int AS count FROM records r WHERE ${where} AND ${readable(definition, viewer)}`;
  const [row] = await inSearchTurn(jobOwnerOf(viewer), count);
  return row!.count;
}
