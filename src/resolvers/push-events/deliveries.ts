import type { ActingContext } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import { columnsOf } from '../../db/columns.ts';
import { newestFirst, rowsOf } from '../../db/conditions.ts';
import { query } from '../../db/query.ts';
import type { PushDelivery, PushSend } from '../../generated/prisma/client.ts';
import type { DeliveryStatus } from '../../generated/prisma/enums.ts';
import { BadInputError, NotFoundError } from '../../lib/errors.ts';
import {
  type Connection,
  type ConnectionArguments,
  connection,
  numericPage,
  pageRequest,
} from '../../lib/pagination.ts';
import { isStringId } from '../../lib/string-ids.ts';
import { requireListing } from '../users/listing.ts';
import { findEvent } from './find.ts';

/** Newest first. @throws {BadInputError} not exactly one of `eventId` and `dialogId` @throws {NotFoundError} */
export async function listPushSends(
  { eventId, dialogId, ...listing }: ConnectionArguments & { eventId?: number | null; dialogId?: string | null },
  context: ActingContext,
  selection: Prisma.PushSendDefaultArgs,
): Promise<Connection<PushSend>> {
  const page = pageRequest(listing);
  if ((eventId == null) === (dialogId == null)) throw new BadInputError('EVENT_OR_DIALOG');
  const { viewer } = context;
  if (eventId != null) await findEvent(eventId, context);
  else if (viewer.kind !== 'key') throw new NotFoundError();
  const of = eventId != null ? Prisma.sql`s.event_id = ${eventId}` : Prisma.sql`s.dialog_id = ${dialogId}`;
  const rows = await query<{ id: string }>`
    SELECT s.id FROM push_sends s
    WHERE s.application_id = ${viewer.applicationId} AND ${of} AND ${rowsOf(page, SENDS)}`;
  const ids = rows.map(({ id }) => id);
  const sends = await db.pushSend.findMany({
    ...selection,
    where: { applicationId: viewer.applicationId, id: { in: ids } },
  });
  const found = ids.flatMap((id) => sends.find((send) => send.id === id) ?? []);
  return connection(found, page, ({ id }) => ({ value: id, id }));
}

/** By subscription id. */
export async function listPushDeliveries(
  { sendId, status, ...listing }: ConnectionArguments & { sendId: string; status?: DeliveryStatus | null },
  context: ActingContext,
): Promise<Connection<PushDelivery>> {
  const page = numericPage(listing);
  const { applicationId, kind } = context.viewer;
  const send = isStringId(sendId)
    ? await db.pushSend.findUnique({ where: { applicationId_id: { applicationId, id: sendId } } })
    : null;
  if (!send) throw new NotFoundError();
  if (send.eventId !== null) await findEvent(send.eventId, context);
  else if (kind !== 'key') throw new NotFoundError();
  // Deliveries of an event reveal which users have its tags.
  await requireListing(context);
  const hasStatus = status ? Prisma.sql`d.status = ${status}::delivery_status` : Prisma.sql`true`;
  const rows = await query`
    SELECT ${DELIVERY_COLUMNS} FROM push_deliveries d
    WHERE d.application_id = ${applicationId} AND d.send_id = ${sendId} AND ${hasStatus} AND ${rowsOf(page, DELIVERIES)}`;
  return connection(rows, page, ({ subscriptionId }) => ({ value: subscriptionId, id: String(subscriptionId) }));
}

const DELIVERY_COLUMNS = columnsOf('PushDelivery', 'd');

const SENDS = newestFirst('s.id', 'text');
const DELIVERIES = { ...newestFirst('d.subscription_id', 'int'), isDescending: false };
