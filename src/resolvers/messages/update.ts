import type { ActingContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { transactInTurns } from '../../db/lock-turns.ts';
import { type ActingViewer, jobOwnerOf, userOf } from '../../lib/access.ts';
import { groupBy } from '../../lib/collections.ts';
import {
  ForbiddenError,
  NeedUserError,
  NotFoundError,
  NoUpdateDataError,
  UnprocessableError,
} from '../../lib/errors.ts';
import { distinctIds } from '../../lib/string-ids.ts';
import { appendDialogEvents } from '../../realtime/outbox.ts';
import { type LockedMessage, lockMessages } from './lock.ts';
import { type MarkInput, markOf } from './mark.ts';
import { lockMember, type Mark, markMessages } from './marks.ts';
import type { MessageRow } from './rows.ts';
import { BLANK, checkedText, isBlank } from './rules.ts';

export interface MessageChanges extends MarkInput {
  /** Treats messages of other dialogs as unknown. */
  dialogId?: string | null;
  text?: string | null;
}

/** All or none; skips unknown ids. @throws {ForbiddenError} */
export async function updateMessages(
  ids: string[],
  input: MessageChanges,
  { viewer, now, outbox, origin }: ActingContext,
): Promise<MessageRow[]> {
  const mark = markOf(input, origin);
  if (mark && viewer.kind === 'key') throw new NeedUserError();
  const requested = distinctIds(ids);
  if (!mark && input.text == null) throw new NoUpdateDataError();
  const text = input.text == null ? undefined : checkedText(input.text);

  const at = now();
  const changed = await transactInTurns(jobOwnerOf(viewer), async (transaction) => {
    const locked = await lockMessages(transaction, requested, viewer, 'SHARE');
    const messages = locked.filter(
      ({ isHidden, dialogId }) => !isHidden && (input.dialogId == null || dialogId === input.dialogId),
    );
    if (messages.length === 0) throw new NotFoundError();
    if (messages.some(({ dialog }) => !dialog.standing)) throw new ForbiddenError();
    const updated = text === undefined ? messages : await edit(transaction, messages, text, viewer, at);
    if (mark) await markIn(transaction, messages, mark, viewer, at);
    return updated;
  });
  outbox.wake();
  return changed;
}

async function edit(
  transaction: Transaction,
  messages: LockedMessage[],
  text: string,
  viewer: ActingViewer,
  at: Date,
): Promise<MessageRow[]> {
  const isOwn = ({ senderId }: MessageRow) => viewer.kind === 'key' || senderId === viewer.userId;
  if (!messages.every(isOwn)) throw new ForbiddenError();
  if (messages.some((message) => isBlank({ ...message, text }))) {
    throw new UnprocessableError(BLANK);
  }
  const ids = messages.map((message) => message.id);
  await transaction.$executeRaw`
    UPDATE messages SET text = ${text}, updated_at = greatest(updated_at, ${at}::timestamptz)
    WHERE application_id = ${viewer.applicationId} AND id = ANY(${ids}::text[])`;
  const userId = userOf(viewer);
  const events = messages.map(({ applicationId, dialogId, id }) => {
    return { kind: 'messageEdited' as const, applicationId, dialogId, subjectId: id, userId };
  });
  await appendDialogEvents(transaction, events, at);
  return messages.map((message) => ({ ...message, text, updatedAt: at > message.updatedAt ? at : message.updatedAt }));
}

async function markIn(
  transaction: Transaction,
  messages: LockedMessage[],
  mark: Mark,
  viewer: ActingViewer,
  at: Date,
): Promise<void> {
  if (viewer.kind === 'key') return;
  const byDialog = [...groupBy(messages, (message) => message.dialogId)];
  // In a fixed order, because two devices of the caller may mark the same messages concurrently.
  for (const [dialogId, inDialog] of byDialog.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const member = { applicationId: viewer.applicationId, dialogId, userId: viewer.userId };
    const seqs = inDialog.map((message) => message.seq);
    if (await lockMember(transaction, member)) await markMessages(transaction, member, seqs, mark, at);
  }
}
