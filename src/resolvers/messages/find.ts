import type { ActingContext } from '../../context.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { isStringId } from '../../lib/string-ids.ts';
import { requireReadableDialog } from '../dialogs/access.ts';
import { type MessageRow, messageLoader } from './rows.ts';
/**
 * One message; marks nothing.
 * @throws {NotFoundError} unknown message, or one that the caller has deleted for themselves
 * @throws {ForbiddenError} the caller is no occupant of its dialog
 */
export async function findMessage(id: string, { viewer, loaders }: ActingContext): Promise<MessageRow> {
  const message = isStringId(id)
    ? await loaders.of(messageLoader).load({ applicationId: viewer.applicationId, id })
    : null;
  if (!message || message.isHidden) throw new NotFoundError();
  await requireReadableDialog(message.dialogId, viewer);
  return message;
}
