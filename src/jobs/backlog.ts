import type { DatabaseProbe } from '../db/probe.ts';
import { groupBy } from '../lib/collections.ts';
import { DELIVER, SPREAD } from '../resolvers/pushes/context.ts';

/** Of each kind, so that a backlog does not cost more the longer it is. */
const MAX_COUNTED = 10_000;

interface Backlog {
  unreadEvents: { reader: string; count: number; seconds: number }[];
  jobs: { queue: string; count: number }[];
}

interface Found {
  liveCount: number;
  pushCount: number;
  liveSeconds: number | null;
  pushSeconds: number | null;
  spread: number;
  deliver: number;
}

/**
 * Reads only the ends of indexes; undefined while the database does not respond. @param readUpTo undefined without
 * subscriptions, because no reader runs
 */
export async function readBacklog(
  probes: readonly DatabaseProbe[],
  readUpTo: readonly (bigint | undefined)[],
  now: Date,
): Promise<Backlog | undefined> {
  const all = await Promise.all(probes.map((probe, number) => readOne(probe, readUpTo[number], now)));
  const found = all.filter((one) => one !== undefined);
  if (found.length <= 1) return found[0];
  return {
    unreadEvents: groupsOf(
      found.flatMap(({ unreadEvents }) => unreadEvents),
      ({ reader }) => reader,
    ).map(([reader, parts]) => ({
      reader,
      count: sum(parts),
      seconds: Math.max(...parts.map(({ seconds }) => seconds)),
    })),
    jobs: groupsOf(
      found.flatMap(({ jobs }) => jobs),
      ({ queue }) => queue,
    ).map(([queue, parts]) => ({ queue, count: sum(parts) })),
  };
}

const groupsOf = <Item>(items: Item[], keyOf: (item: Item) => string) => [...groupBy(items, keyOf)];
const sum = (parts: { count: number }[]) => parts.reduce((all, { count }) => all + count, 0);

async function readOne(probe: DatabaseProbe, readUpTo: bigint | undefined, now: Date): Promise<Backlog | undefined> {
  const rows = await probe.query<Found>(
    `WITH cursor AS (SELECT coalesce(max(position), 0) AS position FROM push_cursor)
     SELECT ${countAfter('$1::bigint')} AS "liveCount",
       ${secondsAfter('$1::bigint')} AS "liveSeconds",
       ${countAfter('(SELECT position FROM cursor)')} AS "pushCount",
       ${secondsAfter('(SELECT position FROM cursor)')} AS "pushSeconds",
       ${waiting('$3')} AS spread,
       ${waiting('$4')} AS deliver`,
    [String(readUpTo ?? 0n), now, SPREAD, DELIVER],
  );
  const [found] = rows ?? [];
  if (!found) return undefined;
  const unread = (reader: string, count: number, seconds: number | null) => ({
    reader,
    count,
    seconds: Math.max(0, seconds ?? 0),
  });
  return {
    unreadEvents: [
      ...(readUpTo === undefined ? [] : [unread('live', found.liveCount, found.liveSeconds)]),
      unread('pushes', found.pushCount, found.pushSeconds),
    ],
    jobs: [
      { queue: SPREAD, count: found.spread },
      { queue: DELIVER, count: found.deliver },
    ],
  };
}

/** Positions have gaps, so that their difference counts no events. */
function countAfter(position: string): string {
  return `(SELECT count(*)::int FROM (
    SELECT FROM events_outbox WHERE position > ${position} LIMIT ${MAX_COUNTED}) AS e)`;
}

function secondsAfter(position: string): string {
  return `(SELECT extract(epoch FROM $2::timestamptz - created_at)::float8 FROM events_outbox
    WHERE position > ${position} ORDER BY position LIMIT 1)`;
}

function waiting(queue: string): string {
  return `(SELECT count(*)::int FROM (
    SELECT FROM pgboss.job WHERE name = ${queue} AND state < 'active' LIMIT ${MAX_COUNTED}) AS j)`;
}
