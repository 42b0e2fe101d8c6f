import type { ActingContext } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import { columnsOf, select } from '../../db/columns.ts';
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

/** With the send that it belongs to. */
export type LoggedDelivery = PushDelivery & Pick<PushSend, 'eventId' | 'dialogId' | 'createdAt'>;

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

interface DeliveriesArguments extends ConnectionArguments {
  sendId?: string | null;
  userId?: number | null;
  status?: DeliveryStatus | null;
}

/** Those of a send by subscription id; those of all sends newest first. @throws {NotFoundError} */
export async function listPushDeliveries(
  { sendId, userId, status, ...listing }: DeliveriesArguments,
  context: ActingContext,
): Promise<Connection<LoggedDelivery>> {
  const page = sendId == null ? pageRequest(listing) : numericPage(listing);
  const { applicationId, kind } = context.viewer;
  const conditions = [Prisma.sql`d.application_id = ${applicationId}`];
  if (sendId != null) {
    await requireSend(sendId, context);
    conditions.push(Prisma.sql`d.send_id = ${sendId}`);
  } else if (kind !== 'key') throw new NotFoundError();
  if (userId != null) conditions.push(Prisma.sql`d.user_id = ${userId}`);
  // A constant, because the index of failed deliveries only has these.
  if (status) conditions.push(Prisma.sql`d.status = ${Prisma.raw(`'${STATUSES[status]}'`)}::delivery_status`);
  const rows = await query`
    SELECT ${DELIVERY_COLUMNS} FROM push_deliveries d
    JOIN push_sends s ON s.application_id = d.application_id AND s.id = d.send_id
    WHERE ${Prisma.join(conditions, ' AND ')} AND ${rowsOf(page, sendId == null ? NEWEST : DELIVERIES)}`;
  return connection(rows, page, (row) => ({
    value: sendId == null ? row.sendId : row.subscriptionId,
    id: String(row.subscriptionId),
  }));
}

async function requireSend(id: string, context: ActingContext): Promise<void> {
  const { applicationId, kind } = context.viewer;
  const send = isStringId(id)
    ? await db.pushSend.findUnique({ where: { applicationId_id: { applicationId, id } } })
    : null;
  if (!send) throw new NotFoundError();
  if (send.eventId !== null) await findEvent(send.eventId, context);
  else if (kind !== 'key') throw new NotFoundError();
  // Deliveries of an event reveal which users have its tags.
  await requireListing(context);
}

const STATUSES: Record<DeliveryStatus, string> = { pending: 'pending', delivered: 'delivered', failed: 'failed' };

const DELIVERY_COLUMNS = select`${columnsOf('PushDelivery', 'd')}, ${columnsOf('PushSend', 's', ['eventId', 'dialogId', 'createdAt'])}`;

const SENDS = newestFirst('s.id', 'text');
const NEWEST = newestFirst('d.send_id', 'text', 'd.subscription_id');
const DELIVERIES = { ...newestFirst('d.subscription_id', 'int'), isDescending: false };
