import type { UserContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { transactInTurns } from '../../db/lock-turns.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { ForbiddenError, NotFoundError, NoUpdateDataError } from '../../lib/errors.ts';
import { lockUsers } from '../users/lock.ts';
import { requireReadableDialog } from './access.ts';
import { lockDialogs } from './lock.ts';

export interface DialogNotifications {
  enabled: boolean;
}

/** Enabled by default. @throws {NotFoundError} @throws {ForbiddenError} the caller is not an occupant */
export async function findDialogNotifications(dialogId: string, { viewer }: UserContext): Promise<DialogNotifications> {
  await requireReadableDialog(dialogId, viewer);
  const { applicationId, userId } = viewer;
  const muted = await db.mutedDialog.count({ where: { applicationId, dialogId, userId } });
  return { enabled: muted === 0 };
}

/** @throws {NoUpdateDataError} {NotFoundError} @throws {ForbiddenError} the caller is not an occupant */
export async function updateDialogNotifications(
  dialogId: string,
  enabled: boolean | null | undefined,
  context: UserContext,
): Promise<DialogNotifications> {
  if (enabled == null) throw new NoUpdateDataError();
  const { viewer } = context;
  const { applicationId, userId } = viewer;
  const mute = { applicationId, dialogId, userId };
  await transactInTurns(jobOwnerOf(viewer), async (transaction) => {
    await lockUsers(transaction, [], context);
    const [dialog] = await lockDialogs(transaction, [dialogId], viewer, 'KEY SHARE');
    if (!dialog) throw new NotFoundError();
    if (!dialog.standing) throw new ForbiddenError();
    if (enabled) await transaction.mutedDialog.deleteMany({ where: mute });
    else await transaction.mutedDialog.createMany({ data: [mute], skipDuplicates: true });
  });
  return { enabled };
}
