import { Prisma } from '../../db/client.ts';
import { applicationOf, coalesce } from '../../db/coalesce.ts';
import { TYPE_IN_SQL } from '../../db/dialog-types.ts';
import { query } from '../../db/query.ts';
import { groupBy } from '../../lib/collections.ts';
import type { MessageRow } from './rows.ts';

export interface MessageDetails {
  /** Undefined when the dialog has been deleted. */
  dialogType: number | undefined;
  /** Former members included; empty for public groups. */
  members: Watermarks[];
  marks: StoredMark[];
  /** In the order in which they were added. */
  reactions: Reaction[];
}

export interface DetailParts {
  readState: boolean;
  reactions: boolean;
}

export type Watermarks = [
  userId: number,
  readSeq: number,
  deliveredSeq: number,
  unreadOwn: number,
  undeliveredOwn: number,
];
export type StoredMark = [seq: number, userId: number, isRead: boolean | null, isDelivered: boolean | null];
export type Reaction = [messageId: string, userId: number, name: string];

interface Page {
  applicationId: number;
  dialogId: string;
  seqs: number[] | null;
  messageIds: string[] | null;
}

export interface PageDetails {
  dialogType: number | null;
  members: Watermarks[] | null;
  marks: StoredMark[] | null;
  reactions: Reaction[] | null;
}

/** One statement for all messages of a turn. @returns in the order of the messages */
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
    for (const [index, each] of detailsOf(inDialog, page).entries()) details.set(inDialog[index]!.id, each);
  });
  await Promise.all(pages);
  return messages.map(({ id }) => details.get(id)!);
}

export function detailsOf(messages: readonly MessageRow[], page: PageDetails): MessageDetails[] {
  const marks = groupBy(page.marks ?? [], ([seq]) => seq);
  const reactions = groupBy(page.reactions ?? [], ([messageId]) => messageId);
  return messages.map(({ id, seq }) => ({
    dialogType: page.dialogType ?? undefined,
    members: page.members ?? [],
    marks: marks.get(seq) ?? [],
    reactions: reactions.get(id) ?? [],
  }));
}

/** Of dialog `d`. */
export const membersOf = (applicationId: number) => Prisma.sql`CASE WHEN d.type <> ${TYPE_IN_SQL.PUBLIC_GROUP} THEN (
  SELECT json_agg(json_build_array(m.user_id, m.read_seq, m.delivered_seq, m.unread_own_seq, m.undelivered_own_seq))
  FROM members m WHERE m.application_id = ${applicationId} AND m.dialog_id = d.id) END`;

/** Of dialog `d` and `page.seqs`. */
export const marksOf = (applicationId: number) => Prisma.sql`(
  SELECT json_agg(json_build_array(k.seq, k.user_id, k.is_read, k.is_delivered)) FROM message_marks k
  WHERE k.application_id = ${applicationId} AND k.dialog_id = d.id AND k.seq = ANY(page.seqs))`;

/** Of dialog `d` and `page.message_ids`. */
export const reactionsOf = (applicationId: number) => Prisma.sql`(
  SELECT json_agg(json_build_array(r.message_id, r.user_id, r.name) ORDER BY r.position) FROM reactions r
  WHERE r.application_id = ${applicationId} AND d.id IS NOT NULL AND r.message_id = ANY(page.message_ids))`;

const readPage = coalesce(
  async (pages: Page[], applicationId: number): Promise<PageDetails[]> => {
    const rows = await query<{ ord: number } & PageDetails>`
      SELECT page.ord::int AS ord, d.type AS "dialogType",
        CASE WHEN page.seqs IS NOT NULL THEN ${membersOf(applicationId)} END AS members,
        ${marksOf(applicationId)} AS marks, ${reactionsOf(applicationId)} AS reactions
      FROM (
        SELECT w.dialog_id, w.seqs::int[] AS seqs, w.message_ids::text[] AS message_ids, w.ord
        FROM unnest(${pages.map((page) => page.dialogId)}::text[], ${pages.map(({ seqs }) => arrayText(seqs))}::text[],
          ${pages.map(({ messageIds }) => arrayText(messageIds))}::text[])
          WITH ORDINALITY AS w (dialog_id, seqs, message_ids, ord)
      ) AS page
      LEFT JOIN dialogs d ON d.application_id = ${applicationId} AND d.id = page.dialog_id`;
    const byOrdinal = new Map(rows.map((row) => [row.ord, row]));
    return pages.map((_, index) => byOrdinal.get(index + 1)!);
  },
  { applicationOf },
);

/** An array literal of PostgreSQL, because `unnest` takes no array of arrays of different lengths. */
function arrayText(values: (number | string)[] | null): string | null {
  return values && `{${values.join(',')}}`;
}
