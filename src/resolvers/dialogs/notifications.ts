import type { UserContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { NoUpdateDataError } from '../../lib/errors.ts';
import { holdUsers } from '../users/hold.ts';
import { requireReadableDialog } from './access.ts';

/** Whether an occupant gets pushes of a dialog. */
export interface DialogNotifications {
  enabled: boolean;
}

/**
 * On unless the caller has switched them off (gaps §5.2).
 * @throws {NotFoundError} @throws {ForbiddenError} the caller is no occupant
 */
export async function findDialogNotifications(dialogId: string, { viewer }: UserContext): Promise<DialogNotifications> {
  await requireReadableDialog(dialogId, viewer);
  const { applicationId, userId } = viewer;
  const muted = await db.mutedDialog.count({ where: { applicationId, dialogId, userId } });
  return { enabled: muted === 0 };
}

/**
 * Switches the pushes of a dialog on or off for the caller.
 * @throws {NoUpdateDataError}
 * @throws {NotFoundError} @throws {ForbiddenError} the caller is no occupant
 */
export async function updateDialogNotifications(
  dialogId: string,
  enabled: boolean | null | undefined,
  context: UserContext,
): Promise<DialogNotifications> {
  if (enabled == null) throw new NoUpdateDataError();
  const { viewer } = context;
  const { applicationId, userId } = viewer;
  await requireReadableDialog(dialogId, viewer);
  await db.$transaction(async (transaction) => {
    await holdUsers(transaction, [], context);
    if (enabled) await transaction.mutedDialog.deleteMany({ where: { applicationId, dialogId, userId } });
    else {
      await transaction.$executeRaw`
        INSERT INTO muted_dialogs (application_id, dialog_id, user_id)
        SELECT d.application_id, d.id, ${userId} FROM dialogs d
        WHERE d.application_id = ${applicationId} AND d.id = ${dialogId} FOR KEY SHARE
        ON CONFLICT DO NOTHING`;
    }
  });
  return { enabled };
}
