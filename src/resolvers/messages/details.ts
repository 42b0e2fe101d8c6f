import { coalesce } from '../../db/coalesce.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { query } from '../../db/query.ts';
import { groupBy } from '../../lib/collections.ts';
import type { MessageRow } from './rows.ts';

/** Parts of messages that other tables hold. */
export interface MessageDetails {
  /** Of the dialog; undefined when it has been deleted. */
  dialogType: number | undefined;
  /** Former members included; empty for public groups. */
  members: Reader[];
  /** Of this message. */
  marks: Mark[];
  /** Of this message, in the order in which they were added. */
  reactions: Reaction[];
}

export interface DetailParts {
  /** Members and marks. */
  readState?: boolean;
  reactions?: boolean;
}

/** The watermarks of a member. */
export type Reader = [userId: number, readSeq: number, deliveredSeq: number, unreadOwn: number, undeliveredOwn: number];
export type Mark = [seq: number, userId: number, isRead: boolean | null, isDelivered: boolean | null];
export type Reaction = [messageId: string, userId: number, name: string];

/** Messages of one dialog. */
interface Page {
  applicationId: number;
  dialogId: string;
  /** Null: without read state. */
  seqs: number[] | null;
  /** Null: without reactions. */
  messageIds: string[] | null;
}

interface PageDetails {
  dialogType: number | null;
  members: Reader[] | null;
  marks: Mark[] | null;
  reactions: Reaction[] | null;
}

/** Reads the requested parts, with one statement for all messages of a turn. @returns in the order of the messages */
export async function readDetails(messages: readonly MessageRow[], parts: DetailParts): Promise<MessageDetails[]> {
  const details = new Map<string, MessageDetails>();
  const pages = [...groupBy(messages, ({ dialogId }) => dialogId)].map(async ([dialogId, inDialog]) => {
    const { applicationId } = inDialog[0]!;
    const page = await readPage({
      applicationId,
      dialogId,
      seqs: parts.readState ? inDialog.map(({ seq }) => seq) : null,
      messageIds: parts.reactions ? inDialog.map(({ id }) => id) : null,
    });
    const marks = groupBy(page.marks ?? [], ([seq]) => seq);
    const reactions = groupBy(page.reactions ?? [], ([messageId]) => messageId);
    for (const { id, seq } of inDialog) {
      details.set(id, {
        dialogType: page.dialogType ?? undefined,
        members: page.members ?? [],
        marks: marks.get(seq) ?? [],
        reactions: reactions.get(id) ?? [],
      });
    }
  });
  await Promise.all(pages);
  return messages.map(({ id }) => details.get(id)!);
}

const readPage = coalesce(async (pages: Page[]): Promise<PageDetails[]> => {
  const rows = await query<{ ord: number } & PageDetails>`
    SELECT w.ord::int AS ord, d.type AS "dialogType",
      CASE WHEN d.type <> ${DIALOG_TYPE.PUBLIC_GROUP} AND w.seqs IS NOT NULL THEN (
        SELECT json_agg(
          json_build_array(m.user_id, m.read_seq, m.delivered_seq, m.unread_own_seq, m.undelivered_own_seq))
        FROM members m WHERE m.application_id = w.application_id AND m.dialog_id = w.dialog_id) END AS members,
      (SELECT json_agg(json_build_array(k.seq, k.user_id, k.is_read, k.is_delivered)) FROM message_marks k
        WHERE k.application_id = w.application_id AND k.dialog_id = w.dialog_id AND k.seq = ANY(w.seqs::int[])) AS marks,
      (SELECT json_agg(json_build_array(r.message_id, r.user_id, r.name) ORDER BY r.position) FROM reactions r
        WHERE r.application_id = w.application_id AND r.message_id = ANY(w.message_ids::text[])) AS reactions
    FROM unnest(${pages.map((page) => page.applicationId)}::int[], ${pages.map((page) => page.dialogId)}::text[],
      ${pages.map(({ seqs }) => arrayText(seqs))}::text[], ${pages.map(({ messageIds }) => arrayText(messageIds))}::text[])
      WITH ORDINALITY AS w (application_id, dialog_id, seqs, message_ids, ord)
    LEFT JOIN dialogs d ON d.application_id = w.application_id AND d.id = w.dialog_id`;
  const byOrdinal = new Map(rows.map((row) => [row.ord, row]));
  return pages.map((_, index) => byOrdinal.get(index + 1)!);
});

/** An array literal of PostgreSQL, because `unnest` takes no array of arrays of different lengths. */
function arrayText(values: (number | string)[] | null): string | null {
  return values && `{${values.join(',')}}`;
}
