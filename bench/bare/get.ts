import { createServer } from 'node:http';
import type { Statement } from '../service.ts';
import { preparer, sessionValues } from './database.ts';
import { announce, settingsOf } from './settings.ts';

export interface GetSettings {
  databaseUrl: string;
  session: Statement;
  /** Statements after the session lookup, in order. */
  reads: Statement[];
  answer: string;
}

const settings = await settingsOf<GetSettings>();
const prepare = preparer(settings.databaseUrl);
const findSession = prepare(settings.session);
const reads = settings.reads.map((statement) => prepare(statement));
const answer = JSON.parse(settings.answer);

const server = createServer(async (request, response) => {
  await findSession(sessionValues(request.headers['svc-token'] as string));
  for (const read of reads) await read();
  const body = JSON.stringify(answer);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
});
announce(server);
