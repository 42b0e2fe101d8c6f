import type { Arena } from './arena.ts';
import type { BroadcastSettings } from './bare/broadcast.ts';
import type { Contest } from './contest.ts';
import { Deliveries } from './deliveries.ts';
import { createGroup, sendMessage } from './doors.ts';
import { startScript } from './processes.ts';
import { listeners, subscribers } from './subscribers.ts';

const SOCKETS = 2_000;

export async function fanOut({ serviceUrl, people, seconds, cleanup }: Arena): Promise<Contest[]> {
  const dialogId = await createGroup(serviceUrl, people, 'bench fan-out');
  const sendTo = (url: string) => (text: string) => sendMessage(url, people[0]!, dialogId, text);

  const ours = new Deliveries(SOCKETS, sendTo(serviceUrl));
  await subscribers(serviceUrl, { people, dialogId, count: SOCKETS }, ours.onFrame, cleanup);
  const { frame, text } = await ours.untilAllListen();

  const settings: BroadcastSettings = { frame, text };
  const bare = await startScript(new URL('./bare/broadcast.ts', import.meta.url), settings, cleanup);
  const limit = new Deliveries(SOCKETS, sendTo(bare.url));
  await listeners(bare.url, SOCKETS, limit.onFrame, cleanup);
  await limit.untilAllListen();

  return [
    {
      name: `fan-out to ${SOCKETS} sockets`,
      service: () => ours.measure(seconds),
      bare: () => limit.measure(seconds),
    },
  ];
}
