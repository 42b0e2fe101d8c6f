import { Prisma, type Transaction } from '../../db/client.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { appendDialogEvents, type EventOrigin } from '../../realtime/outbox.ts';

export interface MemberKey {
  applicationId: number;
  dialogId: string;
  userId: number;
}

/** Undefined leaves a mark unchanged. */
export interface Mark {
  isRead?: boolean;
  isDelivered?: boolean;
  origin?: EventOrigin;
}

/**
 * Dialog before member, as every writer does. Sends lock the dialog, so its counters cannot change. False if the user
 * is not a member, or in a public group.
 */
export async function lockMember(
  transaction: Transaction,
  { applicationId, dialogId, userId }: MemberKey,
): Promise<boolean> {
  const locked = await transaction.$executeRaw`
    SELECT FROM dialogs d
    JOIN members m ON m.application_id = d.application_id AND m.dialog_id = d.id AND m.user_id = ${userId}
    WHERE d.application_id = ${applicationId} AND d.id = ${dialogId} AND d.type <> ${DIALOG_TYPE.PUBLIC_GROUP}
      AND m.left_at IS NULL
    FOR SHARE OF d FOR NO KEY UPDATE OF m`;
  return locked > 0;
}

/** Requires a locked member. Deletes marks below the watermarks, so that each message is visited once. */
export async function markMessages(
  transaction: Transaction,
  member: MemberKey,
  seqs: number[],
  mark: Mark,
  now: Date,
): Promise<void> {
  await insertMarks(transaction, member, seqs, mark, now);
  await foldMarks(transaction, member, seqs);
}

/** Requires a locked member. The cost does not depend on the number of messages. */
export async function markAll(transaction: Transaction, member: MemberKey, mark: Mark, now: Date): Promise<void> {
  const { applicationId, dialogId, userId } = member;
  const assignments: Prisma.Sql[] = [];
  const differences: Prisma.Sql[] = [];
  if (mark.isRead === true) {
    assignments.push(Prisma.sql`read_seq = d.last_seq, settled_count = d.message_count`);
    differences.push(Prisma.sql`mb.read_seq < d.last_seq`);
  } else if (mark.isRead === false) {
    // `ORDER BY` forces the index by `seq` even if the planner underestimates the dialog.
    assignments.push(Prisma.sql`read_seq = 0, unread_own_seq = d.last_seq, settled_count = mb.sent_count + (
      SELECT count(*)::int FROM hidden_messages h CROSS JOIN LATERAL (
        SELECT seq, sender_id FROM messages
        WHERE application_id = h.application_id AND dialog_id = h.dialog_id AND seq >= h.seq ORDER BY seq LIMIT 1) m
      WHERE h.application_id = mb.application_id AND h.user_id = mb.user_id AND h.dialog_id = mb.dialog_id
        AND m.seq = h.seq AND m.sender_id <> mb.user_id)`);
    differences.push(Prisma.sql`mb.read_seq > 0 OR mb.unread_own_seq < d.last_seq`);
  }
  if (mark.isDelivered === true) {
    assignments.push(Prisma.sql`delivered_seq = d.last_seq`);
    differences.push(Prisma.sql`mb.delivered_seq < d.last_seq`);
  } else if (mark.isDelivered === false) {
    assignments.push(Prisma.sql`delivered_seq = 0, undelivered_own_seq = d.last_seq`);
    differences.push(Prisma.sql`mb.delivered_seq > 0 OR mb.undelivered_own_seq < d.last_seq`);
  }
  const changed = await transaction.$executeRaw`
    UPDATE members mb SET ${Prisma.join(assignments)} FROM dialogs d
    WHERE d.application_id = mb.application_id AND d.id = mb.dialog_id
      AND mb.application_id = ${applicationId} AND mb.dialog_id = ${dialogId} AND mb.user_id = ${userId}
      AND (${Prisma.join(differences, ' OR ')} OR EXISTS (
        SELECT FROM message_marks k
        WHERE k.application_id = mb.application_id AND k.dialog_id = mb.dialog_id AND k.user_id = mb.user_id
          AND (k.is_read <> ${mark.isRead ?? null}::boolean OR k.is_delivered <> ${mark.isDelivered ?? null}::boolean)))`;
  if (changed === 0) return;
  await forgetMarks(transaction, member, mark);
  const detail = {
    ...(mark.isRead === undefined ? {} : { read: mark.isRead }),
    ...(mark.isDelivered === undefined ? {} : { delivered: mark.isDelivered }),
  };
  await appendDialogEvents(transaction, [{ kind: 'messagesMarked', applicationId, dialogId, userId, detail }], now);
}

