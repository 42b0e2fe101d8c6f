import type { DatabaseProbe } from '../db/probe.ts';
import { DELIVER, SPREAD } from '../resolvers/pushes/context.ts';

const MAX_COUNTED_JOBS = 10_000;

interface Found {
  end: string;
  cursor: string;
  liveSeconds: number | null;
  pushSeconds: number | null;
  spread: number;
  deliver: number;
}

/**
 * Reads only the ends of indexes; undefined while the database does not respond. @param readUpTo undefined without
 * subscriptions, because no reader runs
 */
export async function readBacklog(probe: DatabaseProbe, readUpTo: bigint | undefined, now: Date) {
  const rows = await probe.query<Found>(
    `WITH cursor AS (SELECT coalesce(max(position), 0) AS position FROM push_cursor)
     SELECT coalesce((SELECT max(position) FROM events_outbox), 0)::text AS "end",
       (SELECT position FROM cursor)::text AS cursor,
       ${secondsSince('$1::bigint')} AS "liveSeconds",
       ${secondsSince('(SELECT position FROM cursor)')} AS "pushSeconds",
       ${waiting('$3')} AS spread,
       ${waiting('$4')} AS deliver`,
    [String(readUpTo ?? 0n), now, SPREAD, DELIVER],
  );
  const [found] = rows ?? [];
  if (!found) return undefined;
  const unread = (reader: string, position: bigint, seconds: number | null) => ({
    reader,
    // Positions of rolled back transactions are not events.
    count: seconds === null ? 0 : Math.max(0, Number(BigInt(found.end) - position)),
    seconds: Math.max(0, seconds ?? 0),
  });
  return {
    unreadEvents: [
      ...(readUpTo === undefined ? [] : [unread('live', readUpTo, found.liveSeconds)]),
      unread('pushes', BigInt(found.cursor), found.pushSeconds),
    ],
    jobs: [
      { queue: SPREAD, count: found.spread },
      { queue: DELIVER, count: found.deliver },
    ],
  };
}

function secondsSince(position: string): string {
  return `(SELECT extract(epoch FROM $2::timestamptz - created_at)::float8 FROM events_outbox
    WHERE position > ${position} ORDER BY position LIMIT 1)`;
}

function waiting(queue: string): string {
  return `(SELECT count(*)::int FROM (
    SELECT FROM pgboss.job WHERE name = ${queue} AND state < 'active' LIMIT ${MAX_COUNTED_JOBS}) AS j)`;
}
