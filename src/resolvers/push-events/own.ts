import type { Transaction } from '../../db/client.ts';
import type { ActingViewer } from '../../lib/access.ts';
import { userIdOf } from '../../lib/access.ts';

/** Events of an API key alone have user id 0. */
export function ownerOf(viewer: ActingViewer): { applicationId: number; userId: number } {
  return { applicationId: viewer.applicationId, userId: userIdOf(viewer) };
}

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
