import type { ActingContext } from '../../context.ts';
import { db, type Prisma } from '../../db/client.ts';
import type { Event } from '../../generated/prisma/client.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { ownerOf } from './own.ts';
import { type PresentedEvent, RECIPIENTS } from './rows.ts';

/** @throws {NotFoundError} unknown, or owned by another caller */
export async function findEvent(
  id: number,
  { viewer }: ActingContext,
  selection: Prisma.EventDefaultArgs = { omit: RECIPIENTS },
): Promise<Event> {
  const event = isDatabaseId(id) ? await db.event.findFirst({ ...selection, where: { ...ownerOf(viewer), id } }) : null;
  if (!event) throw new NotFoundError();
  return event;
}

export interface EventStatus extends Pick<PresentedEvent, 'id' | 'active' | 'occuredCount' | 'lastSentAt'> {
  /** Devices of the latest send. */
  recipients: number;
  delivered: number;
  failed: number;
}

export async function findEventStatus(id: number, context: ActingContext): Promise<EventStatus> {
  const { active, occuredCount, lastSentAt, lastSendId, applicationId } = await findEvent(id, context);
  const send = lastSendId
    ? await db.pushSend.findUnique({ where: { applicationId_id: { applicationId, id: lastSendId } } })
    : null;
  const { recipients, delivered, failed } = send ?? { recipients: 0, delivered: 0, failed: 0 };
  return { id, active, occuredCount, lastSentAt, recipients, delivered, failed };
}
