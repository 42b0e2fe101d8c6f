import { createServer } from 'node:http';
import type { Statement } from '../service.ts';
import { preparer, sessionValues } from './database.ts';
import { announce, settingsOf } from './settings.ts';

/** The statements of reading one thing by its id, with their values, and the answer to it. */
export interface GetSettings {
  databaseUrl: string;
  session: Statement;
  /** What is asked behind the session, in its order. */
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
