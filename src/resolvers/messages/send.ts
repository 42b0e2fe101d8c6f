import type { UserContext } from '../../context.ts';
import { newId } from '../../db/ids.ts';
import { BadInputError, ForbiddenError, NotFoundError, UnprocessableError } from '../../lib/errors.ts';
import { type Problem, problem, when } from '../../lib/problems.ts';
import { isStringId } from '../../lib/string-ids.ts';
import { findOrCreatePrivateDialog } from '../dialogs/private.ts';
import { isUniqueViolation } from '../users/taken.ts';
import { findKey, findReadableMessage } from './find.ts';
import { reactionLoader } from './reactions-of.ts';
import { readStateLoader, readStateOfNew } from './read-state.ts';
import { type MessageRow, messageLoader } from './rows.ts';
import { checkedContent } from './rules.ts';
import { storeMessage } from './store.ts';

export interface NewMessage {
  /** Takes precedence over `recipientId`. */
  dialogId?: string | null;
  /** Finds or creates the private dialog with this user. */
  recipientId?: number | null;
  text?: string | null;
  attachments?: unknown[] | null;
  customFields?: unknown;
  /** Default true. */
  sendToChat?: boolean | null;
  /** Chosen by the client: 24 hex digits become the id of the message; another text is stored as its `clientId`. */
  id?: string | null;
  /** Idempotency key of the sender; `id` replaces it. */
  clientId?: string | null;
}

export const MAX_CLIENT_ID = 255;

/**
 * A retry with the same `id` or `clientId` returns the stored message.
 * @throws {UnprocessableError} invalid content, or the id of another message
 */
export async function sendMessage(input: NewMessage, context: UserContext): Promise<MessageRow> {
  const { viewer, now, outbox, loaders } = context;
  const { text, attachments, customFields } = input;
  const content = checkedContent(
    { text: text ?? '', attachments: attachments ?? [], customFields: asObject(customFields ?? {}) },
    [...addressProblems(input, viewer.userId), ...clientIdProblems(input)],
  );
  // A retry must not create a new dialog if the private dialog was deleted since.
  const key = keyOf(input);
  const known = input.dialogId == null && key !== null ? await findKey(key, viewer) : null;
  if (known) return findSent(known.messageId, input, context);
  const dialogId = input.dialogId ?? (await dialogWith(input.recipientId!, context));
  if (!isStringId(dialogId)) throw new NotFoundError();

  const at = now();
  const isIdChosen = input.id != null && isStringId(input.id);
  const stored = await storeUnlessTaken({
    ...content,
    applicationId: viewer.applicationId,
    dialogId,
    senderId: viewer.userId,
    id: isIdChosen ? input.id! : newId(at),
    isIdChosen,
    key,
    sendToChat: input.sendToChat ?? true,
    clientId: isIdChosen ? null : (input.id ?? null),
    at,
    origin: context.origin,
    actor: viewer.actor,
  });
  if (stored === 'known') return findKnown({ ...input, dialogId }, context);
  if (stored === 'no dialog') throw new NotFoundError();
  if (stored === 'no occupant') throw new ForbiddenError();
  if (stored === 'blocked') throw new ForbiddenError('BLOCKED');
  outbox.wake();
  const { message, dialogType } = stored;
  loaders.of(readStateLoader).know(message, readStateOfNew(message, dialogType));
  loaders.of(reactionLoader).know(message, []);
  return message;
}

function asObject(value: unknown): Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject) throw new BadInputError(problem('NOT_AN_OBJECT', { name: 'customFields' }));
  return value as Record<string, unknown>;
}

function addressProblems({ dialogId, recipientId }: NewMessage, senderId: number): Problem[] {
  if (dialogId != null) return [];
  if (recipientId == null) return ['RECIPIENT_REQUIRED'];
  return recipientId === senderId ? ['RECIPIENT_UNKNOWN'] : [];
}

function clientIdProblems({ id, clientId }: NewMessage): Problem[] {
  const isLong = (text: string | null | undefined) => [...(text ?? '')].length > MAX_CLIENT_ID;
  return [
    ...when(id === '' || isLong(id), problem('WRONG_ID_LENGTH', { max: MAX_CLIENT_ID })),
    ...when(isLong(clientId), problem('CLIENT_ID_TOO_LONG', { max: MAX_CLIENT_ID })),
  ];
}

function keyOf({ id, clientId }: NewMessage): string | null {
  return id ?? (clientId || null);
}

/** Statements in flight do not see the ids of each other. */
async function storeUnlessTaken(message: Parameters<typeof storeMessage>[0]): ReturnType<typeof storeMessage> {
  try {
    return await storeMessage(message);
  } catch (error) {
    if (message.isIdChosen && isUniqueViolation(error)) return 'known';
    throw error;
  }
}

async function findKnown(input: NewMessage, context: UserContext): Promise<MessageRow> {
  const sent = await findKey(keyOf(input)!, context.viewer);
  if (!sent) throw input.id == null ? new NotFoundError() : new UnprocessableError('MESSAGE_ID_TAKEN');
  return findSent(sent.messageId, input, context);
}

/** A late retry does not send a deleted message again. */
async function findSent(messageId: string, input: NewMessage, context: UserContext): Promise<MessageRow> {
  const { applicationId, userId } = context.viewer;
  const sent = await context.loaders.of(messageLoader).load({ applicationId, id: messageId });
  const isSame = ({ senderId, dialogId, recipientId }: MessageRow) =>
    senderId === userId && (input.dialogId == null ? recipientId === input.recipientId : dialogId === input.dialogId);
  if (input.id != null && sent && !isSame(sent)) throw new UnprocessableError('MESSAGE_ID_TAKEN');
  return findReadableMessage(messageId, context);
}

async function dialogWith(recipientId: number, context: UserContext): Promise<string> {
  const dialog = await findOrCreatePrivateDialog(recipientId, context);
  if (!dialog) throw new NotFoundError();
  return dialog.id;
}
