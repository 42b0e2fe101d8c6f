import { BadInputError } from './errors.ts';
import { isDatabaseId } from './tokens.ts';

/** Most rows of one page, on every door. */
export const MAX_PAGE = 100;

export interface ConnectionArguments {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
}

/** A place in an ordered list: what the row is sorted by (null when unset) and its id. */
export interface Cursor {
  value: string | number | null;
  id: string;
}

export interface PageRequest {
  limit: number;
  /** Walks from the end (or from `before`) towards the start; the rows are still answered in the list's order. */
  isBackward: boolean;
  after: Cursor | undefined;
  before: Cursor | undefined;
}

export interface Connection<Row> {
  edges: { cursor: string; node: Row }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

/** A page of a list whose length can be asked for, which costs a query of its own. */
export type CountedConnection<Row> = Connection<Row> & { totalCount: () => Promise<number> };

/** Reads Relay's arguments; without `first` and `last` the first 50. */
export function pageRequest({ first, after, last, before }: ConnectionArguments): PageRequest {
  if (first != null && last != null) throw new BadInputError('Only one of first and last may be used');
  const limit = first ?? last ?? 50;
  if (limit < 1 || limit > MAX_PAGE) {
    throw new BadInputError(`${first != null ? 'first' : 'last'} should be between 1 and ${MAX_PAGE}`);
  }
  return {
    limit,
    isBackward: last != null,
    after: after == null ? undefined : decodeCursor(after),
    before: before == null ? undefined : decodeCursor(before),
  };
}

/** The same for rows whose ids are numbers: cursors come from outside. */
export function numericPage(listing: ConnectionArguments): PageRequest {
  const page = pageRequest(listing);
  for (const cursor of [page.after, page.before]) {
    if (cursor && !(/^\d{1,10}$/.test(cursor.id) && isDatabaseId(Number(cursor.id)))) {
      throw new BadInputError('Invalid cursor');
    }
  }
  return page;
}

/**
 * @param rows up to one more than asked for, in the order they were walked
 * @param cursorOf place of a row in the list
 */
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
    // told below
  }
  throw new BadInputError('Invalid cursor');
}
