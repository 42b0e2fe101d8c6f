import type { ActingContext } from '../../context.ts';
import { db, type Prisma } from '../../db/client.ts';
import { newestFirst, rowsOf } from '../../db/conditions.ts';
import { query } from '../../db/query.ts';
import type { Event } from '../../generated/prisma/client.ts';
import { indexBy } from '../../lib/collections.ts';
import { type ConnectionArguments, type CountedConnection, connection, numericPage } from '../../lib/pagination.ts';
import { ownerOf } from './own.ts';

const NEWEST = newestFirst('e.id', 'int');

/** Newest first. @throws {BadInputError} invalid page or cursor */
export async function listEvents(
  { skip, ...listing }: ConnectionArguments & { skip?: number | null },
  { viewer }: ActingContext,
  selection: Prisma.EventDefaultArgs,
): Promise<CountedConnection<Event>> {
  const page = numericPage(listing);
  const { applicationId, userId } = ownerOf(viewer);
  const rows = await query<{ id: number }>`
    SELECT e.id FROM events e
    WHERE e.application_id = ${applicationId} AND e.user_id = ${userId} AND ${rowsOf(page, NEWEST)}
    OFFSET ${Math.max(skip ?? 0, 0)}`;
  const ids = rows.map(({ id }) => id);
  const shown = await db.event.findMany({ ...selection, where: { applicationId, id: { in: ids } } });
  const events = indexBy(shown, (event) => event.id);
  const found = ids.flatMap((id) => events.get(id) ?? []);
  return {
    ...connection(found, page, ({ id }) => ({ value: id, id: String(id) })),
    totalCount: () => db.event.count({ where: { applicationId, userId } }),
  };
}
