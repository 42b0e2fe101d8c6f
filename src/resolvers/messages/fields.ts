import type { Context } from '../../context.ts';
import { readDetails } from './details.ts';
import { orderedReactions, reactionLoader } from './reactions-of.ts';
import { readStateLoader, readStateOf } from './read-state.ts';
import type { MessageRow } from './rows.ts';

const OF_READ_STATE = ['readIds', 'deliveredIds', 'read'];
const OF_REACTIONS = ['reactions', 'ownReactions'];

/** Reads with one statement what the requested fields need of the messages. */
export async function prepareFields<Row extends MessageRow>(
  messages: Row[],
  requested: ReadonlySet<string>,
  { loaders }: Context,
): Promise<Row[]> {
  const isRequested = (name: string) => requested.has(name);
  const parts = { readState: OF_READ_STATE.some(isRequested), reactions: OF_REACTIONS.some(isRequested) };
  if (messages.length === 0 || !(parts.readState || parts.reactions)) return messages;
  const details = await readDetails(messages, parts);
  for (const [index, message] of messages.entries()) {
    if (parts.readState) loaders.of(readStateLoader).know(message, readStateOf(message, details[index]!));
    if (parts.reactions) loaders.of(reactionLoader).know(message, orderedReactions(details[index]!.reactions));
  }
  return messages;
}
