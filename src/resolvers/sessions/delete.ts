import type { TokenContext } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { appendEndedSessions } from '../../realtime/outbox.ts';
import { removeDevicesOf } from '../users/revoke.ts';
export async function deleteSession({ viewer, now, outbox }: TokenContext): Promise<true> {
  const { applicationId, session } = viewer;
  await transact(jobOwnerOf(viewer), async (transaction) => {
    await transaction.session.deleteMany({ where: { applicationId, id: session.id } });
    if (viewer.kind === 'user') await removeDevicesOf(transaction, viewer);
    await appendEndedSessions(transaction, [{ applicationId, id: session.id }], now());
  });
  outbox.wake();
  return true;
}
