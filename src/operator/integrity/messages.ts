import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import type { Check } from './check.ts';

/** Writers of messages and read state lock the dialog. Public groups have no counters per member. */
const LOCK_DIALOG = `SELECT FROM dialogs WHERE application_id = $1 AND id = $2::jsonb ->> 'dialogId' FOR NO KEY UPDATE`;

const COUNT = `(SELECT count(*)::int FROM messages m WHERE m.application_id = d.application_id AND m.dialog_id = d.id)`;
const HIGHEST = `coalesce(
  (SELECT max(m.seq) FROM messages m WHERE m.application_id = d.application_id AND m.dialog_id = d.id), 0)`;
const NEWEST = `(SELECT m.created_at FROM messages m WHERE m.application_id = d.application_id AND m.dialog_id = d.id
  ORDER BY m.seq DESC LIMIT 1)`;
const SENT = `(SELECT count(*)::int FROM messages m WHERE m.application_id = mb.application_id
  AND m.dialog_id = mb.dialog_id AND m.sender_id = mb.user_id)`;

/** Counted from the messages, without the maintained counters. */
const SETTLED = `((SELECT count(*)::int FROM messages m WHERE m.application_id = mb.application_id
    AND m.dialog_id = mb.dialog_id AND (m.sender_id = mb.user_id OR m.seq <= mb.read_seq))
  + (SELECT coalesce(sum((h.seq IS NOT NULL OR coalesce(k.is_read, m.seq <= mb.read_seq))::int
      - (m.seq <= mb.read_seq)::int), 0)::int
    FROM (
      SELECT seq FROM message_marks WHERE application_id = mb.application_id AND dialog_id = mb.dialog_id
        AND user_id = mb.user_id AND is_read IS NOT NULL
      UNION SELECT seq FROM hidden_messages WHERE application_id = mb.application_id AND user_id = mb.user_id
        AND dialog_id = mb.dialog_id) said
    JOIN messages m ON m.application_id = mb.application_id AND m.dialog_id = mb.dialog_id AND m.seq = said.seq
      AND m.sender_id <> mb.user_id
    LEFT JOIN message_marks k ON k.application_id = m.application_id AND k.dialog_id = m.dialog_id AND k.seq = m.seq
      AND k.user_id = mb.user_id
    LEFT JOIN hidden_messages h ON h.application_id = m.application_id AND h.user_id = mb.user_id
      AND h.dialog_id = m.dialog_id AND h.seq = m.seq))`;

const MEMBER = `mb.application_id = $1 AND mb.dialog_id = $2::jsonb ->> 'dialogId'
  AND mb.user_id = ($2::jsonb ->> 'userId')::int`;

function ofDialogs(column: string, counted: string, differs = `kept IS DISTINCT FROM counted`): string {
  return `SELECT jsonb_build_object('dialogId', id) AS row, kept::text, counted::text
    FROM (SELECT d.id, d.${column} AS kept, ${counted} AS counted FROM dialogs d WHERE d.application_id = $1 OFFSET 0) c
    WHERE ${differs}`;
}

function ofMembers(column: string, counted: string): string {
  return `SELECT jsonb_build_object('dialogId', dialog_id, 'userId', user_id) AS row, kept::text, counted::text
    FROM (SELECT mb.dialog_id, mb.user_id, mb.${column} AS kept, ${counted} AS counted
      FROM dialogs d JOIN members mb ON mb.application_id = d.application_id AND mb.dialog_id = d.id
      WHERE d.application_id = $1 AND d.type <> ${DIALOG_TYPE.PUBLIC_GROUP} OFFSET 0) c
    WHERE kept <> counted`;
}

function setDialog(column: string, counted: string): string {
  return `UPDATE dialogs d SET ${column} = ${counted} WHERE d.application_id = $1 AND d.id = $2::jsonb ->> 'dialogId'`;
}

/** Rows that reference a message by `seq`; a `seq` is never reused. */
function ofMessages(table: string): Pick<Check, 'sql' | 'repair'> {
  const isLost = `NOT EXISTS (SELECT FROM messages m
    WHERE m.application_id = t.application_id AND m.dialog_id = t.dialog_id AND m.seq = t.seq)`;
  return {
    sql: `SELECT jsonb_build_object('dialogId', t.dialog_id, 'seq', t.seq, 'userId', t.user_id) AS row,
        'a row' AS kept, NULL AS counted
      FROM ${table} t WHERE t.application_id = $1 AND ${isLost}`,
    repair: [
      LOCK_DIALOG,
      `DELETE FROM ${table} t WHERE t.application_id = $1 AND t.dialog_id = $2::jsonb ->> 'dialogId'
        AND t.seq = ($2::jsonb ->> 'seq')::int AND t.user_id = ($2::jsonb ->> 'userId')::int AND ${isLost}`,
    ],
  };
}

