import { db } from '../../db/client.ts';
import { columns } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import { BadInputError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { DAY, HOUR } from '../../lib/time.ts';
import { millisecondsOf, type RequestCount } from '../../platform/observability/request-counts.ts';
import { hourOf } from '../../platform/observability/request-log.ts';
import { MAX_HOURS } from './shapes.ts';

export interface RequestOutcomes {
  succeeded: number;
  refused: number;
  failed: number;
}

export interface RequestFigures extends RequestOutcomes {
  /** Null if no request with a duration was counted. */
  medianMs: number | null;
  p95Ms: number | null;
  hours: (RequestOutcomes & { hour: Date })[];
}

/** Adds counts. Applications that do not exist become 0, because callers can claim any. */
export async function storeFigures(counts: readonly RequestCount[]): Promise<void> {
  if (counts.length === 0) return;
  const rows = counts.map(({ applicationId, ...count }) => ({ application_id: applicationId, ...count }));
  await db.$executeRaw`
    INSERT INTO request_figures AS f (application_id, hour, bucket, succeeded, refused, failed)
    SELECT coalesce(a.id, 0), c.hour, c.bucket, sum(c.succeeded), sum(c.refused), sum(c.failed)
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS c (application_id int, hour timestamptz, bucket int, succeeded int, refused int, failed int)
    LEFT JOIN applications a ON a.id = c.application_id AND a.import_id IS NULL
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (application_id, hour, bucket) DO UPDATE SET succeeded = f.succeeded + excluded.succeeded,
      refused = f.refused + excluded.refused, failed = f.failed + excluded.failed`;
}

/** @param applicationId 0: requests without an application @throws {BadInputError} */
export async function findRequestFigures(applicationId: number, hours: number, now: Date): Promise<RequestFigures> {
  if (hours < 1 || hours > MAX_HOURS)
    throw new BadInputError(problem('NOT_BETWEEN', { name: 'hours', min: 1, max: MAX_HOURS }));
  const first = hourOf(now).getTime() - (hours - 1) * HOUR;
  const rows = await query`
    SELECT ${HOUR_AND_BUCKET}, ${SUMS} FROM request_figures
    WHERE application_id = ${applicationId} AND hour >= ${new Date(first)}
    GROUP BY GROUPING SETS ((hour), (bucket))`;
  const byHour = new Map(rows.flatMap((row) => (row.hour ? [[row.hour.getTime(), row]] : [])));
  const ofHours = Array.from({ length: hours }, (_, index) => {
    const time = first + index * HOUR;
    const { succeeded = 0, refused = 0, failed = 0 } = byHour.get(time) ?? {};
    return { hour: new Date(time), succeeded, refused, failed };
  });
  const sum = (outcome: keyof RequestOutcomes) => ofHours.reduce((total, row) => total + row[outcome], 0);
  const durations = rows
    .flatMap(({ bucket, succeeded, refused, failed }) =>
      bucket === null || bucket === 0 ? [] : [{ bucket, requests: succeeded + refused + failed }],
    )
    .sort((a, b) => a.bucket - b.bucket);
  return {
    succeeded: sum('succeeded'),
    refused: sum('refused'),
    failed: sum('failed'),
    medianMs: durationAt(0.5, durations),
    p95Ms: durationAt(0.95, durations),
    hours: ofHours,
  };
}

const HOUR_AND_BUCKET = columns({ hour: ['time | null', 'hour'], bucket: ['int | null', 'bucket'] });
const SUMS = columns({
  succeeded: ['int', sumOf('succeeded')],
  refused: ['int', sumOf('refused')],
  failed: ['int', sumOf('failed')],
});

function sumOf(name: string): string {
  return `least(2147483647, sum(${name}))::int`;
}

/** Most milliseconds that this part of the requests took. @param durations by bucket */
function durationAt(part: number, durations: readonly { bucket: number; requests: number }[]): number | null {
  const wanted = part * durations.reduce((total, { requests }) => total + requests, 0);
  let passed = 0;
  for (const { bucket, requests } of durations) {
    passed += requests;
    if (passed >= wanted) return millisecondsOf(bucket);
  }
  return null;
}

/** Keeps the hours that can be read, and a day. */
export async function trimFigures(now: Date): Promise<void> {
  await db.requestFigure.deleteMany({ where: { hour: { lt: new Date(now.getTime() - MAX_HOURS * HOUR - DAY) } } });
}
