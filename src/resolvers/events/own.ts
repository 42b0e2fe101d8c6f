import type { Transaction } from '../../db/client.ts';
import { Prisma } from '../../db/client.ts';
import type { Event } from '../../generated/prisma/client.ts';
import type { ActingViewer } from '../../lib/access.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';

/** Whose events the caller has: a user their own, an API key alone those of nobody (gaps §11.1). */
export function ownerOf(viewer: ActingViewer): { applicationId: number; userId: number } {
  return { applicationId: viewer.applicationId, userId: viewer.kind === 'user' ? viewer.userId : 0 };
}

/**
 * The event, which nobody else changes until the transaction ends.
 * @throws {NotFoundError} unknown, or another's
 */
export async function holdEvent(transaction: Transaction, id: number, viewer: ActingViewer): Promise<Event> {
  const { applicationId, userId } = ownerOf(viewer);
  if (!isDatabaseId(id)) throw new NotFoundError();
  const held = await transaction.$queryRaw<unknown[]>(Prisma.sql`
    SELECT id FROM events WHERE application_id = ${applicationId} AND id = ${id} AND user_id = ${userId} FOR UPDATE`);
  if (held.length === 0) throw new NotFoundError();
  return transaction.event.findUniqueOrThrow({ where: { applicationId_id: { applicationId, id } } });
}

/** Drops what of the event's sends is still to be done. */
export async function cancelSends(
  transaction: Transaction,
  { applicationId, id }: { applicationId: number; id: number },
  at: Date,
): Promise<void> {
  await transaction.pushSend.updateMany({
    where: { applicationId, eventId: id, finishedAt: null },
    data: { finishedAt: at },
  });
}
