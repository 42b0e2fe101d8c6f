import type { Context } from '../../context.ts';
import { reactionLoader } from './reactions-of.ts';
import { readStateLoader } from './read-state.ts';
import type { MessageRow } from './rows.ts';

const OF_READ_STATE = ['readIds', 'deliveredIds', 'read'];
const OF_REACTIONS = ['reactions', 'ownReactions'];

/** Reads at once what the fields asked for will need of the messages. */
export async function prepareFields(
  messages: MessageRow[],
  requested: ReadonlySet<string>,
  { loaders }: Context,
): Promise<MessageRow[]> {
  const isRequested = (name: string) => requested.has(name);
  await Promise.all([
    OF_READ_STATE.some(isRequested) && loaders.of(readStateLoader).prepare(messages),
    OF_REACTIONS.some(isRequested) && loaders.of(reactionLoader).prepare(messages),
  ]);
  return messages;
}
