import { BadInputError } from './errors.ts';
import { problem } from './problems.ts';
import { isDatabaseId } from './tokens.ts';

export const MAX_PAGE = 100;

export const DEFAULT_PAGE = 50;

export interface ConnectionArguments {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
}

/** The sort value is null when unset. */
export interface Cursor {
  value: string | number | null;
  id: string;
}

export interface PageRequest {
  limit: number;
  /** Walks from the end (or `before`) towards the start; the response keeps the order of the list. */
  isBackward: boolean;
  after: Cursor | undefined;
  before: Cursor | undefined;
}

export interface Connection<Row> {
  edges: { cursor: string; node: Row }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

/** `totalCount` runs a query only when called. */
export type CountedConnection<Row> = Connection<Row> & { totalCount: () => Promise<number> };

/** The default is `first: 50`. */
export function pageRequest({ first, after, last, before }: ConnectionArguments): PageRequest {
  if (first != null && last != null) throw new BadInputError('FIRST_AND_LAST');
  const limit = first ?? last ?? DEFAULT_PAGE;
  if (limit < 1 || limit > MAX_PAGE) {
    throw new BadInputError(problem('OUT_OF_RANGE', { name: first != null ? 'first' : 'last', min: 1, max: MAX_PAGE }));
  }
  return {
    limit,
    isBackward: last != null,
    after: after == null ? undefined : decodeCursor(after),
    before: before == null ? undefined : decodeCursor(before),
  };
}

export interface NumericPage extends PageRequest {
  afterId: number | undefined;
  beforeId: number | undefined;
}

/** Validates that cursor ids are database ids, because cursors come from clients. */
export function numericPage(listing: ConnectionArguments): NumericPage {
  const page = pageRequest(listing);
  return { ...page, afterId: databaseIdOf(page.after), beforeId: databaseIdOf(page.before) };
}

function databaseIdOf(cursor: Cursor | undefined): number | undefined {
  if (!cursor) return undefined;
  const id = /^\d{1,10}$/.test(cursor.id) ? Number(cursor.id) : 0;
  if (!isDatabaseId(id)) throw new BadInputError('CURSOR_INVALID');
  return id;
}

/** @param rows up to `limit + 1` rows in the order of the walk */
export function connection<Row>(rows: Row[], page: PageRequest, cursorOf: (row: Row) => Cursor): Connection<Row> {
  const hasMore = rows.length > page.limit;
  const nodes = rows.slice(0, page.limit);
  if (page.isBackward) nodes.reverse();
  const edges = nodes.map((node) => ({ cursor: encodeCursor(cursorOf(node)), node }));
  return {
    edges,
    pageInfo: {
      hasNextPage: page.isBackward ? page.before !== undefined : hasMore,
      hasPreviousPage: page.isBackward ? hasMore : page.after !== undefined,
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

function encodeCursor({ value, id }: Cursor): string {
  return Buffer.from(JSON.stringify([value, id])).toString('base64url');
}

function decodeCursor(text: string): Cursor {
  try {
    const [value, id] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as [unknown, unknown];
    const isValue = value === null || typeof value === 'string' || typeof value === 'number';
    if (isValue && typeof id === 'string') return { value, id };
  } catch {
    // handled below
  }
  throw new BadInputError('CURSOR_INVALID');
}
