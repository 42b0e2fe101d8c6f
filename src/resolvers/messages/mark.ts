import type { UserContext } from '../../context.ts';
import { transactInTurns } from '../../db/lock-turns.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { NoUpdateDataError } from '../../lib/errors.ts';
import type { EventOrigin } from '../../realtime/outbox.ts';
import { requireReadableDialog } from '../dialogs/access.ts';
import { lockMember, type Mark, markAll } from './marks.ts';

export interface MarkInput {
  read?: boolean | null;
  delivered?: boolean | null;
}

/** No effect in public groups. @throws {NoUpdateDataError} {NotFoundError} {ForbiddenError} */
export async function markDialogMessages(
  dialogId: string,
  input: MarkInput,
  { viewer, now, outbox }: UserContext,
): Promise<true> {
  const mark = markOf(input);
  if (!mark) throw new NoUpdateDataError();
  await requireReadableDialog(dialogId, viewer);
  const member = { applicationId: viewer.applicationId, dialogId, userId: viewer.userId };
  await transactInTurns(jobOwnerOf(viewer), async (transaction) => {
    if (await lockMember(transaction, member)) await markAll(transaction, member, mark, now());
  });
  outbox.wake();
  return true;
}

export function markOf({ read, delivered }: MarkInput, origin?: EventOrigin): Mark | undefined {
  if (read == null && delivered == null) return undefined;
  return {
    ...(read == null ? {} : { isRead: read }),
    ...(delivered == null ? {} : { isDelivered: delivered }),
    ...(origin && { origin }),
  };
}
