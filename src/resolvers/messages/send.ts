import type { UserContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { newId } from '../../db/ids.ts';
import type { UserViewer } from '../../lib/access.ts';
import { BadInputError, ForbiddenError, NotFoundError } from '../../lib/errors.ts';
import { type Problem, problem } from '../../lib/problems.ts';
import { isStringId } from '../../lib/string-ids.ts';
import { findOrCreatePrivateDialog } from '../dialogs/private.ts';
import { findReadableMessage } from './find.ts';
import { reactionLoader } from './reactions-of.ts';
import { readStateLoader, readStateOfNew } from './read-state.ts';
import type { MessageRow } from './rows.ts';
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
  clientId?: string | null;
}

export const MAX_CLIENT_ID = 255;

/** A retry with the same `clientId` returns the stored message. @throws {UnprocessableError} invalid content */
export async function sendMessage(input: NewMessage, context: UserContext): Promise<MessageRow> {
  const { viewer, now, outbox, loaders } = context;
  const { text, attachments, customFields } = input;
  const content = checkedContent(
    { text: text ?? '', attachments: attachments ?? [], customFields: asObject(customFields ?? {}) },
    [...addressProblems(input, viewer.userId), ...clientIdProblems(input)],
  );
  // A retry must not create a new dialog if the private dialog was deleted since.
  const known = input.dialogId == null && input.clientId ? await findKey(input.clientId, viewer) : null;
  if (known) return findReadableMessage(known.messageId, context);
  const dialogId = input.dialogId ?? (await dialogWith(input.recipientId!, context));
  if (!isStringId(dialogId)) throw new NotFoundError();

  const at = now();
  const stored = await storeMessage({
    ...content,
    applicationId: viewer.applicationId,
    dialogId,
    senderId: viewer.userId,
    id: newId(at),
    sendToChat: input.sendToChat ?? true,
    clientId: input.clientId || null,
    at,
    actor: viewer.actor,
  });
  if (stored === 'known') return findSent(input.clientId!, context);
  if (stored === 'no dialog') throw new NotFoundError();
  if (stored === 'no occupant') throw new ForbiddenError();
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

function clientIdProblems({ clientId }: NewMessage): Problem[] {
  return [...(clientId ?? '')].length > MAX_CLIENT_ID ? [problem('CLIENT_ID_TOO_LONG', { max: MAX_CLIENT_ID })] : [];
}

/** A late retry does not send a deleted message again. */
async function findSent(key: string, context: UserContext): Promise<MessageRow> {
  const sent = await findKey(key, context.viewer);
  if (!sent) throw new NotFoundError();
  return findReadableMessage(sent.messageId, context);
}

function findKey(key: string, { applicationId, userId }: UserViewer) {
  return db.messageKey.findUnique({ where: { applicationId_userId_key: { applicationId, userId, key } } });
}

async function dialogWith(recipientId: number, context: UserContext): Promise<string> {
  const dialog = await findOrCreatePrivateDialog(recipientId, context);
  if (!dialog) throw new NotFoundError();
  return dialog.id;
}
