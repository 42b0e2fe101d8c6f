import { createServer } from 'node:http';
import type { Statement } from '../service.ts';
import { preparer, sessionValues } from './database.ts';
import { announce, settingsOf } from './settings.ts';

export interface SessionSettings {
  databaseUrl: string;
  session: Statement;
  row: Statement;
  answer: string;
}

const settings = await settingsOf<SessionSettings>();
const prepare = preparer(settings.databaseUrl);
const findSession = prepare<{ applicationId: number; id: number }>(settings.session);
const findRow = prepare<{ userId: number }>(settings.row);
const answer = JSON.parse(settings.answer);

const server = createServer(async (request, response) => {
  const token = request.headers['svc-token'] as string;
  const [session] = await findSession(sessionValues(token));
  // The last two parameters are limit and offset.
  const [row] = await findRow([session!.applicationId, session!.id, ...settings.row.values.slice(2)]);
  const updatedAt = `${new Date().toISOString().slice(0, 19)}Z`;
  const found = { ...answer.session, token, user_id: row!.userId, updated_at: updatedAt };
  const body = JSON.stringify({ session: found });
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
});
announce(server);
