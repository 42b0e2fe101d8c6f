import type { UserContext } from '../../context.ts';
import { requireReadableDialog } from './access.ts';
/** Notifies current subscribers; stores nothing. */
export async function startTyping(dialogId: string, { viewer, hub }: UserContext): Promise<true> {
  const dialog = await requireReadableDialog(dialogId, viewer);
  hub.broadcast({
    kind: 'typing',
    applicationId: viewer.applicationId,
    dialogId,
    subjectId: dialogId,
    userId: viewer.userId,
    name: null,
    detail: null,
    audienceIds: null,
    classKey: null,
    dialogType: dialog.type,
    memberVersion: dialog.memberVersion,
  });
  return true;
}
