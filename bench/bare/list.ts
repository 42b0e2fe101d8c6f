import { createServer } from 'node:http';
import type { Statement } from '../service.ts';
import { preparer, sessionValues } from './database.ts';
import { announce, settingsOf } from './settings.ts';

export interface ListSettings {
  databaseUrl: string;
  session: Statement;
  place: Statement;
  messages: Statement;
  details: Statement;
}

interface Message {
  id: string;
  dialogId: string;
  seq: number;
  senderId: number;
  recipientId: number;
  text: string;
  attachments: unknown[];
  customFields: Record<string, unknown>;
  dateSent: number;
  createdAt: Date;
  updatedAt: Date;
}

type Member = [userId: number, readSeq: number, deliveredSeq: number];

const settings = await settingsOf<ListSettings>();
const prepare = preparer(settings.databaseUrl);
const findSession = prepare(settings.session);
const findPlace = prepare(settings.place);
const findMessages = prepare<Message>(settings.messages);
const findDetails = prepare<{ members: Member[] }>(settings.details);

const server = createServer(async (request, response) => {
  await findSession(sessionValues(request.headers['svc-token'] as string));
  await findPlace();
  const messages = await findMessages();
  // The page has neither marks nor reactions.
  const [{ members }] = (await findDetails()) as [{ members: Member[] }];
  const page = JSON.stringify({ skip: 0, limit: 50, items: messages.map((message) => item(message, members)) });
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(page) });
  response.end(page);
});
announce(server);

function item(message: Message, members: Member[]) {
  const { seq, senderId } = message;
  return {
    ...message.customFields,
    _id: message.id,
    message: message.text,
    attachments: message.attachments,
    created_at: isoSeconds(message.createdAt),
    updated_at: isoSeconds(message.updatedAt),
    chat_dialog_id: message.dialogId,
    date_sent: message.dateSent,
    sender_id: senderId,
    recipient_id: message.recipientId,
    read_ids: idsOf(members.filter(([userId, readSeq]) => userId === senderId || readSeq >= seq)),
    delivered_ids: idsOf(members.filter(([userId, , deliveredSeq]) => userId === senderId || deliveredSeq >= seq)),
    read: 0,
    reactions: null,
  };
}

function idsOf(members: Member[]): number[] {
  return members.map(([userId]) => userId).sort((a, b) => a - b);
}

function isoSeconds(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}Z`;
}
