import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { Loader } from '../../lib/loader.ts';
import { type MessageDetails, readDetails } from './details.ts';
import type { MessageRow } from './rows.ts';

/** Ids ascending; both empty in public groups. */
export interface ReadState {
  readIds: number[];
  deliveredIds: number[];
}

/** A member has read own messages and those up to the watermark, except as marks state otherwise. */
export function readStateLoader(): Loader<MessageRow, ReadState> {
  return new Loader(readStates, (message) => message.id);
}

export function readStateOfNew({ senderId }: MessageRow, dialogType: number): ReadState {
  if (dialogType === DIALOG_TYPE.PUBLIC_GROUP) return { readIds: [], deliveredIds: [] };
  return { readIds: [senderId], deliveredIds: [senderId] };
}

async function readStates(messages: readonly MessageRow[]): Promise<ReadState[]> {
  const details = await readDetails(messages, { readState: true, reactions: false });
  return messages.map((message, index) => readStateOf(message, details[index]!));
}

export function readStateOf({ seq, senderId }: MessageRow, { dialogType, members, marks }: MessageDetails): ReadState {
  if (dialogType === undefined || dialogType === DIALOG_TYPE.PUBLIC_GROUP) return { readIds: [], deliveredIds: [] };
  const read = new Set([senderId]);
  const delivered = new Set([senderId]);
  for (const [userId, readSeq, deliveredSeq, unreadOwnSeq, undeliveredOwnSeq] of members) {
    if (readSeq >= seq) read.add(userId);
    else if (userId === senderId && unreadOwnSeq >= seq) read.delete(userId);
    if (deliveredSeq >= seq) delivered.add(userId);
    else if (userId === senderId && undeliveredOwnSeq >= seq) delivered.delete(userId);
  }
  for (const [, userId, isRead, isDelivered] of marks) {
    if (isRead !== null) isRead ? read.add(userId) : read.delete(userId);
    if (isDelivered !== null) isDelivered ? delivered.add(userId) : delivered.delete(userId);
  }
  return { readIds: ascending(read), deliveredIds: ascending(delivered) };
}

function ascending(ids: Set<number>): number[] {
  return [...ids].sort((a, b) => a - b);
}
