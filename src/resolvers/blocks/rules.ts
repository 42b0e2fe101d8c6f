import { UnprocessableError } from '../../lib/errors.ts';
import { type Problem, problem, when } from '../../lib/problems.ts';

export const MAX_BLOCKED_USERS = 2_000;
export const MAX_LISTS = 100;
export const MAX_ITEMS = 2_000;
const MAX_NAME = 255;
const MAX_ITEMS_BYTES = 1024 * 1024;

/** What a user does not receive from another. */
export interface Block {
  /** Private messages, presence, marks, typing and signals. */
  inPrivate: boolean;
  /** Messages in groups. */
  inGroups: boolean;
  /** The user cannot send private messages to the other either. */
  isMutual: boolean;
}

/** One rule of a privacy list, as a client wrote it. */
export interface PrivacyItem {
  order: number;
  action: string;
  type?: string | undefined;
  value?: string | undefined;
  /** Names of the child elements; none: all, and the block is mutual. */
  stanzas: string[];
  /** The user whom the value names; without it the item has no effect. */
  userId?: number | undefined;
  /** Whether the value names the user in rooms. */
  isInRooms?: boolean | undefined;
}

/** By user id. Only items that deny something to a user have an effect. */
export function blocksOf(items: readonly PrivacyItem[]): Map<number, Block> {
  const blocks = new Map<number, Block>();
  for (const { action, userId, isInRooms, stanzas } of items) {
    if (action !== 'deny' || userId === undefined) continue;
    const block = blocks.get(userId) ?? { inPrivate: false, inGroups: false, isMutual: false };
    blocks.set(userId, block);
    if (isInRooms) block.inGroups = true;
    else block.inPrivate = true;
    if (!isInRooms && stanzas.length === 0) block.isMutual = true;
  }
  return blocks;
}

/** @throws {UnprocessableError} */
export function checkList(name: string, items: readonly PrivacyItem[]): void {
  const bytes = Buffer.byteLength(JSON.stringify(items));
  const problems: Problem[] = [
    ...when(name === '' || name.length > MAX_NAME, problem('LIST_NAME_INVALID', { max: MAX_NAME })),
    ...when(items.length > MAX_ITEMS || bytes > MAX_ITEMS_BYTES, problem('TOO_MANY_ITEMS', { max: MAX_ITEMS })),
  ];
  if (problems.length > 0) throw new UnprocessableError(...problems);
}
