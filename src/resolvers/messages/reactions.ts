import type { ActingContext, UserContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { transactInTurns } from '../../db/lock-turns.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { BadInputError, NotFoundError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { isStringId } from '../../lib/string-ids.ts';
import { requireReader } from '../dialogs/access.ts';
import type { ReactionUsers } from './reactions-of.ts';
import { reactionLoader } from './reactions-of.ts';
import type { MessageRow } from './rows.ts';
import { messageLoader } from './rows.ts';

export const MAX_NAME = 64;

type Name = string | null | undefined;

/** Idempotent. @throws {BadInputError} {NotFoundError} {ForbiddenError} */
export function addReaction(messageId: string, name: Name, context: UserContext): Promise<MessageRow> {
  return mutateReactions(messageId, { add: name }, context);
}

/** @throws {NotFoundError} */
export function removeReaction(messageId: string, name: Name, context: UserContext): Promise<MessageRow> {
  return mutateReactions(messageId, { remove: name ?? '' }, context);
}

/** Both or neither. @throws {BadInputError} {NotFoundError} {ForbiddenError} */
export function changeReactions(
  messageId: string,
  { add, remove }: { add?: Name; remove?: Name },
  context: UserContext,
): Promise<MessageRow> {
  return mutateReactions(messageId, { add, remove, locksMessage: true }, context);
}

async function mutateReactions(
  messageId: string,
  { add, remove, locksMessage }: { add?: Name; remove?: Name; locksMessage?: boolean },
  context: UserContext,
): Promise<MessageRow> {
  const id = checkedId(messageId);
  const removed = remove == null ? undefined : checkedName(remove);
  const added = add == null && removed !== undefined ? undefined : checkedName(add);
  const message = await requireMessage(id, context);
  await transactInTurns(jobOwnerOf(context.viewer), async (transaction) => {
    if (locksMessage) await lockMessage(transaction, message, context);
    if (removed !== undefined) await deleteReaction(transaction, message, removed, context);
    if (added !== undefined) await insertReaction(transaction, message, added, context);
  });
  context.outbox.wake();
  return message;
}

export async function listReactions(messageId: string, context: ActingContext): Promise<ReactionUsers[]> {
  const message = await requireMessage(checkedId(messageId), context);
  return context.loaders.of(reactionLoader).load(message, (reactions) => reactions);
}

async function requireMessage(id: string, { viewer, loaders }: ActingContext): Promise<MessageRow> {
  const message = await loaders.of(messageLoader).load({ applicationId: viewer.applicationId, id });
  if (!message || message.isHidden) throw noMessage();
  requireReader(message, viewer);
  return message;
}

/** Changes of several reactions of a message could otherwise deadlock. */
async function lockMessage(
  transaction: Transaction,
  { id, dialogId }: MessageRow,
  { viewer: { applicationId, userId } }: UserContext,
): Promise<void> {
  const locked = await transaction.$executeRaw`
    SELECT FROM users u, dialogs d, messages m
    WHERE u.application_id = ${applicationId} AND u.id = ${userId}
      AND d.application_id = ${applicationId} AND d.id = ${dialogId}
      AND m.application_id = ${applicationId} AND m.id = ${id}
    FOR KEY SHARE OF u, d FOR NO KEY UPDATE OF m`;
  if (locked === 0) throw noMessage();
}

/** `KEY SHARE` makes deletions of user, dialog and message wait; if they are deleted already, inserts nothing. */
async function insertReaction(
  client: Transaction,
  { id, dialogId }: MessageRow,
  name: string,
  { viewer: { applicationId, userId }, now }: UserContext,
): Promise<void> {
  await client.$executeRaw`
    WITH locked AS (
      SELECT u.id FROM users u, dialogs d, messages m
      WHERE u.application_id = ${applicationId} AND u.id = ${userId}
        AND d.application_id = ${applicationId} AND d.id = ${dialogId}
        AND m.application_id = ${applicationId} AND m.id = ${id}
      FOR KEY SHARE
    ), added AS (
      INSERT INTO reactions (application_id, message_id, user_id, name)
      SELECT ${applicationId}::int, ${id}, locked.id, ${name} FROM locked
      ON CONFLICT DO NOTHING RETURNING name
    )
    INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, name, created_at)
    SELECT ${applicationId}::int, 'reactionAdded', ${dialogId}, ${id}, ${userId}::int, name, ${now()} FROM added`;
}

async function deleteReaction(
  client: Transaction,
  { id, dialogId }: MessageRow,
  name: string,
  { viewer: { applicationId, userId }, now }: UserContext,
): Promise<void> {
  const removed = await client.$executeRaw`
    WITH removed AS (
      DELETE FROM reactions
      WHERE application_id = ${applicationId} AND message_id = ${id} AND user_id = ${userId} AND name = ${name}
      RETURNING name
    )
    INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, name, created_at)
    SELECT ${applicationId}::int, 'reactionRemoved', ${dialogId}, ${id}, ${userId}::int, name, ${now()} FROM removed`;
  if (removed === 0) throw new NotFoundError('REACTION_NOT_FOUND');
}

function noMessage(): NotFoundError {
  return new NotFoundError('MESSAGE_NOT_FOUND');
}

function checkedId(messageId: string): string {
  if (!isStringId(messageId)) throw new BadInputError('MESSAGE_ID_INVALID');
  return messageId;
}

function checkedName(name: string | null | undefined): string {
  const trimmed = name?.trim() ?? '';
  if (trimmed === '' || [...trimmed].length > MAX_NAME || /\p{Cc}/u.test(trimmed)) {
    throw new BadInputError(problem('REACTION_NAME_INVALID', { max: MAX_NAME }));
  }
  return trimmed;
}
