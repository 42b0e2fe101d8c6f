import type { UserContext } from '../../context.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import type { EventDetail } from '../../realtime/outbox.ts';
import { blockersOf } from '../blocks/between.ts';
import { requireReadableDialog } from './access.ts';

/** Notifies current subscribers; stores nothing. Without another call the user has stopped after 6 seconds. */
export function startTyping(dialogId: string, context: UserContext): Promise<true> {
  return broadcastTyping(dialogId, null, context);
}

export function stopTyping(dialogId: string, context: UserContext): Promise<true> {
  return broadcastTyping(dialogId, { isTyping: false }, context);
}

async function broadcastTyping(
  dialogId: string,
  detail: EventDetail | null,
  { viewer, hub }: UserContext,
): Promise<true> {
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
    detail,
    audienceIds: null,
    classKey: null,
    dialogType: dialog.type,
    memberVersion: dialog.memberVersion,
    blockerIds: await blockersOf({ applicationId, userId, isInGroup }),
  });
  return true;
}
