import DataLoader from 'dataloader';
import type { ActingContext, UserContext } from '../context.ts';
import { db } from '../db/client.ts';
import { groupBy } from '../lib/collections.ts';
import { BadInputError, NotFoundError } from '../lib/errors.ts';
import { isStringId } from '../lib/string-ids.ts';
import { requireReadableDialog } from './dialogs/access.ts';
import type { MessageRow } from './messages/rows.ts';

/** Users who left a reaction of one name, by id. */
export interface ReactionUsers {
  name: string;
  userIds: number[];
}

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
  const message = await requireMessage(messageId, context);
  const checked = checkedName(name);
  const added = await db.$executeRaw`
    WITH added AS (
      INSERT INTO reactions (application_id, message_id, user_id, name)
      VALUES (${viewer.applicationId}, ${message.id}, ${viewer.userId}, ${checked})
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
  const message = await requireMessage(messageId, context);
  const checked = checkedName(name);
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
  const message = await requireMessage(messageId, context);
  return context.loaders.reactions.load(message);
}

/** Reactions of messages by name, names in the order of their first coming. */
export function reactionLoader(): DataLoader<MessageRow, OrderedReaction[], string> {
  return new DataLoader(
    async (messages) => {
      const rows = await db.$queryRaw<{ messageId: string; userId: number; name: string }[]>`
        SELECT message_id AS "messageId", user_id AS "userId", name FROM reactions
        WHERE application_id = ${messages[0]!.applicationId}
          AND message_id = ANY(${messages.map((message) => message.id)}::text[])
        ORDER BY position`;
      const byMessage = groupBy(rows, (row) => row.messageId);
      return messages.map(({ id }) => byName(byMessage.get(id) ?? []));
    },
    { cacheKeyFn: (message) => message.id },
  );
}

export interface OrderedReaction extends ReactionUsers {
  /** Places in the order of adding, by user. */
  places: Map<number, number>;
}

/** Names of the reactions one user left, in the order of adding. */
export function ownReactions(reactions: OrderedReaction[], userId: number): string[] {
  return reactions
    .filter((reaction) => reaction.places.has(userId))
    .sort((a, b) => a.places.get(userId)! - b.places.get(userId)!)
    .map((reaction) => reaction.name);
}

function byName(rows: { userId: number; name: string }[]): OrderedReaction[] {
  const reactions = new Map<string, OrderedReaction>();
  for (const [place, { userId, name }] of rows.entries()) {
    const reaction = reactions.get(name) ?? { name, userIds: [], places: new Map() };
    reaction.places.set(userId, place);
    reactions.set(name, reaction);
  }
  for (const reaction of reactions.values()) reaction.userIds = [...reaction.places.keys()].sort((a, b) => a - b);
  return [...reactions.values()];
}

async function requireMessage(messageId: string, { viewer, loaders }: ActingContext): Promise<MessageRow> {
  if (!isStringId(messageId)) throw new BadInputError('Invalid or missing "message_id" parameter.');
  const message = await loaders.message.load({ applicationId: viewer.applicationId, id: messageId });
  if (!message) throw new NotFoundError('Message not found for the specified user and message ID.');
  await requireReadableDialog(message.dialogId, viewer);
  return message;
}

function checkedName(name: string | null | undefined): string {
  const trimmed = name?.trim() ?? '';
  if (trimmed === '' || [...trimmed].length > MAX_NAME || /\p{Cc}/u.test(trimmed)) {
    throw new BadInputError('Invalid or missing "name" parameter.');
  }
  return trimmed;
}
