import type { UserContext } from '../../context.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { blockersOf } from '../blocks/between.ts';
import { requireReadableDialog } from './access.ts';

/** Notifies current subscribers; stores nothing. */
export async function startTyping(dialogId: string, { viewer, hub }: UserContext): Promise<true> {
  const { applicationId, userId } = viewer;
  const dialog = await requireReadableDialog(dialogId, viewer);
  const isInGroup = dialog.type !== DIALOG_TYPE.PRIVATE;
  hub.broadcast({
    kind: 'typing',
    applicationId,
    dialogId,
    subjectId: dialogId,
    userId,
    name: null,
    detail: null,
    audienceIds: null,
    classKey: null,
    dialogType: dialog.type,
    memberVersion: dialog.memberVersion,
    blockerIds: await blockersOf({ applicationId, userId, isInGroup }),
  });
  return true;
}
