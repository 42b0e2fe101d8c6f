import type { ActingContext } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import { between, type Order, orderBy } from '../../db/conditions.ts';
import { query } from '../../db/query.ts';
import { transact } from '../../db/transact.ts';
import type { Event } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { indexBy } from '../../lib/collections.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { type ConnectionArguments, type CountedConnection, connection, numericPage } from '../../lib/pages.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { cancelSends, holdEvent, ownerOf } from './own.ts';

const ORDER: Order = {
  column: Prisma.sql`e.id`,
  cast: 'int',
  id: Prisma.sql`e.id`,
  isDescending: true,
  isAlwaysSet: true,
};

/**
 * Events of the caller, the newest first.
 * @throws {BadInputError} page or cursor
 */
export async function listEvents(
  { skip, ...listing }: ConnectionArguments & { skip?: number | null },
  { viewer }: ActingContext,
): Promise<CountedConnection<Event>> {
  const page = numericPage(listing);
  const { applicationId, userId } = ownerOf(viewer);
  const rows = await query<{ id: number }>`
    SELECT e.id FROM events e
    WHERE e.application_id = ${applicationId} AND e.user_id = ${userId} AND ${between(page, ORDER)}
    ORDER BY ${orderBy(ORDER, page.isBackward)}
    LIMIT ${page.limit + 1} OFFSET ${Math.max(skip ?? 0, 0)}`;
  const ids = rows.map(({ id }) => id);
  const events = indexBy(await db.event.findMany({ where: { applicationId, id: { in: ids } } }), (event) => event.id);
  const found = ids.flatMap((id) => events.get(id) ?? []);
  return {
    ...connection(found, page, ({ id }) => ({ value: id, id: String(id) })),
    totalCount: () => db.event.count({ where: { applicationId, userId } }),
  };
}

/** @throws {NotFoundError} unknown, or another's */
export async function findEvent(id: number, { viewer }: ActingContext): Promise<Event> {
  const event = isDatabaseId(id) ? await db.event.findFirst({ where: { ...ownerOf(viewer), id } }) : null;
  if (!event) throw new NotFoundError();
  return event;
}

/**
 * Deletes an event; what of it is still to be sent is dropped.
 * @throws {NotFoundError} unknown, or another's
 */
export async function deleteEvent(id: number, { viewer, now }: ActingContext): Promise<true> {
  await transact(jobOwnerOf(viewer), async (transaction) => {
    const event = await holdEvent(transaction, id, viewer);
    await cancelSends(transaction, event, now());
    await transaction.event.delete({
      where: { applicationId_id: { applicationId: event.applicationId, id: event.id } },
    });
  });
  return true;
}

/** What has become of an event so far. */
export interface EventStatus extends Pick<Event, 'id' | 'active' | 'occuredCount' | 'lastSentAt'> {
  /** Devices of the latest send. */
  recipients: number;
  delivered: number;
  failed: number;
}

/**
 * How far an event has come, with the counts of its latest send.
 * @throws {NotFoundError} unknown, or another's
 */
export async function findEventStatus(id: number, context: ActingContext): Promise<EventStatus> {
  const { active, occuredCount, lastSentAt, lastSendId, applicationId } = await findEvent(id, context);
  const send = lastSendId
    ? await db.pushSend.findUnique({ where: { applicationId_id: { applicationId, id: lastSendId } } })
    : null;
  const { recipients, delivered, failed } = send ?? { recipients: 0, delivered: 0, failed: 0 };
  return { id, active, occuredCount, lastSentAt, recipients, delivered, failed };
}
