import { createServer } from 'node:http';
import { newId } from '../../src/db/ids.ts';
import type { Statement } from '../service.ts';
import { preparer, sessionValues } from './database.ts';
import { announce, settingsOf } from './settings.ts';

export interface SendSettings {
  databaseUrl: string;
  session: Statement;
  store: Statement;
  answer: string;
}

interface Session {
  applicationId: number;
  userId: number;
}

interface Place {
  seq: number;
  recipientId: number;
  dateSent: number;
  createdAt: Date;
}

const settings = await settingsOf<SendSettings>();
const prepare = preparer(settings.databaseUrl);
const findSession = prepare<Session>(settings.session);
const store = prepare<Place>(settings.store);
const [template] = JSON.parse(settings.store.values[0] as string);
const answer = JSON.parse(settings.answer);

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', async () => {
    const { chat_dialog_id: dialogId, message: text } = JSON.parse(body);
    const [session] = await findSession(sessionValues(request.headers['svc-token'] as string));
    const now = new Date();
    const message = { ...template, dialogId, senderId: session!.userId, id: newId(now), text, at: now.toISOString() };
    const [place] = await store([JSON.stringify([message])]);
    const createdAt = `${place!.createdAt.toISOString().slice(0, 19)}Z`;
    const sent = JSON.stringify({
      ...answer,
      _id: message.id,
      message: text,
      created_at: createdAt,
      updated_at: createdAt,
      chat_dialog_id: dialogId,
      date_sent: place!.dateSent,
      sender_id: session!.userId,
      recipient_id: place!.recipientId,
      read_ids: [session!.userId],
      delivered_ids: [session!.userId],
    });
    response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(sent) });
    response.end(sent);
  });
});
announce(server);
