import { createPerson, type Person } from './calls.ts';
import type { Environment } from './environment.ts';
import { fill, queries, type Seeded, startSeeded } from './seeded.ts';
import { carsOf, fillCars } from './seeded-records.ts';
import { insertUsers } from './seeded-users.ts';
import { APPLICATION } from './service.ts';

export interface SeededGrowth extends Seeded {
  messages: number;
  /** Half of the messages are in one dialog, ten in each other one. */
  longId: string;
  dialogs: number;
  users: number;
  /** Also the number of records. */
  cars: string;
  records: number;
  /** Unix seconds of the first message. */
  start: number;
  firstUserId: number;
  /** In the long dialog and 200 others. */
  caller: Person;
  /** In a thousandth as many dialogs as there are messages. */
  busy: Person;
}

const OF_CALLER = 200;
const LENGTH = 10;
const PER_SECOND = 3;

/** A tenth as many users and records as messages, and a twentieth as many dialogs. */
export async function startSeededGrowth(messages: number, environment: Environment): Promise<SeededGrowth> {
  const seeded = await startSeeded(`growth_${messages}`, environment);
  const { url, databaseUrl } = seeded;
  const [users, records, dialogs] = [messages / 10, messages / 10, messages / 20];
  const start = Math.floor(Date.now() / 1000) - messages;
  const [caller, busy] = [await createPerson(url, 'caller'), await createPerson(url, 'busy')];
  await fill(databaseUrl, 'users', insertUsers(users));
  await fillCars([records], seeded);
  const [first] = await queries(databaseUrl, [`SELECT id FROM users WHERE login = 'user-1'`]);
  const firstUserId = first!.id as number;

  const sentAt = (dialog: string, seq: string) =>
    `(${start} + CASE ${dialog} WHEN 0 THEN ${seq} / ${PER_SECOND} ELSE ${dialog} + ${seq} END)`;
  const dialogId = (dialog: string) => `lpad(to_hex(${start}), 8, '0') || lpad(to_hex(${dialog}), 16, '0')`;
  const user = (n: string) => `(${firstUserId} + (${n}) % ${users})`;
  const size = `CASE n WHEN 0 THEN ${messages / 2} ELSE ${LENGTH} END`;
  await queries(databaseUrl, [
    `INSERT INTO dialogs (application_id, id, type, user_id, name, last_seq, message_count, last_message_at, created_at,
       updated_at)
     SELECT ${APPLICATION.id}, ${dialogId('n')}, 2, ${user('2 * n')}, 'Dialog ' || n, size, size, sent, sent, sent
     FROM generate_series(0, ${dialogs}) n, LATERAL (SELECT ${size} AS size) s,
       LATERAL (SELECT to_timestamp(${sentAt('n', 'size')}) AS sent) t`,
    // Of the caller's dialogs, five messages are unread.
    `INSERT INTO members (application_id, dialog_id, user_id, read_seq, delivered_seq, sent_count, settled_count, joined_at)
     SELECT ${APPLICATION.id}, ${dialogId('n')}, m.user_id, size - m.unread, size, m.sent, size - m.unread, now()
     FROM generate_series(0, ${dialogs}) n, LATERAL (SELECT ${size} AS size) s, LATERAL (VALUES
       (${user('2 * n')}, 0, size / 2, true), (${user('2 * n + 1')}, 0, size - size / 2, true),
       (${caller.id}, 5, 0, n % ${dialogs / OF_CALLER} = 0), (${busy.id}, 5, 0, n % 50 = 0)
     ) AS m (user_id, unread, sent, is_member) WHERE m.is_member`,
    'VACUUM ANALYZE dialogs, members',
  ]);
  await fill(
    databaseUrl,
    'messages',
    `INSERT INTO messages (application_id, id, dialog_id, seq, sender_id, recipient_id, text, send_to_chat, date_sent,
       created_at, updated_at)
     SELECT ${APPLICATION.id}, lpad(to_hex(sent), 8, '0') || lpad(to_hex(n), 8, '0') || lpad(to_hex(seq), 8, '0'),
       ${dialogId('n')}, seq, ${user('2 * n + seq % 2')}, 0, 'Message number ' || seq || ' of a long dialog', true, sent,
       to_timestamp(sent), to_timestamp(sent)
     FROM generate_series(0, ${dialogs}) n, LATERAL generate_series(1, ${size}) seq,
       LATERAL (SELECT ${sentAt('n', 'seq')} AS sent) t`,
  );
  const [long] = await queries(databaseUrl, [
    // Its CPU time would count as that of requests.
    ...['users', 'dialogs', 'members', 'messages', 'records'].map(
      (table) => `ALTER TABLE ${table} SET (autovacuum_enabled = false)`,
    ),
    `SELECT ${dialogId('0')} AS id`,
  ]);
  return {
    ...seeded,
    messages,
    longId: long!.id as string,
    dialogs,
    users,
    cars: carsOf(records),
    records,
    start,
    firstUserId,
    caller,
    busy,
  };
}
