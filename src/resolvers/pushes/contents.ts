import { db, Prisma } from '../../db/client.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { query } from '../../db/query.ts';
import type { PushContent } from '../../gateways/push/gateway.ts';
import type { PushSend } from '../../generated/prisma/client.ts';
import { indexBy } from '../../lib/collections.ts';
import { applePayload, browserPayload, googleData, isBackground, mailText } from './payloads.ts';
import { isNews } from './recipients.ts';

/** What the users of a send are told; undefined for whom there is nothing to tell any more. */
export type Contents = (userId: number) => PushContent | undefined;

/** Characters of a message that a push shows; providers take about 4 KB in all. */
const MAX_TEXT = 500;

export function contentsOf(send: PushSend, userIds: number[]): Promise<Contents> {
  return send.eventId === null ? messageContents(send, userIds) : eventContents(send, send.eventId);
}

async function eventContents({ applicationId }: PushSend, id: number): Promise<Contents> {
  const event = await db.event.findUnique({
    where: { applicationId_id: { applicationId, id } },
    select: { message: true, name: true, application: { select: { name: true } } },
  });
  if (!event) return () => undefined;
  const { message, name, application } = event;
  const apple = applePayload(message);
  const content = {
    apple,
    isBackground: isBackground(apple),
    google: googleData(message),
    browser: browserPayload(message),
    mail: { subject: oneLine(name ?? application.name), text: `${mailText(message)}\n` },
  };
  return () => content;
}

interface News {
  userId: number;
  messageId: string;
  text: string;
  senderId: number;
  senderName: string | null;
  dialogName: string | null;
  badge: number;
}

/** Each user is told of the latest message of the send that is news for them still. */
async function messageContents(send: PushSend, userIds: number[]): Promise<Contents> {
  const news = indexBy(await readNews(send, userIds), ({ userId }) => userId);
  return (userId) => {
    const one = news.get(userId);
    return one && messageContent(send.dialogId!, one);
  };
}

function readNews({ applicationId, dialogId, firstSeq, lastSeq }: PushSend, userIds: number[]): Promise<News[]> {
  const range = { applicationId, dialogId: dialogId!, firstSeq: firstSeq!, lastSeq: lastSeq! };
  return query<News>`
    SELECT m.user_id AS "userId", n.id AS "messageId", n.text, n.sender_id AS "senderId",
      coalesce(u.full_name, u.login) AS "senderName",
      CASE WHEN d.type = ${DIALOG_TYPE.GROUP} THEN d.name END AS "dialogName",
      (SELECT coalesce(sum(o.message_count - p.settled_count), 0)::int
        FROM members p CROSS JOIN LATERAL (
          SELECT * FROM dialogs o WHERE o.application_id = p.application_id AND o.id = p.dialog_id OFFSET 0) o
        WHERE p.application_id = m.application_id AND p.user_id = m.user_id AND p.left_at IS NULL
          AND o.type <> ${DIALOG_TYPE.PUBLIC_GROUP} AND (p.hidden_seq IS NULL OR p.hidden_seq < o.last_seq)) AS badge
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
  const { messageId, senderId, senderName, dialogName, badge } = news;
  const title = senderName ?? '';
  const text = shortened(news.text) || 'Attachment';
  const about = { dialog_id: dialogId, message_id: messageId, user_id: senderId };
  const alert = { title, ...(dialogName ? { subtitle: dialogName } : {}), body: text };
  const apple = { aps: { alert, badge, sound: 'default', 'thread-id': dialogId }, ...about };
  const named = { title, ...(dialogName ? { dialog_name: dialogName } : {}) };
  return {
    apple,
    isBackground: false,
    google: { message: text, ...named, ...about, user_id: String(senderId), badge: String(badge) },
    browser: JSON.stringify({ message: text, ...named, ...about, badge }),
    mail: { subject: oneLine(title), text: `${text}\n` },
  };
}

function shortened(text: string): string {
  const signs = [...text.trim()];
  return signs.length > MAX_TEXT ? `${signs.slice(0, MAX_TEXT - 1).join('')}…` : signs.join('');
}

/** As the subject of a mail may be. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').trim();
}
