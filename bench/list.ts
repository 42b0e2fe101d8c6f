import { deepStrictEqual } from 'node:assert';
import type { Arena } from './arena.ts';
import type { ListSettings } from './bare/list.ts';
import type { Contest } from './contest.ts';
import { call, createGroup, forEach, sendMessage, tokenHeader } from './doors.ts';
import { httpLoad } from './http-load.ts';
import { startScript } from './processes.ts';
import { statementWith } from './statements.ts';

const MESSAGES = 3_000;

export async function list({ serviceUrl, recorder, people, databaseUrl, seconds, cleanup }: Arena): Promise<Contest[]> {
  const dialogId = await createGroup(serviceUrl, people, 'bench list');
  await forEach(Array(MESSAGES).keys(), 32, (number) =>
    sendMessage(serviceUrl, people[number % people.length]!, dialogId, `Message number ${number} of a long talk`),
  );
  const path = `/chat/Message.json?chat_dialog_id=${dialogId}&limit=50&mark_as_read=0`;
  const headers = tokenHeader(people[0]!);

  const recorded = await recorder.during(() => call(recorder.url + path, 200, { headers }));
  const settings: ListSettings = {
    databaseUrl,
    session: statementWith(recorded, 'JOIN sessions'),
    place: statementWith(recorded, 'member_version'),
    messages: statementWith(recorded, 'FROM messages m'),
    details: statementWith(recorded, 'FROM reactions'),
  };
  if (recorded.length !== 4) {
    const texts = recorded.map(({ text }) => text.trim()).join('\n\n');
    throw new Error(`a page takes ${recorded.length} statements, the bare limit 4:\n${texts}`);
  }
  const bare = await startScript(new URL('./bare/list.ts', import.meta.url), settings, cleanup);

  const pages = await Promise.all([serviceUrl, bare.url].map((url) => call(url + path, 200, { headers })));
  deepStrictEqual(JSON.parse(pages[1]!), JSON.parse(pages[0]!), 'both sides answer the same');
  const load = (url: string, page: string) => () =>
    httpLoad({ url: url + path, method: 'GET', headers, status: 200, isRight: (body) => body === page, seconds });
  return [{ name: 'list 50 messages', service: load(serviceUrl, pages[0]!), bare: load(bare.url, pages[1]!) }];
}
