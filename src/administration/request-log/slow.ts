import { query } from '../../db/query.ts';
import type { RequestTransport } from '../../generated/prisma/enums.ts';
import { BadInputError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { HOUR } from '../../lib/time.ts';

/** Slow requests of one shape. */
export type SlowShape = Awaited<ReturnType<typeof listSlowShapes>>[number];

export const MAX_HOURS = 24 * 31;
export const MAX_SHAPES = 20;

/**
 * Those that took the most time in total come first.
 * @param applicationId 0: requests without an application
 * @throws {BadInputError}
 */
export async function listSlowShapes(applicationId: number, hours: number, now: Date) {
  if (hours < 1 || hours > MAX_HOURS)
    throw new BadInputError(problem('NOT_BETWEEN', { name: 'hours', min: 1, max: MAX_HOURS }));
  return query<{
    transport: RequestTransport;
    route: string;
    operation: string | null;
    requests: number;
    averageMs: number;
    maxMs: number;
    lastAt: Date;
  }>`
    SELECT r.transport, r.route, nullif(coalesce(r.operation, array_to_string(r.fields, ' ')), '') AS operation,
      count(*)::int AS requests, avg(r.duration_ms) AS "averageMs", max(r.duration_ms) AS "maxMs", max(r.at) AS "lastAt"
    FROM request_log r
    WHERE r.application_id = ${applicationId} AND r.at >= ${new Date(now.getTime() - hours * HOUR)} AND r.is_slow
    GROUP BY 1, 2, 3 ORDER BY sum(r.duration_ms) DESC, 2, 3 LIMIT ${MAX_SHAPES}`;
}
