import pg from 'pg';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { Bus, type BusDriver } from '../../src/realtime/bus.ts';
import { PostgresBus } from '../../src/realtime/postgres-bus.ts';
import { running, useApp } from '../support/app/app.ts';
import { ownConnection, sql } from '../support/app/sql.ts';
import { until } from '../support/clients/websocket.ts';

useApp();

const warnings: string[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function join(origin: string, carrier: BusDriver = new PostgresBus(running.database.config, log)) {
  const bus = new Bus(origin, carrier, log);
  const received: unknown[] = [];
  let returns = 0;
  bus.on('test', (data) => received.push(data));
  bus.onReturn(() => returns++);
  await bus.start();
  cleanups.push(() => bus.stop());
  return { bus, received, returns: () => returns };
}

/** Payloads of notifications, as PostgreSQL delivers them. */
async function wiretap(): Promise<string[]> {
  const texts: string[] = [];
  const client = await ownConnection();
  client.on('notification', ({ payload }) => texts.push(payload!));
  await client.query('LISTEN atrium');
  cleanups.push(() => client.end());
  return texts;
}

function listeners(): Promise<{ pid: number }[]> {
  return sql(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%' ORDER BY pid",
  );
}

const numbers = (count: number) => Array.from({ length: count }, (_, nth) => nth);

describe('a signal', () => {
  test('a signal reaches the other processes in order, and not its sender', async () => {
    const [alice, bob, carol] = [await join('alice'), await join('bob'), await join('carol')];
    for (const nth of numbers(50)) {
      alice.bus.publish('test', { nth });
      if (nth % 7 === 0) await new Promise(setImmediate);
    }
    bob.bus.publish('test', 'from bob');
    await until(() => carol.received.length === 51 && bob.received.length === 50 && alice.received.length === 1);
    const inOrder = numbers(50).map((nth) => ({ nth }));
    expect(bob.received).toEqual(inOrder);
    expect(carol.received.filter((data) => data !== 'from bob')).toEqual(inOrder);
    expect(alice.received).toEqual(['from bob']);
  });

  test('a signal is sent once if it is repeated within one turn of the event loop', async () => {
    const [alice, bob] = [await join('alice'), await join('bob')];
    for (const _ of numbers(1_000)) alice.bus.publish('test', 'wake');
    alice.bus.publish('test', 'after');
    await until(() => bob.received.includes('after'));
    alice.bus.publish('test', 'wake');
    alice.bus.publish('test', 'last');
    await until(() => bob.received.includes('last'));
    expect(bob.received).toEqual(['wake', 'after', 'wake', 'last']);
  });

  test('a signal above the limit arrives in one piece and in order, and one that lacks a part is dropped', async () => {
    const lossy = new PostgresBus(running.database.config, log);
    const [alice, bob, texts] = [await join('alice', lossy), await join('bob'), await wiretap()];
    const large = numbers(3).map((nth) => ({ nth, text: '"é😀\\'.repeat(10_000) }));
    for (const message of large) {
      alice.bus.publish('test', 'before');
      alice.bus.publish('test', message);
      await until(() => bob.received.includes(message) || bob.received.length === 2 * (message.nth + 1));
    }
    expect(bob.received).toEqual(large.flatMap((message) => ['before', message]));
    expect(Math.max(...texts.map((text) => Buffer.byteLength(text)))).toBeLessThan(8_000);

    const send = lossy.send.bind(lossy);
    let sent = 0;
    lossy.send = (text) => (++sent === 3 ? Promise.resolve() : send(text));
    alice.bus.publish('test', large[0]);
    alice.bus.publish('test', large[1]);
    alice.bus.publish('test', 'after');
    await until(() => bob.received.at(-1) === 'after');
    expect(bob.received.slice(6)).toEqual([large[1], 'after']);
  });

  test('signals are batched into few payloads, none above the limit of PostgreSQL', async () => {
    const [alice, bob, texts] = [await join('alice'), await join('bob'), await wiretap()];
    const messages = numbers(2_000).map((nth) => `${nth} ${'é'.repeat(nth % 60)}`);
    for (const message of messages) alice.bus.publish('test', message);
    await until(() => bob.received.length === messages.length);
    expect(bob.received).toEqual(messages);
    const sizes = texts.map((text) => Buffer.byteLength(text));
    expect(Math.max(...sizes)).toBeLessThan(8_000);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(sizes.length).toBeLessThanOrEqual(Math.ceil(total / 7_700));
  });

  test('a signal is sent even if it is published just after the last payload was sent', async () => {
    const sent: string[] = [];
    const carrier: BusDriver = { maxBytes: 1_000, start: async () => {}, stop: async () => {}, send: async () => {} };
    const { bus } = await join('alice', carrier);
    for (const late of numbers(12)) {
      await new Promise<void>((resolve) => {
        carrier.send = async (text) => {
          sent.push(text);
          if (!text.includes('first')) return;
          let moment = Promise.resolve();
          for (const _ of numbers(late)) moment = moment.then(() => {});
          void moment.then(() => {
            bus.publish('test', `second ${late}`);
            resolve();
          });
        };
        bus.publish('test', `first ${late}`);
      });
      await until(() => sent.some((text) => text.includes(`second ${late}"`)));
    }
  });

  test('a signal is sent if it is published before the bus stops, and dropped afterwards', async () => {
    const [alice, bob] = [await join('alice'), await join('bob')];
    alice.bus.publish('test', 'goodbye');
    const stopped = alice.bus.stop();
    alice.bus.publish('test', 'too late');
    await stopped;
    const carol = await join('carol');
    carol.bus.publish('test', 'from carol');
    await until(() => bob.received.includes('from carol'));
    expect(bob.received).toEqual(['goodbye', 'from carol']);
  });
});

describe('a receiving process', () => {
  test('a process ignores invalid payloads and unknown signals', async () => {
    const [alice, bob] = [await join('alice'), await join('bob')];
    for (const text of ['', 'garbage', '{"no":"list"}', '["carol",7]', 'null']) {
      await sql('SELECT pg_notify($1, $2)', ['atrium', text]);
    }
    await sql('SELECT pg_notify(\'atrium\', \'["carol",["unknown",1],["test","known"]]\')');
    alice.bus.publish('test', 'after');
    await until(() => bob.received.includes('after'));
    expect(bob.received).toEqual(['known', 'after']);
  });

  test('a process reconnects when its connection is cut, and reports that signals may be missing', async () => {
    const alice = await join('alice');
    const others = (await listeners()).map(({ pid }) => pid);
    const bob = await join('bob');
    const before = new Set<number>();
    for (let cut = 1; cut <= 2; cut++) {
      const own = (await listeners()).find(({ pid }) => !others.includes(pid) && !before.has(pid))!;
      before.add(own.pid);
      await sql('SELECT pg_terminate_backend($1)', [own.pid]);
      await until(() => bob.returns() === cut);
      alice.bus.publish('test', `after cut ${cut}`);
      await until(() => bob.received.includes(`after cut ${cut}`));
    }
    await until(async () => (await listeners()).length === others.length + 1);
    expect(alice.returns()).toBe(0);
  });

  test('a process reconnects with one connection after the database refused connections', async () => {
    const [alice, bob] = [await join('alice'), await join('bob')];
    const count = (await listeners()).length;
    const name = running.database.config.connectionString!.match(/\/(test_\w+)\?/)![1]!;
    const admin = new pg.Client(running.database.config.connectionString!.replace(name, 'postgres'));
    await admin.connect();
    warnings.length = 0;
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    await until(
      () => warnings.filter((warning) => warning.includes('LISTEN connection cannot be restored')).length > 3,
    );
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await admin.end();
    await until(() => bob.returns() === 1 && alice.returns() === 1);
    await until(async () => (await listeners()).length === count);
    alice.bus.publish('test', 'again');
    await until(() => bob.received.length > 0);
    expect(bob.received).toEqual(['again']);
  });

  test('the bus fails to start without its database, and does not retry', async () => {
    const nowhere = new PostgresBus({ host: '127.0.0.1', port: 1 }, log);
    await expect(new Bus('alice', nowhere, log).start()).rejects.toThrow('ECONNREFUSED');
  });
});
