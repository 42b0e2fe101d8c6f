import { createPerson, type Person } from './calls.ts';
import type { Environment } from './environment.ts';
import { fill, queries, startSeeded } from './seeded.ts';
import { APPLICATION } from './service.ts';

export interface SeededDialog {
  url: string;
  databaseUrl: string;
  size: number;
  dialogId: string;
  /** The owner: has written half of the messages and read the others. */
  writer: Person;
  /** Has read only the first few. */
  reader: Person;
  /** Has read all. */
  follower: Person;
  unread: number;
}

/** The long one was created last and has the latest message. */
export const DIALOGS = 200;
export const READ = 10;
const ELSEWHERE = 50_000;
const PER_SECOND = 3;

export async function startSeededDialog(size: number, environment: Environment): Promise<SeededDialog> {
  const { url, databaseUrl } = await startSeeded(`dialog_${size}`, environment);
  const [writer, reader, follower] = [
    await createPerson(url, 'writer'),
    await createPerson(url, 'reader'),
    await createPerson(url, 'follower'),
  ];
  const others = await createPerson(url, 'others');
  await queries(databaseUrl, [
    `CREATE TABLE sizes AS SELECT n, ${dialogId('n')} AS id,
      CASE n WHEN ${DIALOGS} THEN ${size} WHEN 0 THEN ${ELSEWHERE} ELSE 20 * (1 + n % 15) END AS size
    FROM generate_series(0, ${DIALOGS}) n`,
    `INSERT INTO dialogs (application_id, id, type, user_id, name, last_seq, message_count, last_message_at, created_at,
      updated_at)
    SELECT ${APPLICATION.id}, id, 2, ${writer.id}, 'Dialog ' || n, size, size, ${sentAt('size')}, ${sentAt('0')},
      ${sentAt('size')}
    FROM sizes`,
    `INSERT INTO members (application_id, dialog_id, user_id, read_seq, delivered_seq, sent_count, settled_count,
      joined_at)
    SELECT ${APPLICATION.id}, id, user_id, read, read, sent, CASE read WHEN size THEN size ELSE read END, ${sentAt('0')}
    FROM sizes, LATERAL (VALUES (${writer.id}, size, size / 2), (${reader.id}, ${READ}, 0), (${follower.id}, size, 0),
      (${others.id}, size, size - size / 2)) AS member (user_id, read, sent)
    WHERE n > 0 OR user_id = ${others.id}`,
    'ANALYZE dialogs',
    'ANALYZE members',
  ]);
  await fill(databaseUrl, 'messages', insertMessages(writer, others));
  const [row] = await queries(databaseUrl, [`SELECT sum(size - ${READ})::int AS unread FROM sizes WHERE n > 0`]);
  const unread = row!.unread as number;
  return { url, databaseUrl, size, dialogId: idOf(START, DIALOGS), writer, reader, follower, unread };
}

/** `date_sent` of a message, in Unix seconds. */
export function sentSeconds(seq: number): number {
  return START + Math.floor(seq / PER_SECOND);
}

export function messageId(seq: number): string {
  return idOf(sentSeconds(seq), seq, DIALOGS);
}

function insertMessages(writer: Person, others: Person): string {
  return `
    INSERT INTO messages (application_id, id, dialog_id, seq, sender_id, recipient_id, text, send_to_chat, date_sent,
      created_at, updated_at)
    SELECT ${APPLICATION.id}, lpad(to_hex(${START} + seq / ${PER_SECOND}), 8, '0') || lpad(to_hex(n), 10, '0')
        || lpad(to_hex(seq), 6, '0'), id, seq,
      CASE seq % 2 WHEN 0 THEN ${writer.id} ELSE ${others.id} END, 0, 'Message number ' || seq || ' of a long dialog', true,
      extract(epoch FROM ${sentAt('seq')})::int, ${sentAt('seq')}, ${sentAt('seq')}
    FROM sizes, generate_series(1, size) seq ORDER BY seq, n`;
}

function sentAt(seq: string): string {
  return `to_timestamp(${START} + ${seq} / ${PER_SECOND})`;
}

function dialogId(n: string): string {
  return `lpad(to_hex(${START}), 8, '0') || lpad('', 10, '0') || lpad(to_hex(${n}), 6, '0')`;
}

function idOf(seconds: number, number: number, process = 0): string {
  return [seconds.toString(16), process.toString(16).padStart(10, '0'), number.toString(16).padStart(6, '0')].join('');
}

/** Early enough for a million messages. */
const START = Math.floor(Date.now() / 1000) - 1_000_000;
