import { columnsOf, orNull, type RowOf } from '../../db/columns.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { query } from '../../db/query.ts';
import { groupBy } from '../../lib/collections.ts';
import { Loader } from '../../lib/loader.ts';
import type { MessageRow } from './rows.ts';

/** Who has read a message and to whom it was delivered: user ids ascending; both empty in public groups. */
export interface ReadState {
  readIds: number[];
  deliveredIds: number[];
}

interface DialogReaders {
  type: number;
  /** Former members too. */
  members: Reader[];
}

const TYPE = columnsOf('Dialog', 'd', ['type']);
const READER = columnsOf('Member', 'm', ['userId', 'readSeq', 'deliveredSeq', 'unreadOwnSeq', 'undeliveredOwnSeq']);
type Reader = RowOf<[typeof READER]>;

const MARK = columnsOf('MessageMark', 'k', ['seq', 'userId', 'isRead', 'isDelivered']);
type Mark = RowOf<[typeof MARK]>;

/**
 * Derives the read state of the messages of one request: two statements per dialog, however many messages.
 * A member has read what they sent and all up to their watermark, but for what their marks say otherwise.
 */
export function readStateLoader(): Loader<MessageRow, ReadState> {
  return new Loader(readStates, (message) => message.id);
}

/** What holds for a message right after it was sent. */
export function readStateOfNew({ senderId }: MessageRow, dialogType: number): ReadState {
  if (dialogType === DIALOG_TYPE.PUBLIC_GROUP) return { readIds: [], deliveredIds: [] };
  return { readIds: [senderId], deliveredIds: [senderId] };
}

async function readStates(messages: readonly MessageRow[]): Promise<ReadState[]> {
  const states = new Map<string, ReadState>();
  for (const [dialogId, inDialog] of groupBy(messages, (message) => message.dialogId)) {
    const { applicationId } = inDialog[0]!;
    const readers = await dialogReaders(applicationId, dialogId);
    const marks = await marksOf(applicationId, dialogId, inDialog);
    for (const message of inDialog) states.set(message.id, readState(message, readers, marks));
  }
  return messages.map((message) => states.get(message.id)!);
}

function readState(
  { seq, senderId }: MessageRow,
  { type, members }: DialogReaders,
  allMarks: Map<number, Mark[]>,
): ReadState {
  if (type === DIALOG_TYPE.PUBLIC_GROUP) return { readIds: [], deliveredIds: [] };
  const read = new Set([senderId]);
  const delivered = new Set([senderId]);
  for (const { userId, readSeq, deliveredSeq, unreadOwnSeq, undeliveredOwnSeq } of members) {
    if (readSeq >= seq) read.add(userId);
    else if (userId === senderId && unreadOwnSeq >= seq) read.delete(userId);
    if (deliveredSeq >= seq) delivered.add(userId);
    else if (userId === senderId && undeliveredOwnSeq >= seq) delivered.delete(userId);
  }
  for (const { userId, isRead, isDelivered } of allMarks.get(seq) ?? []) {
    if (isRead !== null) isRead ? read.add(userId) : read.delete(userId);
    if (isDelivered !== null) isDelivered ? delivered.add(userId) : delivered.delete(userId);
  }
  return { readIds: ascending(read), deliveredIds: ascending(delivered) };
}

async function dialogReaders(applicationId: number, dialogId: string): Promise<DialogReaders> {
  const rows = await query`
    SELECT ${TYPE}, ${orNull(READER)}
    FROM dialogs d LEFT JOIN members m
      ON m.application_id = d.application_id AND m.dialog_id = d.id AND d.type <> ${DIALOG_TYPE.PUBLIC_GROUP}
    WHERE d.application_id = ${applicationId} AND d.id = ${dialogId}`;
  return {
    type: rows[0]?.type ?? DIALOG_TYPE.PUBLIC_GROUP,
    members: rows.filter((row): row is typeof row & Reader => row.userId !== null),
  };
}

async function marksOf(applicationId: number, dialogId: string, messages: MessageRow[]): Promise<Map<number, Mark[]>> {
  const marks = await query`
    SELECT ${MARK} FROM message_marks k
    WHERE k.application_id = ${applicationId} AND k.dialog_id = ${dialogId}
      AND k.seq = ANY(${messages.map((message) => message.seq)}::int[])`;
  return groupBy(marks, (mark) => mark.seq);
}

function ascending(ids: Set<number>): number[] {
  return [...ids].sort((a, b) => a - b);
}
