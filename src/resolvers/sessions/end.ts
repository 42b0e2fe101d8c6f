import type { UserContext } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { appendNotices } from '../../realtime/outbox.ts';
import { endSessionsOf, removeDevices, removeDevicesOf } from '../users/revoke.ts';

/** Another session of the caller, or the one of the request. @throws {NotFoundError} the caller has no such session */
export async function endSession(id: number, { viewer, now, outbox }: UserContext): Promise<true> {
  const { applicationId, userId } = viewer;
  await transact(jobOwnerOf(viewer), async (transaction) => {
    const { count } = await transaction.session.deleteMany({
      where: { applicationId, userId, id: isDatabaseId(id) ? id : 0 },
    });
    if (count === 0) throw new NotFoundError('SESSION_NOT_FOUND');
    await removeDevicesOf(transaction, { applicationId, userId, session: { id } });
    await appendNotices(transaction, 'sessionEnded', { applicationId, ids: [id] }, now());
  });
  outbox.wake();
  return true;
}

/** All but the one of the request, with the devices that they subscribed to pushes. @returns the number of ended sessions */
export async function endOtherSessions({ viewer, now, outbox }: UserContext): Promise<number> {
  const { applicationId, userId, session } = viewer;
  const but = session?.id;
  const count = await transact(jobOwnerOf(viewer), async (transaction) => {
    await transaction.$executeRaw`
      SELECT FROM users WHERE application_id = ${applicationId} AND id = ${userId} FOR NO KEY UPDATE`;
    const others = await transaction.session.count({ where: { applicationId, userId, NOT: { id: but ?? 0 } } });
    await endSessionsOf(transaction, { applicationId, userId, but }, now());
    await removeDevices(transaction, { applicationId, userId, but });
    return others;
  });
  outbox.wake();
  return count;
}
