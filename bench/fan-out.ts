import type { BroadcastSettings } from './bare/broadcast.ts';
import { createGroup, sendMessage } from './calls.ts';
import type { Comparison } from './comparison.ts';
import { Deliveries } from './deliveries.ts';
import type { Environment } from './environment.ts';
import { startScript } from './processes.ts';
import { listeners, subscribers } from './subscribers.ts';

const SOCKETS = [1_000, 2_000];

export async function fanOut(environment: Environment): Promise<Comparison[]> {
  const comparisons = [];
  for (const count of SOCKETS) comparisons.push(...(await fanOutTo(count, environment)));
  return comparisons;
}

async function fanOutTo(
  count: number,
  { serviceUrl, servicePid, people, seconds, cleanup }: Environment,
): Promise<Comparison[]> {
  const dialogId = await createGroup(serviceUrl, people, `bench fan-out to ${count}`);
  const sendTo = (url: string) => (text: string) => sendMessage(url, people[0]!, dialogId, text);

  const ours = new Deliveries(count, { pid: servicePid, send: sendTo(serviceUrl) });
  await subscribers(serviceUrl, { people, dialogId, count }, ours.onFrame, cleanup);
  const { frame, text } = await ours.untilAllListen();

  const settings: BroadcastSettings = { frame, text };
  const bare = await startScript(new URL('./bare/broadcast.ts', import.meta.url), settings, cleanup);
  const limit = new Deliveries(count, { pid: bare.child.pid!, send: sendTo(bare.url) });
  await listeners(bare.url, count, limit.onFrame, cleanup);
  await limit.untilAllListen();

  return [
    {
      name: `fan-out to ${count} sockets`,
      service: () => ours.rate(seconds),
      bare: () => limit.rate(seconds),
    },
    {
      name: `one message to ${count} sockets`,
      service: () => ours.latency(seconds),
      bare: () => limit.latency(seconds),
    },
  ];
}
