import { Prisma } from '../../db/client.ts';
import type { FilterInput } from '../../db/conditions.ts';

/** A moment as filters give it: a `Date`, or Unix seconds. */
type Moment = Date | number;
type Comparison = Partial<Record<'eq' | 'lt' | 'lte' | 'gt' | 'gte', Moment | null>>;

/** A bound in milliseconds since 1970: messages from there on, or those before. */
interface Bound {
  side: 'from' | 'before';
  at: number;
}

/**
 * What a filter by time says of the places of messages `m`. Moments never fall while places grow, so the first message
 * at or behind a moment, which an index finds, bounds the places: a page begins there, however much lies before it.
 */
export function placesWithin(
  filter: FilterInput | null | undefined,
  { applicationId, dialogId }: { applicationId: number; dialogId: string },
): Prisma.Sql {
  const bounds = [
    ...boundsOf(filter?.createdAt as Comparison | undefined, 1),
    ...boundsOf(filter?.dateSent as Comparison | undefined, 1_000),
  ];
  const conditions = bounds.map(({ side, at }) => {
    const operator = Prisma.raw(side === 'from' ? '>=' : '<');
    return Prisma.sql`m.seq ${operator} coalesce((
      SELECT f.seq FROM messages f
      WHERE f.application_id = ${applicationId} AND f.dialog_id = ${dialogId} AND f.created_at >= ${new Date(at)}::timestamptz
      ORDER BY f.created_at, f.seq LIMIT 1), 2147483647)`;
  });
  return conditions.length > 0 ? Prisma.join(conditions, ' AND ') : Prisma.sql`true`;
}

/** @param unit milliseconds to which the compared field is cut */
function boundsOf(asked: Comparison | null | undefined, unit: number): Bound[] {
  const bounds: Bound[] = [];
  const add = (side: Bound['side'], moment: Moment | null | undefined, isAboveIt: boolean) => {
    if (moment == null) return;
    const units = (typeof moment === 'number' ? moment * 1_000 : moment.getTime()) / unit;
    const at = (isAboveIt ? Math.floor(units) + 1 : Math.ceil(units)) * unit;
    if (at >= EARLIEST && at < LATEST) bounds.push({ side, at });
  };
  add('from', asked?.eq, false);
  add('before', asked?.eq, true);
  add('from', asked?.gte, false);
  add('from', asked?.gt, true);
  add('before', asked?.lt, false);
  add('before', asked?.lte, true);
  return bounds;
}

/** Nothing was sent outside of these; the filter itself says what that means. */
const EARLIEST = Date.UTC(2000, 0);
const LATEST = Date.UTC(10_000, 0);
