import type { ActingContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import type { Dialog } from '../../generated/prisma/client.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { requireReadableDialog } from './access.ts';
/** @throws {NotFoundError} @throws {ForbiddenError} the caller is not an occupant */
export async function findDialog(dialogId: string, { viewer }: ActingContext): Promise<Dialog> {
  await requireReadableDialog(dialogId, viewer);
  const { applicationId } = viewer;
  const dialog = await db.dialog.findUnique({ where: { applicationId_id: { applicationId, id: dialogId } } });
  if (!dialog) throw new NotFoundError();
  return dialog;
}
