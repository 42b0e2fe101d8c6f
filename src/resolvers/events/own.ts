import type { Transaction } from '../../db/client.ts';
import type { ActingViewer } from '../../lib/access.ts';

/** Whose events the caller has: a user their own, an API key alone those of nobody. */
export function ownerOf(viewer: ActingViewer): { applicationId: number; userId: number } {
  return { applicationId: viewer.applicationId, userId: viewer.kind === 'user' ? viewer.userId : 0 };
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
