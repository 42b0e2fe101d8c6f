import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import type { Check } from './check.ts';

interface OfUsers {
  table: string;
  /** False for members, because removing a member also changes the occupants of a dialog. */
  isRepaired: boolean;
}

const OF_USERS: readonly OfUsers[] = [
  { table: 'members', isRepaired: false },
  ...[
    'sessions',
    'password_resets',
    'contacts',
    'user_blocks',
    'privacy_lists',
    'chat_contacts',
    'geodata',
    'push_tokens',
    'push_subscriptions',
    'message_keys',
    'message_marks',
    'hidden_messages',
    'muted_dialogs',
    'reactions',
  ].map((table) => ({ table, isRepaired: true })),
];

const IS_LOST = `t.user_id IS NOT NULL
  AND NOT EXISTS (SELECT FROM users u WHERE u.application_id = t.application_id AND u.id = t.user_id)`;

/** Writers of such rows lock the user, and ids are never reused, so a lost row cannot become valid again. */
function ofUsers({ table, isRepaired }: OfUsers): Check {
  return {
    name: `${table} of users`,
    sentence: `No row of ${table} belongs to a deleted user.`,
    sql: `SELECT jsonb_build_object('userId', t.user_id) AS row, count(*) || ' rows' AS kept, NULL AS counted
      FROM ${table} t WHERE t.application_id = $1 AND ${IS_LOST} GROUP BY t.user_id`,
    ...(isRepaired && {
      repair: [
        `DELETE FROM ${table} t WHERE t.application_id = $1 AND t.user_id = ($2::jsonb ->> 'userId')::int AND ${IS_LOST}`,
      ],
    }),
  };
}

function kept(table: string, part: string, number: string, own: string): string {
  return `SELECT jsonb_build_object('${part}', part) AS row, k.number::text AS kept, o.number::text AS counted
    FROM (SELECT ${part} AS part, ${number}::bigint AS number FROM ${table} WHERE application_id = $1) k
    FULL JOIN (${own}) o USING (part)
    WHERE coalesce(k.number, 0) <> coalesce(o.number, 0)`;
}

export const PEOPLE_CHECKS: readonly Check[] = [
  {
    name: 'user counts',
    sentence: 'The user count of an application equals its number of users.',
    sql: `SELECT '{}'::jsonb AS row, a.user_count::text AS kept, u.number::text AS counted
      FROM applications a, (SELECT count(*)::int AS number FROM users WHERE application_id = $1) u
      WHERE a.id = $1 AND a.user_count <> u.number`,
    // Triggers of concurrent sign-ups wait for this lock, then add to the new count.
    repair: [
      'SELECT $2::jsonb FROM applications WHERE id = $1 FOR NO KEY UPDATE',
      `UPDATE applications SET user_count = (SELECT count(*)::int FROM users WHERE application_id = $1)
        WHERE id = $1 AND $2::jsonb IS NOT NULL`,
    ],
  },
  {
    name: 'location counts',
    sentence: 'The 16 counters of an application match its geodata.',
    sql: kept(
      'geodata_counts',
      'part',
      'count',
      'SELECT user_id % 16 AS part, count(*) AS number FROM geodata WHERE application_id = $1 GROUP BY 1',
    ),
  },
  {
    name: 'latest locations',
    sentence: 'Each user with geodata has a location that is marked as the latest.',
    sql: `SELECT jsonb_build_object('userId', g.user_id) AS row, 'none' AS kept, 'one' AS counted
      FROM geodata g WHERE g.application_id = $1 GROUP BY g.user_id HAVING NOT bool_or(g.is_latest)`,
  },
  {
    name: 'blob counts',
    sentence: 'The blob counter of each user, and of all users (user 0), is correct.',
    sql: kept(
      'blob_counts',
      'user_id',
      'number',
      `SELECT coalesce(user_id, 0) AS part, count(*) AS number FROM blobs WHERE application_id = $1
        GROUP BY GROUPING SETS ((application_id), (user_id))`,
    ),
  },
  {
    name: 'blob bytes',
    sentence: 'The bytes of the blobs of each user, and of all users (user 0), match their sizes.',
    sql: kept(
      'blob_counts',
      'user_id',
      'bytes',
      `SELECT coalesce(user_id, 0) AS part, coalesce(sum(size), 0)::bigint AS number FROM blobs WHERE application_id = $1
        GROUP BY GROUPING SETS ((application_id), (user_id))`,
    ),
  },
  {
    name: 'occupants',
    sentence: 'The owner of a group is one of its occupants; a private dialog has no occupants outside its pair.',
    sql: `SELECT jsonb_build_object('dialogId', d.id) AS row, array_to_string(d.ids, ' ') AS kept,
        coalesce(d.pair_key, d.user_id::text) AS counted
      FROM (SELECT d.*, ARRAY(SELECT m.user_id FROM members m WHERE m.application_id = d.application_id
          AND m.dialog_id = d.id AND m.left_at IS NULL ORDER BY 1) AS ids
        FROM dialogs d WHERE d.application_id = $1 OFFSET 0) d
      WHERE (d.type = ${DIALOG_TYPE.PRIVATE}) <> (d.pair_key IS NOT NULL) OR d.type = ${DIALOG_TYPE.GROUP} AND d.user_id <> ALL (d.ids)
        OR d.type = ${DIALOG_TYPE.PRIVATE} AND NOT d.ids <@ string_to_array(d.pair_key, ':')::int[]`,
  },
  {
    name: 'destroyed dialogs',
    sentence: 'A dialog whose messages are being swept no longer exists.',
    sql: `SELECT jsonb_build_object('dialogId', s.dialog_id) AS row, 'a dialog' AS kept, NULL AS counted
      FROM destroyed_dialogs s JOIN dialogs d ON d.application_id = s.application_id AND d.id = s.dialog_id
      WHERE s.application_id = $1`,
  },
  ...OF_USERS.map(ofUsers),
];
