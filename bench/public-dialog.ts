import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, startRedis } from '../test/support/app/redis.ts';
import { startBroadcast } from './bare-broadcast.ts';
import { once, sendMessage } from './calls.ts';
import { type Comparison, type Figures, median } from './comparison.ts';
import { cpuOfProcess } from './cpu.ts';
import type { Environment } from './environment.ts';
import type { Started } from './processes.ts';
import { Messages, socketUrl, startSeededSockets } from './seeded-sockets.ts';
import { startService } from './service.ts';
import { SubscriberProcesses } from './subscriber-processes.ts';

const PROCESSES = 4;
const LISTENERS_OF_EACH = 5_000;
const IN_FLIGHT = 4;
const HEARD_WITHIN_MS = 10_000;

interface Side {
  servers: Started[];
  listeners: SubscriberProcesses[];
  messages: Messages;
}

/** Messages of one dialog, whose listeners are spread over several processes. */
export async function publicDialog(environment: Environment): Promise<Comparison[]> {
  const seeded = await startSeededSockets(PROCESSES * LISTENERS_OF_EACH, environment, 1);
  const { databaseUrl, folder, cleanup, seconds, tokens, dialogId } = seeded;
  const listen = async (servers: Started[], messages: Messages, hasTokens: boolean): Promise<Side> => {
    const listeners = await Promise.all(
      servers.map((server, nth) => {
        const own = hasTokens ? tokens.slice(nth * LISTENERS_OF_EACH, (nth + 1) * LISTENERS_OF_EACH) : undefined;
        const settings = { url: socketUrl(server.url), tokens: own, sockets: LISTENERS_OF_EACH, dialogId };
        return SubscriberProcesses.start(settings, cleanup);
      }),
    );
    await Promise.all(listeners.map((one) => one.open()));
    await untilAllListen(listeners, messages);
    return { servers, listeners, messages };
  };
  const startServices = async (): Promise<Side> => {
    const redisPort = await freePort();
    cleanup.add(await startRedis(redisPort));
    const env = { REDIS_URL: `redis://127.0.0.1:${redisPort}` };
    const home = { databaseUrl, dataDir: join(folder, 'public') };
    const servers = await times(PROCESSES + 1, () => startService(home, cleanup, [], env));
    // The sender uses a process of its own, so that the four do the same work.
    const { url } = servers.pop()!;
    return listen(servers, new Messages((text) => sendMessage(url, seeded.sender, dialogId, text)), true);
  };
  const startBare = async (): Promise<Side> => {
    const broadcasts = await times(PROCESSES, async () => {
      const { start, messages } = startBroadcast(cleanup);
      return { server: await start(), messages };
    });
    const send = (text: string) => Promise.all(broadcasts.map(({ messages }) => messages.sendText(text)));
    return listen(
      broadcasts.map(({ server }) => server),
      new Messages(send),
      false,
    );
  };
  const service = once(startServices);
  const bare = once(startBare);
  return [
    {
      name: `fan-out to ${PROCESSES * LISTENERS_OF_EACH} listeners of ${PROCESSES} processes`,
      service: async () => rate(await service(), seconds),
      bare: async () => rate(await bare(), seconds),
    },
    {
      name: `one message to ${PROCESSES * LISTENERS_OF_EACH} listeners of ${PROCESSES} processes`,
      service: async () => latency(await service(), seconds),
      bare: async () => latency(await bare(), seconds),
    },
  ];
}

/**
 * Subscriptions begin shortly after they are sent. A message a second, as for fewer listeners, would take all the time of
 * the machine and no subscription would begin.
 */
async function untilAllListen(listeners: SubscriberProcesses[], messages: Messages): Promise<void> {
  for (let isHeard = false; !isHeard; ) {
    const number = messages.next();
    await messages.send(number);
    const heard = Promise.all(listeners.map((one) => one.await(number)));
    isHeard = await Promise.race([heard.then(() => true), pause(HEARD_WITHIN_MS).then(() => false)]);
  }
}

async function rate(side: Side, seconds: number): Promise<Figures> {
  const cpu = () => side.servers.reduce((sum, { child }) => sum + cpuOfProcess(child.pid!), 0);
  const before = cpu();
  const begin = performance.now();
  const { length: messages } = await deliverFor(side, seconds, IN_FLIGHT);
  const took = (performance.now() - begin) / 1000;
  const deliveries = messages * LISTENERS_OF_EACH;
  return {
    'deliveries/s of each process': deliveries / took,
    'CPU µs of each delivery': (cpu() - before) / (deliveries * PROCESSES),
  };
}

async function latency(side: Side, seconds: number): Promise<Figures> {
  return { 'ms until all have it': median(await deliverFor(side, seconds, 1)) };
}

/** @returns milliseconds of each message */
async function deliverFor({ listeners, messages }: Side, seconds: number, inFlight: number): Promise<number[]> {
  const end = performance.now() + seconds * 1000;
  const milliseconds: number[] = [];
  const sendOn = async () => {
    while (performance.now() < end) {
      const number = messages.next();
      const begin = performance.now();
      await Promise.all([messages.send(number), ...listeners.map((one) => one.await(number))]);
      milliseconds.push(performance.now() - begin);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, sendOn));
  return milliseconds;
}

function times<Item>(count: number, create: () => Promise<Item>): Promise<Item[]> {
  return Promise.all(Array.from({ length: count }, create));
}
