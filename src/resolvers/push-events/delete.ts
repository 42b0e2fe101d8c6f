import type { ActingContext } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { lockEvent } from './lock.ts';
import { cancelSends } from './own.ts';

/** Also cancels its unfinished sends. @throws {NotFoundError} unknown, or owned by another caller */
export async function deleteEvent(id: number, { viewer, now }: ActingContext): Promise<true> {
  await transact(jobOwnerOf(viewer), async (transaction) => {
    const event = await lockEvent(transaction, id, viewer);
    await cancelSends(transaction, event, now());
    await transaction.event.delete({
      where: { applicationId_id: { applicationId: event.applicationId, id: event.id } },
      select: { id: true },
    });
  });
  return true;
}
