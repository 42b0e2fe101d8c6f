import type { Context } from '../../context.ts';
import type { Loaders } from '../../lib/loaders.ts';
import { type DetailParts, type MessageDetails, readDetails } from './details.ts';
import { orderedReactions, reactionLoader } from './reactions-of.ts';
import { readStateLoader, readStateOf } from './read-state.ts';
import type { MessageRow } from './rows.ts';

const OF_READ_STATE = ['readIds', 'deliveredIds', 'read'];
const OF_REACTIONS = ['reactions', 'ownReactions'];

export function partsOf(requested: ReadonlySet<string>): DetailParts {
  const isRequested = (name: string) => requested.has(name);
  return { readState: OF_READ_STATE.some(isRequested), reactions: OF_REACTIONS.some(isRequested) };
}

export async function prepareFields<Row extends MessageRow>(
  messages: Row[],
  requested: ReadonlySet<string>,
  { loaders }: Context,
): Promise<Row[]> {
  const parts = partsOf(requested);
  if (messages.length === 0 || !(parts.readState || parts.reactions)) return messages;
  keepDetails(messages, await readDetails(messages, parts), parts, loaders);
  return messages;
}

export function keepDetails(
  messages: readonly MessageRow[],
  details: readonly MessageDetails[],
  parts: DetailParts,
  loaders: Loaders,
): void {
  for (const [index, message] of messages.entries()) {
    if (parts.readState) loaders.of(readStateLoader).know(message, readStateOf(message, details[index]!));
    if (parts.reactions) loaders.of(reactionLoader).know(message, orderedReactions(details[index]!.reactions));
  }
}
