import { db, type Transaction } from '../../db/client.ts';

export interface MarkedMessages {
  applicationId: number;
  dialogId: string;
  userId: number;
  seqs: number[];
}

/**
 * Marks messages read and delivered for one member of a group or private dialog; what is marked already stays so.
 * Afterwards the watermarks pass over everything that is settled behind them, and the marks they cover go: a reader
 * who has caught up keeps no rows at all, and a message is looked at once in this.
 */
export async function markSeen({ applicationId, dialogId, userId, seqs }: MarkedMessages): Promise<void> {
  await db.$transaction(async (transaction) => {
    // Sends hold the dialog's row, so its counters can't move under this; every writer locks dialog before member.
    // Another device of the same user waits here too: the next statement sees the marks of the one before it.
    await transaction.$executeRaw`
      SELECT FROM dialogs d
      JOIN members m ON m.application_id = d.application_id AND m.dialog_id = d.id AND m.user_id = ${userId}
      WHERE d.application_id = ${applicationId} AND d.id = ${dialogId}
      FOR SHARE OF d FOR NO KEY UPDATE OF m`;
    const member = { applicationId, dialogId, userId };
    await insertMarks(transaction, member, seqs);
    await foldMarks(transaction, member);
  });
}

type MemberKey = Omit<MarkedMessages, 'seqs'>;

function insertMarks(transaction: Transaction, { applicationId, dialogId, userId }: MemberKey, seqs: number[]) {
  return transaction.$executeRaw`
    WITH member AS (
      SELECT read_seq, delivered_seq FROM members
      WHERE application_id = ${applicationId} AND dialog_id = ${dialogId} AND user_id = ${userId}
    ), seen AS (
      SELECT m.seq,
        coalesce(k.is_read, m.sender_id = ${userId} OR m.seq <= member.read_seq) AS was_read,
        coalesce(k.is_delivered, m.sender_id = ${userId} OR m.seq <= member.delivered_seq) AS was_delivered,
        m.sender_id = ${userId} AS is_own
      FROM member, messages m
      LEFT JOIN message_marks k ON k.application_id = m.application_id AND k.dialog_id = m.dialog_id
        AND k.seq = m.seq AND k.user_id = ${userId}
      WHERE m.application_id = ${applicationId} AND m.dialog_id = ${dialogId} AND m.seq = ANY(${seqs}::int[])
    ), marked AS (
      INSERT INTO message_marks (application_id, dialog_id, seq, user_id, is_read, is_delivered)
      SELECT ${applicationId}, ${dialogId}, seq, ${userId}, true, true FROM seen
      WHERE NOT (was_read AND was_delivered)
      ON CONFLICT (application_id, dialog_id, seq, user_id) DO UPDATE SET is_read = true, is_delivered = true
    )
    UPDATE members SET settled_count = settled_count +
      (SELECT count(*)::int FROM seen WHERE NOT was_read AND NOT is_own)
    WHERE application_id = ${applicationId} AND dialog_id = ${dialogId} AND user_id = ${userId}`;
}

async function foldMarks(transaction: Transaction, { applicationId, dialogId, userId }: MemberKey): Promise<void> {
  await transaction.$executeRaw`
    UPDATE members mb SET
      read_seq = coalesce((
        SELECT m.seq - 1 FROM messages m
        WHERE m.application_id = mb.application_id AND m.dialog_id = mb.dialog_id AND m.seq > mb.read_seq
          AND m.sender_id <> mb.user_id AND NOT EXISTS (SELECT FROM message_marks k
            WHERE k.application_id = m.application_id AND k.dialog_id = m.dialog_id AND k.seq = m.seq
              AND k.user_id = mb.user_id AND k.is_read)
        ORDER BY m.seq LIMIT 1), d.last_seq),
      delivered_seq = coalesce((
        SELECT m.seq - 1 FROM messages m
        WHERE m.application_id = mb.application_id AND m.dialog_id = mb.dialog_id AND m.seq > mb.delivered_seq
          AND m.sender_id <> mb.user_id AND NOT EXISTS (SELECT FROM message_marks k
            WHERE k.application_id = m.application_id AND k.dialog_id = m.dialog_id AND k.seq = m.seq
              AND k.user_id = mb.user_id AND k.is_delivered)
        ORDER BY m.seq LIMIT 1), d.last_seq)
    FROM dialogs d
    WHERE d.application_id = mb.application_id AND d.id = mb.dialog_id
      AND mb.application_id = ${applicationId} AND mb.dialog_id = ${dialogId} AND mb.user_id = ${userId}`;
  await transaction.$executeRaw`
    DELETE FROM message_marks k USING members mb
    WHERE mb.application_id = ${applicationId} AND mb.dialog_id = ${dialogId} AND mb.user_id = ${userId}
      AND k.application_id = mb.application_id AND k.dialog_id = mb.dialog_id AND k.user_id = mb.user_id
      AND k.seq <= least(mb.read_seq, mb.delivered_seq) AND k.is_read IS NOT FALSE AND k.is_delivered IS NOT FALSE`;
}
