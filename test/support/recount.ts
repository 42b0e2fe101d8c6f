import { expect } from 'vitest';
import { sql } from './sql.ts';

/**
 * What members have not read, counted anew from watermarks, marks and hidden messages, message by message, without the
 * counters that writes keep; former members too.
 */
const COUNTED_ANEW = `
  SELECT mb.user_id AS "userId", d.message_count - mb.settled_count AS kept, (
    SELECT count(*)::int FROM messages m WHERE m.dialog_id = mb.dialog_id AND m.sender_id <> mb.user_id
      AND NOT EXISTS (SELECT FROM hidden_messages h
        WHERE h.dialog_id = m.dialog_id AND h.seq = m.seq AND h.user_id = mb.user_id)
      AND NOT coalesce((SELECT k.is_read FROM message_marks k
        WHERE k.dialog_id = m.dialog_id AND k.seq = m.seq AND k.user_id = mb.user_id), m.seq <= mb.read_seq)) AS anew
  FROM members mb JOIN dialogs d ON d.id = mb.dialog_id WHERE mb.dialog_id = $1`;

/** Rows that hang on messages which are there no more. */
const ORPHANS = `
  SELECT 'mark' AS kind FROM message_marks k
    WHERE NOT EXISTS (SELECT FROM messages m WHERE m.dialog_id = k.dialog_id AND m.seq = k.seq)
  UNION ALL SELECT 'hidden' FROM hidden_messages h
    WHERE NOT EXISTS (SELECT FROM messages m WHERE m.dialog_id = h.dialog_id AND m.seq = h.seq)
  UNION ALL SELECT 'reaction' FROM reactions r WHERE NOT EXISTS (SELECT FROM messages m WHERE m.id = r.message_id)`;

/** Every counter of a group or private dialog agrees with its messages, and nothing is left of deleted ones. */
export async function expectCounted(dialogId: string): Promise<void> {
  const unread = await sql<{ userId: number; kept: number; anew: number }>(COUNTED_ANEW, [dialogId]);
  expect(unread.map(({ userId, kept }) => [userId, kept])).toEqual(unread.map(({ userId, anew }) => [userId, anew]));
  const [counters] = await sql<{ isRight: boolean }>(
    `SELECT d.message_count = (SELECT count(*) FROM messages m WHERE m.dialog_id = d.id)
        AND d.last_seq >= coalesce((SELECT max(m.seq) FROM messages m WHERE m.dialog_id = d.id), 0)
        AND d.last_message_at IS NOT DISTINCT FROM
          (SELECT m.created_at FROM messages m WHERE m.dialog_id = d.id ORDER BY m.seq DESC LIMIT 1)
        AND NOT EXISTS (SELECT FROM members mb WHERE mb.dialog_id = d.id AND mb.sent_count <>
          (SELECT count(*) FROM messages m WHERE m.dialog_id = d.id AND m.sender_id = mb.user_id)) AS "isRight"
     FROM dialogs d WHERE d.id = $1`,
    [dialogId],
  );
  expect(counters).toEqual({ isRight: true });
  expect(await sql(ORPHANS)).toEqual([]);
}
