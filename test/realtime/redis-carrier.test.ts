import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectDatabase, db } from '../../src/db/client.ts';
import { Bus } from '../../src/realtime/bus.ts';
import { RedisBus } from '../../src/realtime/redis-bus.ts';
import { running, useApp } from '../support/app/app.ts';
import { createDatabase } from '../support/app/database.ts';
import { startAnother } from '../support/app/other-apps.ts';
import { freePort, REDIS, startRedis } from '../support/app/redis.ts';
import { closeSockets, listen, until } from '../support/clients/websocket.ts';
import { createDialog, MESSAGE_SENT, quickUsers, send } from '../support/fixtures/chat.ts';

useApp();

const warnings: string[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
const cleanups: (() => Promise<unknown>)[] = [];
let port: number;

beforeAll(async () => {
  port = await freePort();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function join(origin: string) {
  const bus = new Bus(origin, new RedisBus(`redis://127.0.0.1:${port}`, log), log);
  const received: unknown[] = [];
  let returns = 0;
  bus.on('test', (data) => received.push(data));
  bus.onReturn(() => returns++);
  await bus.start();
  cleanups.push(() => bus.stop());
  return { bus, received, returns: () => returns };
}

type Member = Awaited<ReturnType<typeof join>>;

/** Waits until both processes receive each other; earlier signals may be lost. */
async function inTouch(alice: Member, bob: Member): Promise<void> {
  for (const [from, to] of [
    [alice, bob],
    [bob, alice],
  ] as const) {
    const word = Symbol('word').toString() + Math.random();
    await until(() => {
      from.bus.publish('test', word);
      return to.received.includes(word);
    });
  }
}

/** Publishes 2,000 signals, and asserts that all arrive in order. */
async function expectAllReceived(from: Member, to: Member): Promise<void> {
  const texts = Array.from({ length: 2_000 }, (_, nth) => `${nth} ${'é'.repeat(nth % 60)}`);
  to.received.length = 0;
  for (const text of texts) from.bus.publish('test', text);
  await until(() => to.received.includes(texts.at(-1)!));
  expect(to.received.filter((text) => texts.includes(text as string))).toEqual(texts);
}

async function command(...words: string[]): Promise<unknown> {
  const redis = new Redis(port, '127.0.0.1');
  const answer = await redis.call(words[0]!, ...words.slice(1));
  redis.disconnect();
  return answer;
}

test('a service whose Redis is unavailable starts, serves, and finds events of other processes by polling', async () => {
  const [alice, bob] = await quickUsers(2);
  const dialogId = await createDialog(alice!, [bob!]);
  const another = await startAnother({ redisUrl: `redis://127.0.0.1:${await freePort()}` });
  const received = await listen(MESSAGE_SENT, { dialogId }, bob!, another);
  await send(alice!, dialogId, 'nobody is notified');
  expect(await received.atLeast(1)).toMatchObject([{ messageSent: { message: { text: 'nobody is notified' } } }]);
  await closeSockets(another);
  await another.stop();
});

describe.skipIf(!REDIS)('with Redis', () => {
  let stopRedis: () => Promise<void>;
  beforeEach(async () => {
    stopRedis = await startRedis(port);
    cleanups.push(() => stopRedis());
  });

  test('processes receive the signals of others in order, and not their own', async () => {
    const [alice, bob] = [await join('alice'), await join('bob')];
    await inTouch(alice, bob);
    await expectAllReceived(alice, bob);
    await expectAllReceived(bob, alice);
  });

  test('cut connections are restored, and processes learn that signals may be missing', async () => {
    const [alice, bob] = [await join('alice'), await join('bob')];
    await inTouch(alice, bob);
    const before = [alice.returns(), bob.returns()];
    for (const kind of ['pubsub', 'normal']) await command('CLIENT', 'KILL', 'TYPE', kind);
    await until(() => alice.returns() > before[0]! && bob.returns() > before[1]!);
    await inTouch(alice, bob);
    await expectAllReceived(alice, bob);
  });

  test('processes that start without Redis, or lose it, exchange signals once it is available', async () => {
    const alice = await join('alice');
    await stopRedis();
    const bob = await join('bob');
    alice.bus.publish('test', 'to nobody');
    const before = [alice.returns(), bob.returns()];
    stopRedis = await startRedis(port);
    await until(() => alice.returns() > before[0]! && bob.returns() > before[1]!);
    await inTouch(alice, bob);
    expect(bob.received).not.toContain('to nobody');
    await expectAllReceived(alice, bob);
    await expectAllReceived(bob, alice);
  });

  test('a Redis that does not respond delays neither start nor stop', async () => {
    const alice = await join('alice');
    const bob = await join('bob');
    await inTouch(alice, bob);
    const pid = Number(/process_id:(\d+)/.exec(String(await command('INFO', 'server')))![1]);
    process.kill(pid, 'SIGSTOP');
    cleanups.push(async () => process.kill(pid, 'SIGCONT'));
    warnings.length = 0;
    alice.bus.publish('test', 'in vain');
    await until(() => warnings.some((warning) => warning.includes('signal to other processes failed')));
    alice.bus.publish('test', 'in vain as well');
    const carol = await join('carol');
    await alice.bus.stop();
    process.kill(pid, 'SIGCONT');
    await inTouch(bob, carol);
  });

  test('services with different databases share a Redis without receiving signals of each other', async () => {
    const [alice, bob] = [await join('alice'), await join('bob')];
    const other = await createDatabase();
    await db.$disconnect();
    await connectDatabase(other.config);
    const mallory = await join('mallory');
    const eve = await join('eve');
    await db.$disconnect();
    await connectDatabase(running.database.config);
    await inTouch(alice, bob);
    await inTouch(mallory, eve);
    const [ours, theirs] = [new Set(alice.received.concat(bob.received)), mallory.received.concat(eve.received)];
    expect(theirs.filter((text) => ours.has(text))).toEqual([]);
    await Promise.all([mallory.bus.stop(), eve.bus.stop()]);
    await other.drop();
  });

  test('events published while Redis is unavailable are delivered, and so are later ones', async () => {
    const [alice, bob] = await quickUsers(2);
    const dialogId = await createDialog(alice!, [bob!]);
    const another = await startAnother({ redisUrl: `redis://127.0.0.1:${port}` });
    const received = await listen(MESSAGE_SENT, { dialogId }, bob!, another);
    await send(alice!, dialogId, 'before');
    await received.atLeast(1);
    await stopRedis();
    await send(alice!, dialogId, 'meanwhile');
    await received.atLeast(2);
    stopRedis = await startRedis(port);
    await send(alice!, dialogId, 'after');
    const texts = (await received.atLeast(3)).map((event) => event.messageSent.message.text);
    expect(texts).toEqual(['before', 'meanwhile', 'after']);
    await closeSockets(another);
    await another.stop();
  });
});
