import type { TokenContext } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { appendNotices } from '../../realtime/outbox.ts';
import { moveDevices, removeDevicesOf } from '../users/revoke.ts';

/** @param successorId session with which the user has signed in again on the same device */
export async function deleteSession(
  { successorId, keepDevices }: { successorId?: number | null | undefined; keepDevices?: boolean | null | undefined },
  { viewer, now, outbox }: TokenContext,
): Promise<true> {
  const { applicationId, session } = viewer;
  await transact(jobOwnerOf(viewer), async (transaction) => {
    await transaction.session.deleteMany({ where: { applicationId, id: session.id } });
    if (viewer.kind === 'user' && successorId != null) await moveDevices(transaction, viewer, successorId);
    else if (viewer.kind === 'user' && !keepDevices) await removeDevicesOf(transaction, viewer);
    await appendNotices(transaction, 'sessionEnded', { applicationId, ids: [session.id] }, now());
  });
  outbox.wake();
  return true;
}
