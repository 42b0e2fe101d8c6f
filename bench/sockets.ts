import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashSecret, SESSION_TOKEN_BYTES, sessionToken } from '../src/lib/tokens.ts';
import { call, createGroup, createPerson, sendMessage } from './calls.ts';
import type { Comparison, Figures } from './comparison.ts';
import type { Environment } from './environment.ts';
import { MEASURABLE, memoryOf } from './process-memory.ts';
import { type Started, startNode } from './processes.ts';
import { queries } from './seeded.ts';
import { startSeededUsers } from './seeded-users.ts';
import { APPLICATION, startService } from './service.ts';
import { SubscriberProcesses } from './subscriber-processes.ts';

const SOCKETS = 10_000;
const MISSED = 20;
const SEND_EVERY_MS = 1_000;
const TIMEOUT_MS = 60_000;
const REQUEST_EVERY_MS = 20;

export async function sockets(environment: Environment): Promise<Comparison[]> {
  const { cleanup, folder } = environment;
  const { url, databaseUrl, caller: sender } = await startSeededUsers(SOCKETS, environment);
  const tokens = await openSessions(databaseUrl);
  const dialogId = await createGroup(url, [sender, await createPerson(url, 'first')], 'bench sockets');
  await queries(databaseUrl, [
    `INSERT INTO members (application_id, dialog_id, user_id, joined_at)
     SELECT application_id, '${dialogId}', id, now() FROM users WHERE login LIKE 'user-%'`,
    `UPDATE dialogs SET member_version = member_version + 1 WHERE id = '${dialogId}'`,
    'VACUUM ANALYZE',
  ]);
  const settings = (base: string) => ({ url: socketUrl(base), protocol: ['graphql-transport-ws'], tokens, dialogId });

  /** Also measures the requests of another client while the sockets join. */
  const subscribeAll = async (subscribers: SubscriberProcesses, base: string, resumes: boolean) => {
    const otherClient = new OtherClient(() => call(`${base}/account_settings.json`, 200, {}));
    const messages = new MessageSender((text) => sendMessage(base, sender, dialogId, text), subscribers);
    for (let number = 0; resumes && number < MISSED; number++) await messages.send();
    messages.start();
    otherClient.start();
    const { milliseconds } = await subscribers.subscribe(resumes);
    const others = await otherClient.stop();
    await messages.stop();
    return { ...percentiles(milliseconds), 'ms p99 of others': others.p99, 'ms longest of others': others.longest };
  };
  const measure = async (): Promise<Figures> => {
    const service = await startService({ databaseUrl, dataDir: join(folder, 'measured') }, cleanup, MEASURABLE);
    const subscribers = await SubscriberProcesses.start(settings(service.url), cleanup);
    const figures = await memoryPerSubscriber(service, () => subscribeAll(subscribers, service.url, false));
    await Promise.all([subscribers.stop(), service.stop()]);
    return figures;
  };
  const measureBare = async (): Promise<Figures> => {
    const idle = fileURLToPath(new URL('./bare/idle.mjs', import.meta.url));
    const bare = await startNode([...MEASURABLE, idle], { cleanup });
    const silent = { url: socketUrl(bare.url), protocol: [], tokens: tokens.map(() => undefined), dialogId: undefined };
    const subscribers = await SubscriberProcesses.start(silent, cleanup);
    const figures = await memoryPerSubscriber(bare, () => subscribers.connect());
    await Promise.all([subscribers.stop(), bare.stop()]);
    return figures;
  };

  const returning = await SubscriberProcesses.start(settings(url), cleanup);
  const firstConnect = async (): Promise<Figures> => {
    await returning.disconnect();
    return subscribeAll(returning, url, false);
  };
  const storm = async (): Promise<Figures> => {
    if ((await returning.count()).last === 0) await firstConnect();
    await returning.disconnect();
    const figures = await subscribeAll(returning, url, true);
    await requireAllReceived(returning);
    return figures;
  };
  return [
    { name: `${SOCKETS} idle subscribers`, service: measure, bare: measureBare },
    {
      name: `${SOCKETS} reconnect together`,
      service: storm,
      bare: firstConnect,
      note: () => `"${SOCKETS} reconnect together" is compared with the first connect of the same sockets.`,
    },
  ];
}

/** Of the resident memory, the young generation of V8 is shown apart, because any load makes it grow by a fixed amount. */
async function memoryPerSubscriber(started: Started, join: () => Promise<unknown>): Promise<Figures> {
  const before = await memoryOf(started);
  await join();
  const after = await memoryOf(started);
  const young = after.young - before.young;
  const kilobytesOfEach = (bytes: number) => bytes / SOCKETS / 1024;
  return {
    'KB of each': kilobytesOfEach(after.rss - before.rss),
    'KB of each without young generation': kilobytesOfEach(after.rss - before.rss - young),
    'KB heap of each': kilobytesOfEach(after.heapUsed - before.heapUsed),
  };
}

async function openSessions(databaseUrl: string): Promise<string[]> {
  const tokens = Array.from({ length: SOCKETS }, () => sessionToken(APPLICATION.id, randomBytes(SESSION_TOKEN_BYTES)));
  await queries(databaseUrl, [
    `INSERT INTO sessions (application_id, user_id, token_hash, nonce, timestamp, created_at, updated_at)
     SELECT u.application_id, u.id, t.hash, t.nth, 0, now(), now()
     FROM unnest(ARRAY['${tokens.map(hashSecret).join("','")}']) WITH ORDINALITY t (hash, nth)
     JOIN users u ON u.login = 'user-' || t.nth`,
  ]);
  return tokens;
}

class MessageSender {
  static #count = 0;
  readonly #sendText: (text: string) => Promise<unknown>;
  readonly #subscribers: SubscriberProcesses;
  #isStopped = false;
  #running: Promise<void> | undefined;

  constructor(sendText: (text: string) => Promise<unknown>, subscribers: SubscriberProcesses) {
    this.#sendText = sendText;
    this.#subscribers = subscribers;
  }

  async send(): Promise<void> {
    const number = ++MessageSender.#count;
    await this.#sendText(`message ${number}`);
    this.#subscribers.sent(number);
  }

  start(): void {
    this.#running = (async () => {
      while (!this.#isStopped) {
        await this.send();
        await pause(SEND_EVERY_MS);
      }
    })();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }
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

const socketUrl = (url: string) => `${url.replace('http', 'ws')}/graphql`;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** @throws if a message was missed or repeated */
async function requireAllReceived(subscribers: SubscriberProcesses): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { missed, doubled } = await subscribers.count();
    if (missed === 0 && doubled === 0) return;
    if (doubled! > 0 || performance.now() > deadline) throw new Error(`${missed} missed, ${doubled} doubled`);
    await pause(50);
  }
}
