import { deepStrictEqual } from 'node:assert';
import type { Arena } from './arena.ts';
import type { GetSettings } from './bare/get.ts';
import type { Contest } from './contest.ts';
import { call, createGroup, createUser, sendMessage, tokenHeader } from './doors.ts';
import { httpLoad } from './http-load.ts';
import { startScript } from './processes.ts';
import { CAR, createClass } from './record-writes.ts';
import { statementWith } from './statements.ts';

const CLASS = 'bench_reads';

export async function get(arena: Arena): Promise<Contest[]> {
  const { serviceUrl, people } = arena;
  const [reader] = people;
  const headers = tokenHeader(reader!);
  const dialogId = await createGroup(serviceUrl, people, 'bench get');
  const message = JSON.parse(await sendMessage(serviceUrl, reader!, dialogId, 'A message among others'));
  await createClass(serviceUrl, CLASS);
  const record = JSON.parse(
    await call(`${serviceUrl}/data/${CLASS}.json`, 201, { method: 'POST', headers, json: CAR }),
  );
  // A user without sessions, because requests change the `last_request_at` of others.
  const userId = await createUser(serviceUrl, 'bench-get');
  return [
    await contest('get a message by id', `/chat/Message/${message._id}.json`, arena),
    await contest('get a record by id', `/data/${CLASS}/${record._id}.json`, arena),
    await contest('get a user by id', `/users/${userId}.json`, arena),
  ];
}

async function contest(
  name: string,
  path: string,
  { serviceUrl, recorder, people, databaseUrl, seconds, cleanup }: Arena,
): Promise<Contest> {
  const headers = tokenHeader(people[0]!);
  // Warms the caches of the recorder.
  await call(recorder.url + path, 200, { headers });
  const recorded = await recorder.during(() => call(recorder.url + path, 200, { headers }));
  const session = statementWith(recorded, 'JOIN sessions');
  const settings: GetSettings = {
    databaseUrl,
    session,
    reads: recorded.filter((statement) => statement !== session),
    answer: await call(serviceUrl + path, 200, { headers }),
  };
  const bare = await startScript(new URL('./bare/get.ts', import.meta.url), settings, cleanup);
  const [ours, limit] = await Promise.all([serviceUrl, bare.url].map((url) => call(url + path, 200, { headers })));
  deepStrictEqual(JSON.parse(limit!), JSON.parse(ours!), 'both sides answer the same');
  const load = (url: string, answer: string) => () =>
    httpLoad({ url: url + path, method: 'GET', headers, status: 200, isRight: (body) => body === answer, seconds });
  return {
    name,
    service: load(serviceUrl, ours!),
    bare: load(bare.url, limit!),
    note: () => `${name} – ${recorded.length} statements`,
  };
}
