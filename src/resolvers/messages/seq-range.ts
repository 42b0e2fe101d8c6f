import { Prisma } from '../../db/client.ts';
import type { FilterInput } from '../../db/conditions.ts';
import { secondsOfId } from '../../db/ids.ts';
import { isStringId } from '../../lib/string-ids.ts';

type Time = Date | number;
type Comparison = Partial<Record<'eq' | 'lt' | 'lte' | 'gt' | 'gte', Time | null>>;

/** Milliseconds since 1970. */
interface Bound {
  side: 'from' | 'before';
  at: number;
  /** Messages with this id or a later one are included, even if they were created before `at`. */
  id?: string;
}

/** Times never decrease as `seq` grows, so the first message at a time bounds the range without a scan. */
export function seqRange(
  filter: FilterInput | null | undefined,
  { applicationId, dialogId }: { applicationId: number; dialogId: string },
): Prisma.Sql {
  const conditions = boundsOf(filter).map(({ side, at, id }) => {
    const operator = Prisma.raw(side === 'from' ? '>=' : '<');
    const first = Prisma.sql`coalesce((
      SELECT f.seq FROM messages f
      WHERE f.application_id = ${applicationId} AND f.dialog_id = ${dialogId} AND f.created_at >= ${new Date(at)}::timestamptz
      ORDER BY f.created_at, f.seq LIMIT 1), 2147483647)`;
    if (id === undefined) return Prisma.sql`m.seq ${operator} ${first}`;
    return Prisma.sql`m.seq >= least(${first}, (
      SELECT min(e.seq) FROM messages e
      WHERE e.application_id = ${applicationId} AND e.dialog_id = ${dialogId} AND e.id >= ${id}
        AND left(e.id, 8) > lpad(to_hex(e.date_sent), 8, '0')))`;
  });
  return conditions.length > 0 ? Prisma.join(conditions, ' AND ') : Prisma.sql`true`;
}

/** `or` implies none. */
function boundsOf(filter: FilterInput | null | undefined): Bound[] {
  return [
    ...bounds(filter?.createdAt as Comparison | undefined, (time) => (time as Date).getTime(), 1),
    ...bounds(filter?.dateSent as Comparison | undefined, Number, 1_000),
    ...idBounds(filter?.id as IdComparison | undefined),
    ...(filter?.and ?? []).flatMap(boundsOf),
  ];
}

type IdComparison = Partial<Record<'eq' | 'gt' | 'gte', string | null>>;

/**
 * An id is generated before `created_at` is assigned, so later ids imply a lower bound, but no upper one. Ids that
 * clients chose by a wrong clock are in an index of their own.
 */
function idBounds(comparison: IdComparison | null | undefined): Bound[] {
  const ids = [comparison?.eq, comparison?.gt, comparison?.gte].filter((id) => id != null && isStringId(id));
  const bounds = ids.map((id) => ({ side: 'from' as const, at: secondsOfId(id!) * 1_000, id: id! }));
  return bounds.filter(({ at }) => isPossible(at));
}

/** @param inUnits the compared field, with the precision of the filter @param unit milliseconds */
function bounds(comparison: Comparison | null | undefined, inUnits: (time: Time) => number, unit: number): Bound[] {
  const bounds: Bound[] = [];
  const add = (side: Bound['side'], time: Time | null | undefined, isAboveIt: boolean) => {
    if (time == null) return;
    const units = inUnits(time);
    const at = (isAboveIt ? Math.floor(units) + 1 : Math.ceil(units)) * unit;
    if (isPossible(at)) bounds.push({ side, at });
  };
  add('from', comparison?.eq, false);
  add('before', comparison?.eq, true);
  add('from', comparison?.gte, false);
  add('from', comparison?.gt, true);
  add('before', comparison?.lt, false);
  add('before', comparison?.lte, true);
  return bounds;
}

/** No message lies outside; the filter itself handles such values. */
const EARLIEST = Date.UTC(2000, 0);
const LATEST = Date.UTC(10_000, 0);

function isPossible(at: number): boolean {
  return at >= EARLIEST && at < LATEST;
}
