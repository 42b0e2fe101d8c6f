import { join } from 'node:path';
import { freePort } from '../test/support/app/redis.ts';
import { startBroadcast } from './bare-broadcast.ts';
import { call, once } from './calls.ts';
import type { Comparison, Figures } from './comparison.ts';
import type { Environment } from './environment.ts';
import type { Started } from './processes.ts';
import { type Messages, pause, socketUrl, startSeededSockets } from './seeded-sockets.ts';
import { startService } from './service.ts';
import { SubscriberProcesses } from './subscriber-processes.ts';

const SOCKETS = 10_000;
const MISSED = 20;
const TIMEOUT_MS = 60_000;
const REQUEST_EVERY_MS = 20;

/** A server whose subscribers are connected. */
interface Side {
  server: Started;
  start: () => Promise<Started>;
  subscribers: SubscriberProcesses;
  messages: Messages;
  missed: number;
}

/** All subscribers lose their sockets at once, and reconnect like `packages/client`. */
export async function reconnects(environment: Environment): Promise<Comparison[]> {
  const { databaseUrl, folder, cleanup, tokens, dialogId, messages } = await startSeededSockets(SOCKETS, environment);
  const connect = async (side: Omit<Side, 'server' | 'subscribers'>, own: string[] | undefined): Promise<Side> => {
    const server = await side.start();
    const settings = { url: socketUrl(server.url), tokens: own, sockets: SOCKETS, dialogId };
    const subscribers = await SubscriberProcesses.start(settings, cleanup);
    await side.messages.whileSending([subscribers], () => subscribers.connect());
    return { ...side, server, subscribers };
  };
  const service = once(async () => {
    const home = { databaseUrl, dataDir: join(folder, 'reconnects') };
    const PORT = String(await freePort());
    const start = () => startService(home, cleanup, [], { PORT });
    return connect({ start, messages, missed: MISSED }, tokens);
  });
  const bare = once(async () => connect({ ...startBroadcast(cleanup, await freePort()), missed: 0 }, undefined));
  const comparison = (name: string, isKilled: boolean): Comparison => ({
    name: `${SOCKETS} reconnect after ${name}`,
    service: async () => reconnect(await service(), isKilled),
    bare: async () => reconnect(await bare(), isKilled),
    note: () =>
      'reconnect – with the pauses of the client: at most 1, 2, 4, 8, then 10 s. The time ends with a message that was ' +
      `sent after the subscription began; there is one a second. The subscribers of the service also get ${MISSED} that ` +
      'they have missed.',
  });
  return [comparison('a cut', false), comparison('a kill', true)];
}

async function reconnect(side: Side, isKilled: boolean): Promise<Figures> {
  const { subscribers, messages, missed } = side;
  const figures = await messages.whileSending([subscribers], async () => {
    const reconnected = subscribers.reconnect(!isKilled);
    if (isKilled) {
      side.server.child.kill('SIGKILL');
      await side.server.stop();
    }
    for (let number = 0; number < missed; number++) await messages.send();
    if (isKilled) side.server = await side.start();
    const otherClient = new OtherClient(() => call(`${side.server.url}/account_settings.json`, 200, {}));
    otherClient.start();
    const { milliseconds, attempts } = await reconnected;
    const others = await otherClient.stop();
    return {
      ...percentiles(milliseconds),
      'attempts of each': attempts / SOCKETS,
      'ms p99 of others': others.p99,
      'ms longest of others': others.longest,
    };
  });
  if (missed > 0) await requireAllReceived(subscribers);
  return figures;
}

/** Sends one request after the other. */
class OtherClient {
  readonly #request: () => Promise<unknown>;
  readonly #milliseconds: number[] = [];
  #isStopped = false;
  #running: Promise<void> | undefined;

  constructor(request: () => Promise<unknown>) {
    this.#request = request;
  }

  start(): void {
    this.#running = (async () => {
      while (!this.#isStopped) {
        const begin = performance.now();
        await this.#request();
        this.#milliseconds.push(performance.now() - begin);
        await pause(REQUEST_EVERY_MS);
      }
    })();
  }

  async stop(): Promise<{ p99: number; longest: number }> {
    this.#isStopped = true;
    await this.#running;
    const { 'ms p99': p99, 'ms all': longest } = percentiles(this.#milliseconds);
    return { p99: p99!, longest: longest! };
  }
}

function percentiles(milliseconds: number[]): Figures {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  return {
    'ms p50': sorted[Math.floor(sorted.length * 0.5)]!,
    'ms p99': sorted[Math.floor(sorted.length * 0.99)]!,
    'ms all': sorted.at(-1)!,
  };
}

/** @throws if a message was missed or repeated */
async function requireAllReceived(subscribers: SubscriberProcesses): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { missed, doubled } = await subscribers.count();
    if (missed === 0 && doubled === 0) return;
    if (doubled > 0 || performance.now() > deadline) throw new Error(`${missed} missed, ${doubled} doubled`);
    await pause(50);
  }
}
