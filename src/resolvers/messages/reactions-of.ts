import type { Transaction } from '../../db/client.ts';
import { Loader } from '../../lib/loader.ts';
import { type Reaction, readDetails } from './details.ts';
import type { MessageRow } from './rows.ts';

export interface ReactionUsers {
  name: string;
  userIds: number[];
}

/** In the order in which the names were first used. */
export function reactionLoader(): Loader<MessageRow, OrderedReaction[]> {
  return new Loader(reactionsOf, (message) => message.id);
}

async function reactionsOf(messages: readonly MessageRow[]): Promise<OrderedReaction[][]> {
  const details = await readDetails(messages, { readState: false, reactions: true });
  return details.map(({ reactions }) => orderedReactions(reactions));
}

export interface OrderedReaction extends ReactionUsers {
  ordinals: Map<number, number>;
}

export function ownReactions(reactions: OrderedReaction[], userId: number): string[] {
  return reactions
    .filter((reaction) => reaction.ordinals.has(userId))
    .sort((a, b) => a.ordinals.get(userId)! - b.ordinals.get(userId)!)
    .map((reaction) => reaction.name);
}

export async function removeReactionsOf(
  transaction: Transaction,
  { applicationId, userId }: { applicationId: number; userId: number },
  now: Date,
): Promise<void> {
  await transaction.$executeRaw`
    WITH removed AS (
      DELETE FROM reactions WHERE application_id = ${applicationId} AND user_id = ${userId}
      RETURNING message_id, name, position
    )
    INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, name, created_at)
    SELECT ${applicationId}::int, 'reactionRemoved', m.dialog_id, m.id, ${userId}::int, r.name, ${now}
    FROM removed r CROSS JOIN LATERAL (
      SELECT id, dialog_id FROM messages WHERE application_id = ${applicationId} AND id = r.message_id LIMIT 1) m
    ORDER BY r.position`;
}

export function orderedReactions(rows: Reaction[]): OrderedReaction[] {
  const reactions = new Map<string, OrderedReaction>();
  for (const [ordinal, [, userId, name]] of rows.entries()) {
    const reaction = reactions.get(name) ?? { name, userIds: [], ordinals: new Map() };
    reaction.ordinals.set(userId, ordinal);
    reactions.set(name, reaction);
  }
  for (const reaction of reactions.values()) reaction.userIds = [...reaction.ordinals.keys()].sort((a, b) => a - b);
  return [...reactions.values()];
}
