import type { UserContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { newId } from '../../db/ids.ts';
import { transactInTurns } from '../../db/lock-turns.ts';
import type { Dialog } from '../../generated/prisma/client.ts';
import { jobOwnerOf, type UserViewer } from '../../lib/access.ts';
import { appendDialogEvents } from '../../realtime/outbox.ts';
import { requireUnblocked } from '../blocks/between.ts';
import { lockUsers } from '../users/lock.ts';
import { requireDialogCreator } from '../users/policies.ts';
import { type DialogData, dataColumns } from './data.ts';

/** @throws {ForbiddenError} a block applies, and the dialog does not exist yet. If both users create the dialog concurrently, the unique pair key lets one succeed and the other finds it. */
export async function findOrCreatePrivateDialog(
  otherId: number,
  context: UserContext,
  data?: DialogData,
): Promise<Dialog | undefined> {
  const { applicationId, userId } = context.viewer;
  const pairKey = pairKeyOf(userId, otherId);
  const existing = await findPrivateDialog(otherId, context.viewer);
  if (existing) return existing;
  await requireDialogCreator(context.viewer);

  const at = context.now();
  const id = newId(at);
  await transactInTurns(jobOwnerOf(context.viewer), async (transaction) => {
    const others = await lockUsers(transaction, [otherId], context);
    if (others.length === 0) return;
    await requireUnblocked(transaction, context.viewer, otherId);
    const columns = await dataColumns(transaction, data);
    const { count } = await transaction.dialog.createMany({
      data: [
        { applicationId, id, type: DIALOG_TYPE.PRIVATE, userId, pairKey, ...columns, createdAt: at, updatedAt: at },
      ],
      skipDuplicates: true,
    });
    if (count === 0) return;
    await transaction.member.createMany({
      data: [userId, otherId].map((member) => ({ applicationId, dialogId: id, userId: member, joinedAt: at })),
    });
    await appendDialogEvents(transaction, [{ kind: 'dialogChanged', applicationId, dialogId: id, userId }], at);
  });
  context.outbox.wake();
  return (await findPrivateDialog(otherId, context.viewer)) ?? undefined;
}

export function findPrivateDialog(otherId: number, { applicationId, userId }: UserViewer): Promise<Dialog | null> {
  const where = { applicationId_pairKey: { applicationId, pairKey: pairKeyOf(userId, otherId) } };
  return db.dialog.findUnique({ where });
}

function pairKeyOf(...users: [number, number]): string {
  return users.sort((a, b) => a - b).join(':');
}
