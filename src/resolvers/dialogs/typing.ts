import type { UserContext } from '../../context.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import type { UserViewer } from '../../lib/access.ts';
import { BadInputError, NotFoundError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import type { EventDetail } from '../../realtime/outbox.ts';
import { blockersOf } from '../blocks/between.ts';
import { requireReadableDialog } from './access.ts';
import { findPrivateDialog } from './private.ts';

interface TypingPlace {
  dialogId?: string | null;
  /** The other user of a private dialog, instead of `dialogId`. */
  recipientId?: number | null;
}

/** Notifies current subscribers; stores nothing. Without another call the user has stopped after 6 seconds. */
export function startTyping(place: TypingPlace, context: UserContext): Promise<true> {
  return broadcastTyping(place, {}, context);
}

export function stopTyping(place: TypingPlace, context: UserContext): Promise<true> {
  return broadcastTyping(place, { isTyping: false }, context);
}

async function broadcastTyping(place: TypingPlace, detail: EventDetail, context: UserContext): Promise<true> {
  const { viewer, hub, origin } = context;
  const { applicationId, userId } = viewer;
  const dialogId = place.dialogId ?? (await privateDialogWith(place.recipientId, viewer));
  const dialog = await requireReadableDialog(dialogId, viewer);
  const isInGroup = dialog.type !== DIALOG_TYPE.PRIVATE;
  hub.broadcast({
    kind: 'typing',
    applicationId,
    dialogId,
    subjectId: dialogId,
    userId,
    name: null,
    detail: { ...detail, ...(origin && { origin }) },
    audienceIds: null,
    classKey: null,
    dialogType: dialog.type,
    memberVersion: dialog.memberVersion,
    blockerIds: await blockersOf({ applicationId, userId, isInGroup }),
  });
  return true;
}

async function privateDialogWith(otherId: number | null | undefined, viewer: UserViewer): Promise<string> {
  if (otherId == null) throw new BadInputError('RECIPIENT_REQUIRED');
  const dialog = isDatabaseId(otherId) ? await findPrivateDialog(otherId, viewer) : null;
  if (!dialog) throw new NotFoundError();
  return dialog.id;
}
