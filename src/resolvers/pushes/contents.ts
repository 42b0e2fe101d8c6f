import { db, Prisma } from '../../db/client.ts';
import { columns, type RowOf } from '../../db/columns.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { query } from '../../db/query.ts';
import type { PushContent } from '../../gateways/push/gateway.ts';
import type { PushSend } from '../../generated/prisma/client.ts';
import { indexBy } from '../../lib/collections.ts';
import { isNews } from './recipients.ts';

export type Contents = (userId: number) => PushContent | undefined;

/** Characters; providers accept about 4 KB in total. */
const MAX_TEXT_CHARACTERS = 500;

export function contentsOf(send: PushSend, userIds: number[]): Promise<Contents> {
  return send.eventId === null ? messageContents(send, userIds) : eventContents(send, send.eventId);
}

async function eventContents({ applicationId }: PushSend, id: number): Promise<Contents> {
  // Not `findUnique`: Prisma would merge simultaneous look-ups of different applications into one statement.
  const event = await db.event.findFirst({
    where: { applicationId, id },
    select: { message: true, name: true, application: { select: { name: true } } },
  });
  if (!event) return () => undefined;
  const { message, name, application } = event;
  const content = { title: name ?? application.name, stored: message };
  return () => content;
}

const NEWS = columns({
  userId: ['int', 'm.user_id'],
  messageId: ['text', 'n.id'],
  text: ['text', 'n.text'],
  senderId: ['int', 'n.sender_id'],
  senderName: ['text | null', 'coalesce(u.full_name, u.login)'],
  dialogName: ['text | null', `CASE WHEN d.type = ${DIALOG_TYPE.GROUP} THEN d.name END`],
  badge: [
    'int',
    `(SELECT coalesce(sum(o.message_count - p.settled_count), 0)::int
      FROM members p CROSS JOIN LATERAL (
        SELECT * FROM dialogs o WHERE o.application_id = p.application_id AND o.id = p.dialog_id OFFSET 0) o
      WHERE p.application_id = m.application_id AND p.user_id = m.user_id AND p.left_at IS NULL
        AND o.type <> ${DIALOG_TYPE.PUBLIC_GROUP} AND (p.hidden_seq IS NULL OR p.hidden_seq < o.last_seq))`,
  ],
});
type News = RowOf<[typeof NEWS]>;

/** The latest message that is still unread. */
async function messageContents(send: PushSend, userIds: number[]): Promise<Contents> {
  const news = indexBy(await readNews(send, userIds), ({ userId }) => userId);
  return (userId) => {
    const one = news.get(userId);
    return one && messageContent(send.dialogId!, one);
  };
}

function readNews({ applicationId, dialogId, firstSeq, lastSeq }: PushSend, userIds: number[]): Promise<News[]> {
  const range = { applicationId, dialogId: dialogId!, firstSeq: firstSeq!, lastSeq: lastSeq! };
  return query`
    SELECT ${NEWS}
    FROM members m JOIN dialogs d ON d.application_id = m.application_id AND d.id = m.dialog_id
    CROSS JOIN LATERAL (
      SELECT x.id, x.text, x.sender_id FROM messages x
      WHERE ${isNews(range, Prisma.sql`m.user_id`, Prisma.sql`m.read_seq`)}
      ORDER BY x.seq DESC LIMIT 1) n
    LEFT JOIN users u ON u.application_id = m.application_id AND u.id = n.sender_id
    WHERE m.application_id = ${applicationId} AND m.dialog_id = ${dialogId} AND m.user_id = ANY(${userIds}::int[])
      AND m.left_at IS NULL`;
}

function messageContent(dialogId: string, news: News): PushContent {
  const { messageId, senderId, senderName, dialogName, text, badge } = news;
  return {
    title: senderName ?? '',
    dialogName,
    text: shortened(text) || 'Attachment',
    badge,
    about: { dialog_id: dialogId, message_id: messageId, user_id: senderId },
  };
}

function shortened(text: string): string {
  const signs = [...text.trim()];
  return signs.length > MAX_TEXT_CHARACTERS ? `${signs.slice(0, MAX_TEXT_CHARACTERS - 1).join('')}…` : signs.join('');
}
