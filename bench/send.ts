import type { Arena } from './arena.ts';
import type { SendSettings } from './bare/send.ts';
import type { Contest } from './contest.ts';
import { call, createGroup, forEach, messageBody, sendMessage, tokenHeader } from './doors.ts';
import { CUT_OFF, httpLoad } from './http-load.ts';
import { startScript } from './processes.ts';
import { statementWith } from './statements.ts';

const TEXT = 'Shall we meet for lunch at noon?';
const DIALOGS = 200;

export async function send(arena: Arena): Promise<Contest[]> {
  const { serviceUrl, recorder, people, databaseUrl, cleanup } = arena;
  const dialogIds: string[] = [];
  await forEach(Array(DIALOGS + 1).keys(), 8, async (number) => {
    dialogIds.push(await createGroup(serviceUrl, people, `bench ${number}`));
  });
  let answer = '';
  const recorded = await recorder.during(async () => {
    answer = await sendMessage(recorder.url, people[0]!, dialogIds[0]!, TEXT);
  });
  const stored = statementWith(recorded, 'INSERT INTO messages');
  const settings: SendSettings = {
    databaseUrl,
    session: statementWith(recorded, 'JOIN sessions'),
    // The baseline has no fallback for locked dialogs.
    store: { ...stored, text: stored.text.replace('SKIP LOCKED', '') },
    answer,
  };
  const bare = await startScript(new URL('./bare/send.ts', import.meta.url), settings, cleanup);
  const [hot, ...many] = dialogIds;
  return [
    contest('send, one hot dialog', [hot!], arena, bare.url),
    contest(`send, ${DIALOGS} dialogs`, many, arena, bare.url),
  ];
}

function contest(name: string, dialogIds: string[], { serviceUrl, people, seconds }: Arena, bareUrl: string): Contest {
  const headers = { ...tokenHeader(people[0]!), 'Content-Type': 'application/json' };
  let answered = 0;
  let loads = 0;
  const load = (url: string) => () => {
    loads++;
    return httpLoad({
      url: `${url}/chat/Message.json`,
      method: 'POST',
      headers,
      bodies: dialogIds.map((id) => messageBody(id, TEXT)),
      status: 201,
      isRight: (body) => body.includes(TEXT),
      seconds,
      onAnswered: (requests) => {
        answered += requests;
      },
    });
  };
  const stored = async () => {
    let count = 0;
    for (const id of dialogIds) count += await countMessages(serviceUrl, id, headers);
    return count;
  };
  let before: number | undefined;
  return {
    name,
    service: async () => {
      before ??= await stored();
      return load(serviceUrl)();
    },
    bare: load(bareUrl),
    check: async () => {
      const sent = (await stored()) - before!;
      if (sent < answered || sent > answered + loads * CUT_OFF) {
        throw new Error(`${name}: ${answered} messages were answered, ${sent} are stored`);
      }
    },
  };
}

async function countMessages(url: string, dialogId: string, headers: Record<string, string>): Promise<number> {
  const text = await call(`${url}/chat/Message.json?chat_dialog_id=${dialogId}&count=1`, 200, { headers });
  return JSON.parse(text).items.count;
}