export const MESSAGE_CHECKS: readonly Check[] = [
  {
    name: 'message counts',
    sentence: 'The message count of a dialog equals its number of messages.',
    sql: ofDialogs('message_count', COUNT),
    repair: [LOCK_DIALOG, setDialog('message_count', COUNT)],
  },
  {
    name: 'message numbers',
    sentence: 'The last seq of a dialog is at least that of its newest message.',
    sql: ofDialogs('last_seq', HIGHEST, 'kept < counted'),
    repair: [LOCK_DIALOG, setDialog('last_seq', `greatest(d.last_seq, ${HIGHEST})`)],
  },
  {
    name: 'last messages',
    sentence: 'A dialog stores the time of its newest message.',
    sql: ofDialogs('last_message_at', NEWEST),
    repair: [LOCK_DIALOG, setDialog('last_message_at', NEWEST)],
  },
  {
    name: 'message times',
    sentence: 'Timestamps of messages do not decrease while seq increases.',
    sql: `SELECT jsonb_build_object('dialogId', dialog_id, 'seq', seq) AS row, created_at::text AS kept,
        before::text AS counted
      FROM (SELECT dialog_id, seq, created_at, date_sent, lag(created_at) OVER places AS before,
          lag(date_sent) OVER places AS "sentBefore"
        FROM messages WHERE application_id = $1 WINDOW places AS (PARTITION BY dialog_id ORDER BY seq)) m
      WHERE created_at < before OR date_sent < "sentBefore"`,
  },
  {
    name: 'unread counts',
    sentence: 'The settled count of a member covers the messages that they sent, read or hid.',
    sql: ofMembers('settled_count', SETTLED),
    repair: [LOCK_DIALOG, `UPDATE members mb SET settled_count = ${SETTLED} WHERE ${MEMBER}`],
  },
  {
    name: 'sent counts',
    sentence: 'The sent count of a member equals the number of their messages.',
    sql: ofMembers('sent_count', SENT),
    repair: [LOCK_DIALOG, `UPDATE members mb SET sent_count = ${SENT} WHERE ${MEMBER}`],
  },
  {
    name: 'watermarks',
    sentence: 'No watermark of a member exceeds the last seq of the dialog.',
    sql: `SELECT jsonb_build_object('dialogId', mb.dialog_id, 'userId', mb.user_id) AS row,
        greatest(mb.read_seq, mb.delivered_seq, mb.unread_own_seq, mb.undelivered_own_seq, mb.hidden_seq)::text AS kept,
        d.last_seq::text AS counted
      FROM dialogs d JOIN members mb ON mb.application_id = d.application_id AND mb.dialog_id = d.id
      WHERE d.application_id = $1 AND d.last_seq < greatest(
        mb.read_seq, mb.delivered_seq, mb.unread_own_seq, mb.undelivered_own_seq, mb.hidden_seq)`,
  },
  { name: 'marks', sentence: 'A mark belongs to an existing message.', ...ofMessages('message_marks') },
  { name: 'hidden messages', sentence: 'A hidden message exists.', ...ofMessages('hidden_messages') },
  {
    name: 'reactions',
    sentence: 'A reaction belongs to an existing message.',
    sql: `SELECT jsonb_build_object('messageId', r.message_id, 'userId', r.user_id, 'name', r.name) AS row,
        'a row' AS kept, NULL AS counted
      FROM reactions r WHERE r.application_id = $1 AND NOT EXISTS (
        SELECT FROM messages m WHERE m.application_id = r.application_id AND m.id = r.message_id)`,
    repair: [
      `DELETE FROM reactions r WHERE r.application_id = $1 AND r.message_id = $2::jsonb ->> 'messageId'
        AND r.user_id = ($2::jsonb ->> 'userId')::int AND r.name = $2::jsonb ->> 'name' AND NOT EXISTS (
          SELECT FROM messages m WHERE m.application_id = r.application_id AND m.id = r.message_id)`,
    ],
  },
  {
    name: 'messages of dialogs',
    sentence: 'A message belongs to a dialog, or to a deleted one whose messages are being swept.',
    sql: `SELECT jsonb_build_object('dialogId', m.dialog_id) AS row, count(*) || ' messages' AS kept, NULL AS counted
      FROM messages m WHERE m.application_id = $1
        AND NOT EXISTS (SELECT FROM dialogs d WHERE d.application_id = m.application_id AND d.id = m.dialog_id)
        AND NOT EXISTS (
          SELECT FROM destroyed_dialogs d WHERE d.application_id = m.application_id AND d.dialog_id = m.dialog_id)
      GROUP BY m.dialog_id`,
  },
];
