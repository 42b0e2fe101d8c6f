import { createPerson, type Person } from './calls.ts';
import type { Environment } from './environment.ts';
import { fill, queries, startSeeded } from './seeded.ts';
import { APPLICATION } from './service.ts';

export interface SeededDialog {
  url: string;
  databaseUrl: string;
  size: number;
  dialogId: string;
}

/** The long one was created last and has the latest message. */
const DIALOGS = 200;
const ELSEWHERE = 50_000;
const PER_SECOND = 3;

export async function startSeededDialog(size: number, environment: Environment): Promise<SeededDialog> {
  const { url, databaseUrl } = await startSeeded(`dialog_${size}`, environment);
  const [writer, others] = [await createPerson(url, 'writer'), await createPerson(url, 'others')];
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
    SELECT ${APPLICATION.id}, id, user_id, size, size, sent, size, ${sentAt('0')}
    FROM sizes, LATERAL (VALUES (${writer.id}, size / 2), (${others.id}, size - size / 2)) AS member (user_id, sent)
    WHERE n > 0 OR user_id = ${others.id}`,
    'ANALYZE dialogs',
    'ANALYZE members',
  ]);
  await fill(databaseUrl, 'messages', insertMessages(writer, others));
  const [row] = await queries(databaseUrl, [`SELECT id FROM sizes WHERE n = ${DIALOGS}`]);
  return { url, databaseUrl, size, dialogId: row!.id as string };
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

/** Early enough for a million messages. */
const START = Math.floor(Date.now() / 1000) - 1_000_000;
