import { Prisma, plannedForValues } from '../../db/client.ts';
import { columnsOf, withJson } from '../../db/columns.ts';
import { newestFirst, rowsOf } from '../../db/conditions.ts';
import { query } from '../../db/query.ts';
import { BadInputError } from '../../lib/errors.ts';
import { type Connection, type ConnectionArguments, connection, pageRequest } from '../../lib/pagination.ts';
import type { SentError } from '../../platform/observability/request-errors.ts';
import { lastRequestId } from '../../realtime/request-feed.ts';
import { conditionOf, type RequestLogFilter } from './filter.ts';
import { MAX_ORDINARY_PER_HOUR, MAX_SEVERE_PER_HOUR } from './store.ts';

const LOGGED_REQUEST = withJson<{ errors: SentError[] }>()(columnsOf('LoggedRequest', 'r'));

export type LoggedRequestRow = Awaited<ReturnType<typeof readRequests>>[number];

export type RequestLogConnection = Connection<LoggedRequestRow> & {
  /** Position in the log before the page was read. */
  cursor: string;
  /** The number of requests that were not stored; read only when called. */
  skippedCount: () => Promise<number>;
};

export type RequestLogOrder = 'newest' | 'slowest';

const ORDERS = {
  newest: newestFirst('r.at', 'timestamptz', 'r.id'),
  slowest: newestFirst('r.duration_ms', 'float8', 'r.id'),
};

/** @param applicationId 0: requests without an application @throws {BadInputError} */
export async function listRequests(
  applicationId: number,
  {
    filter,
    orderBy,
    ...listing
  }: ConnectionArguments & {
    filter?: RequestLogFilter | null;
    /** Newest first by default. */
    orderBy?: RequestLogOrder | null;
  },
): Promise<RequestLogConnection> {
  const page = pageRequest(listing);
  const order = orderBy ?? 'newest';
  for (const cursor of [page.after, page.before]) {
    if (cursor && !(cursor.value !== null && /^\d{1,18}$/.test(cursor.id))) {
      throw new BadInputError('CURSOR_INVALID');
    }
  }
  // Before the rows, so that a subscription from there misses none.
  const end = await lastRequestId(applicationId);
  const rows = await readRequests(Prisma.sql`
    r.application_id = ${applicationId} AND ${conditionOf(filter ?? {})} AND ${rowsOf(page, ORDERS[order])}`);
  return {
    ...connection(rows, page, ({ at, durationMs, id }) => ({
      value: order === 'newest' ? at.toISOString() : durationMs,
      id: String(id),
    })),
    cursor: String(end),
    skippedCount: () => countSkipped(applicationId, filter ?? {}),
  };
}

export function readRequests(condition: Prisma.Sql) {
  return query`${plannedForValues}SELECT ${LOGGED_REQUEST} FROM request_log r WHERE ${condition}`;
}

/** Of the hours that the times of the filter touch; other conditions do not count. */
async function countSkipped(applicationId: number, { from, to }: RequestLogFilter): Promise<number> {
  const since = from == null ? Prisma.empty : Prisma.sql`AND h.hour > ${from}::timestamptz - interval '1 hour'`;
  const until = to == null ? Prisma.empty : Prisma.sql`AND h.hour < ${to}`;
  const [row] = await query<{ count: number }>`
    SELECT least(2147483647, coalesce(sum(h.skipped::bigint + greatest(0, h.ordinary - ${MAX_ORDINARY_PER_HOUR}::int)
      + greatest(0, h.severe - ${MAX_SEVERE_PER_HOUR}::int)), 0))::int AS count
    FROM request_log_hours h WHERE h.application_id = ${applicationId} ${since} ${until}`;
  return row!.count;
}
