import { Prisma } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import type { RequestTransport } from '../../generated/prisma/enums.ts';
import { BadInputError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { HOUR } from '../../lib/time.ts';
import { conditionOf, type RequestLogFilter } from './filter.ts';

/** Logged requests that have transport, route, operation and class in common. */
export type RequestShape = Awaited<ReturnType<typeof listRequestShapes>>[number];

export const MAX_HOURS = 24 * 31;
export const MAX_SHAPES = 20;

export interface ShapeOptions {
  hours: number;
  filter?: RequestLogFilter | null | undefined;
}

/**
 * The most frequent ones first; of slow requests, those that took the most time in total.
 * @param applicationId 0: requests without an application
 * @throws {BadInputError}
 */
export async function listRequestShapes(applicationId: number, { hours, filter }: ShapeOptions, now: Date) {
  if (hours < 1 || hours > MAX_HOURS)
    throw new BadInputError(problem('NOT_BETWEEN', { name: 'hours', min: 1, max: MAX_HOURS }));
  const order = filter?.slowOnly ? Prisma.sql`sum(r.duration_ms)` : Prisma.sql`count(*)`;
  return query<{
    transport: RequestTransport;
    route: string;
    operation: string | null;
    className: string | null;
    missingIndex: string[];
    requests: number;
    averageMs: number;
    maxMs: number;
    lastAt: Date;
  }>`
    SELECT r.transport, r.route, nullif(coalesce(r.operation, array_to_string(r.fields, ' ')), '') AS operation,
      r.class_name AS "className", r.missing_index AS "missingIndex", count(*)::int AS requests, avg(r.duration_ms) AS "averageMs", max(r.duration_ms) AS "maxMs", max(r.at) AS "lastAt"
    FROM request_log r
    WHERE r.application_id = ${applicationId} AND r.at >= ${new Date(now.getTime() - hours * HOUR)}
      AND ${conditionOf(filter ?? {})}
    GROUP BY 1, 2, 3, 4, 5 ORDER BY ${order} DESC, 2, 3, 4, 5 LIMIT ${MAX_SHAPES}`;
}