function insertMarks(
  transaction: Transaction,
  { applicationId, dialogId, userId }: MemberKey,
  seqs: number[],
  { isRead = null, isDelivered = null, origin = null }: { [Name in keyof Mark]: Mark[Name] | null },
  now: Date,
) {
  return transaction.$executeRaw`
    WITH member AS (
      SELECT read_seq, delivered_seq, unread_own_seq, undelivered_own_seq FROM members
      WHERE application_id = ${applicationId} AND dialog_id = ${dialogId} AND user_id = ${userId}
    ), seen AS (
      SELECT m.id, m.seq, m.sender_id = ${userId} AS is_own,
        coalesce(k.is_read, m.seq <= member.read_seq
          OR (m.sender_id = ${userId} AND m.seq > member.unread_own_seq)) AS was_read,
        coalesce(k.is_delivered, m.seq <= member.delivered_seq
          OR (m.sender_id = ${userId} AND m.seq > member.undelivered_own_seq)) AS was_delivered,
        EXISTS (SELECT FROM hidden_messages h WHERE h.application_id = m.application_id AND h.user_id = ${userId}
          AND h.dialog_id = m.dialog_id AND h.seq = m.seq) AS is_hidden
      FROM member, messages m
      LEFT JOIN message_marks k ON k.application_id = m.application_id AND k.dialog_id = m.dialog_id
        AND k.seq = m.seq AND k.user_id = ${userId}
      WHERE m.application_id = ${applicationId} AND m.dialog_id = ${dialogId} AND m.seq = ANY(${seqs}::int[])
    ), marked AS (
      INSERT INTO message_marks AS k (application_id, dialog_id, seq, user_id, is_read, is_delivered)
      SELECT ${applicationId}, ${dialogId}, seq, ${userId}, ${isRead}::boolean, ${isDelivered}::boolean FROM seen
      WHERE was_read <> ${isRead}::boolean OR was_delivered <> ${isDelivered}::boolean
      ON CONFLICT (application_id, dialog_id, seq, user_id) DO UPDATE
      SET is_read = coalesce(excluded.is_read, k.is_read), is_delivered = coalesce(excluded.is_delivered, k.is_delivered)
    ), published AS (
      INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, detail, created_at)
      SELECT ${applicationId}::int, 'messagesMarked', ${dialogId}, ${dialogId}, ${userId}::int,
        jsonb_strip_nulls(jsonb_build_object('messageIds', jsonb_agg(id ORDER BY seq), 'read', ${isRead}::boolean,
          'delivered', ${isDelivered}::boolean, 'origin', ${JSON.stringify(origin)}::jsonb)), ${now}
      FROM seen WHERE was_read <> ${isRead}::boolean OR was_delivered <> ${isDelivered}::boolean HAVING count(*) > 0
    )
    UPDATE members SET settled_count = settled_count + CASE WHEN ${isRead}::boolean THEN 1 ELSE -1 END *
      (SELECT count(*)::int FROM seen WHERE was_read <> ${isRead}::boolean AND NOT is_own AND NOT is_hidden)
    WHERE application_id = ${applicationId} AND dialog_id = ${dialogId} AND user_id = ${userId}`;
}

/** A watermark advances to the first message that is neither read nor marked. */
async function foldMarks(
  transaction: Transaction,
  { applicationId, dialogId, userId }: MemberKey,
  seqs: number[],
): Promise<void> {
  await transaction.$executeRaw`
    WITH before AS (
      SELECT read_seq, delivered_seq FROM members
      WHERE application_id = ${applicationId} AND dialog_id = ${dialogId} AND user_id = ${userId}
    ), folded AS (
      UPDATE members mb SET
        read_seq = coalesce((
          SELECT m.seq - 1 FROM messages m
          WHERE m.application_id = mb.application_id AND m.dialog_id = mb.dialog_id AND m.seq > mb.read_seq
            AND (m.sender_id <> mb.user_id OR m.seq <= mb.unread_own_seq) AND NOT EXISTS (SELECT FROM message_marks k
              WHERE k.application_id = m.application_id AND k.dialog_id = m.dialog_id AND k.seq = m.seq
                AND k.user_id = mb.user_id AND k.is_read IS NOT NULL)
          ORDER BY m.seq LIMIT 1), d.last_seq),
        delivered_seq = coalesce((
          SELECT m.seq - 1 FROM messages m
          WHERE m.application_id = mb.application_id AND m.dialog_id = mb.dialog_id AND m.seq > mb.delivered_seq
            AND (m.sender_id <> mb.user_id OR m.seq <= mb.undelivered_own_seq)
            AND NOT EXISTS (SELECT FROM message_marks k
              WHERE k.application_id = m.application_id AND k.dialog_id = m.dialog_id AND k.seq = m.seq
                AND k.user_id = mb.user_id AND k.is_delivered IS NOT NULL)
          ORDER BY m.seq LIMIT 1), d.last_seq)
      FROM dialogs d
      WHERE d.application_id = mb.application_id AND d.id = mb.dialog_id
        AND mb.application_id = ${applicationId} AND mb.dialog_id = ${dialogId} AND mb.user_id = ${userId}
      RETURNING mb.read_seq, mb.delivered_seq
    )
    DELETE FROM message_marks k USING before, folded
    WHERE k.application_id = ${applicationId} AND k.dialog_id = ${dialogId} AND k.user_id = ${userId}
      AND (k.seq > before.read_seq AND k.seq <= folded.read_seq
        OR k.seq > before.delivered_seq AND k.seq <= folded.delivered_seq OR k.seq = ANY(${seqs}::int[]))
      AND (k.is_read IS NULL OR k.is_read AND k.seq <= folded.read_seq)
      AND (k.is_delivered IS NULL OR k.is_delivered AND k.seq <= folded.delivered_seq)`;
}

async function forgetMarks(
  transaction: Transaction,
  { applicationId, dialogId, userId }: MemberKey,
  { isRead, isDelivered }: Mark,
): Promise<void> {
  const forgotten = [
    ...(isRead === undefined ? [] : [Prisma.sql`is_read = NULL`]),
    ...(isDelivered === undefined ? [] : [Prisma.sql`is_delivered = NULL`]),
  ];
  await transaction.$executeRaw`
    UPDATE message_marks SET ${Prisma.join(forgotten)}
    WHERE application_id = ${applicationId} AND dialog_id = ${dialogId} AND user_id = ${userId}`;
  await transaction.$executeRaw`
    DELETE FROM message_marks
    WHERE application_id = ${applicationId} AND dialog_id = ${dialogId} AND user_id = ${userId}
      AND is_read IS NULL AND is_delivered IS NULL`;
}
