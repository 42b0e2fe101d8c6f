import type { ActingContext, UserContext } from '../context.ts';
import { db } from '../db/client.ts';
import { BadInputError, NotFoundError } from '../lib/errors.ts';
import { isStringId } from '../lib/string-ids.ts';
import { requireReadableDialog } from './dialogs/access.ts';
import type { ReactionUsers } from './messages/reactions-of.ts';
import type { MessageRow } from './messages/rows.ts';

const MAX_NAME = 64;

/**
 * Leaves a reaction; one that is there already stays (gaps §7).
 * @throws {BadInputError} id or name
 * @throws {NotFoundError} unknown message
 * @throws {ForbiddenError} the caller is no occupant
 */
export async function addReaction(
  messageId: string,
  name: string | null | undefined,
  context: UserContext,
): Promise<MessageRow> {
  const { viewer, now, outbox } = context;
  const id = checkedId(messageId);
  const checked = checkedName(name);
  const message = await requireMessage(id, context);
  // Whoever deletes the user waits, or has done so: then nobody is held, and nothing is left behind.
  const added = await db.$executeRaw`
    WITH held AS (
      SELECT id FROM users WHERE application_id = ${viewer.applicationId} AND id = ${viewer.userId} FOR KEY SHARE
    ), added AS (
      INSERT INTO reactions (application_id, message_id, user_id, name)
      SELECT ${viewer.applicationId}::int, ${message.id}, held.id, ${checked} FROM held
      ON CONFLICT DO NOTHING RETURNING name
    )
    INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, name, created_at)
    SELECT ${viewer.applicationId}::int, 'reactionAdded', ${message.dialogId}, ${message.id}, ${viewer.userId}::int, name,
      ${now()} FROM added`;
  if (added > 0) outbox.wake();
  return message;
}

/**
 * Takes one of the caller's own reactions back.
 * @throws {NotFoundError} unknown message, or no such reaction of the caller's
 */
export async function removeReaction(
  messageId: string,
  name: string | null | undefined,
  context: UserContext,
): Promise<MessageRow> {
  const { viewer, now, outbox } = context;
  const id = checkedId(messageId);
  const checked = checkedName(name);
  const message = await requireMessage(id, context);
  const removed = await db.$executeRaw`
    WITH removed AS (
      DELETE FROM reactions
      WHERE application_id = ${viewer.applicationId} AND message_id = ${message.id} AND user_id = ${viewer.userId}
        AND name = ${checked}
      RETURNING name
    )
    INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, name, created_at)
    SELECT ${viewer.applicationId}::int, 'reactionRemoved', ${message.dialogId}, ${message.id}, ${viewer.userId}::int,
      name, ${now()} FROM removed`;
  if (removed === 0) throw new NotFoundError('Reaction not found for the specified user and message ID.');
  outbox.wake();
  return message;
}

/** Who reacted how, in the order in which the names first came. */
export async function listReactions(messageId: string, context: ActingContext): Promise<ReactionUsers[]> {
  const message = await requireMessage(checkedId(messageId), context);
  return context.loaders.reactions.load(message, (reactions) => reactions);
}

async function requireMessage(id: string, { viewer, loaders }: ActingContext): Promise<MessageRow> {
  const message = await loaders.message.load({ applicationId: viewer.applicationId, id });
  if (!message) throw new NotFoundError('Message not found for the specified user and message ID.');
  await requireReadableDialog(message.dialogId, viewer);
  return message;
}

function checkedId(messageId: string): string {
  if (!isStringId(messageId)) throw new BadInputError('Invalid or missing "message_id" parameter.');
  return messageId;
}

function checkedName(name: string | null | undefined): string {
  const trimmed = name?.trim() ?? '';
  if (trimmed === '' || [...trimmed].length > MAX_NAME || /\p{Cc}/u.test(trimmed)) {
    throw new BadInputError('Invalid or missing "name" parameter.');
  }
  return trimmed;
}
