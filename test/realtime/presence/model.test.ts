import { describe, expect, test } from 'vitest';
import { fc } from '../../support/app/properties.ts';
import { APPLICATION, BEAT, MAX_BYTES, Network, type Node, SILENCE, turns, USERS, withSockets } from './network.ts';

async function pair(): Promise<[Network, Node, Node]> {
  const network = new Network();
  const nodes = [await network.add(), await network.add()] as const;
  await network.settle();
  return [network, ...nodes];
}

const nth = fc.nat(20);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('connect'), node: nth, user: nth }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('disconnect'), node: nth, user: nth }) },
  { weight: 6, arbitrary: fc.record({ what: fc.constant('deliver'), node: nth, other: nth, count: nth }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('lose'), node: nth, other: nth, count: nth }) },
  fc.record({ what: fc.constant('pass'), beats: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ what: fc.constantFrom('add', 'kill', 'stop', 'return'), node: nth }),
) as fc.Arbitrary<Step>;

interface Step {
  what: 'connect' | 'disconnect' | 'deliver' | 'lose' | 'pass' | 'add' | 'kill' | 'stop' | 'return';
  node?: number;
  other?: number;
  user?: number;
  count?: number;
  beats?: number;
}

async function take({ what, node = 0, other = 0, user = 0, count = 0, beats = 0 }: Step, network: Network) {
  const { living } = network;
  const chosen = living[node % Math.max(living.length, 1)];
  if (what === 'add' && living.length < 4) await network.add();
  if (what === 'pass') network.clock.advance(beats * BEAT);
  if (!chosen) return;
  if (what === 'connect') chosen.connect(USERS[user % USERS.length]!);
  if (what === 'disconnect') chosen.sockets.splice(user % Math.max(chosen.sockets.length, 1), 1)[0]?.close();
  if (what === 'return') chosen.onReturn();
  if (what === 'kill') chosen.die();
  if (what === 'stop') {
    for (const { close } of chosen.sockets.splice(0)) close();
    await chosen.stop();
  }
  if (what === 'deliver' || what === 'lose') {
    network.carry(network.nodes[other % network.nodes.length]!, chosen, count, what === 'lose');
  }
}

describe('presence across processes', () => {
  test('processes agree after lost messages once they query each other, and forget killed processes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const network = new Network();
        await network.add();
        await network.add();
        for (const one of steps) {
          await take(one, network);
          await turns();
        }
        const { living } = network;

        for (const node of living) node.onReturn();
        await network.settle();
        const killed = withSockets(network.nodes.filter(({ isAlive }) => !isAlive));
        for (const node of living) {
          const sure = node.sees().filter((userId) => !killed.includes(userId));
          expect(sure).toEqual(withSockets(living).filter((userId) => !killed.includes(userId)));
        }

        await network.pass(SILENCE + BEAT);
        for (const node of living) expect(node.sees()).toEqual(withSockets(living));
      }),
      { numRuns: 300 },
    );
  });

  test('processes agree after a while even if no loss is detected', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const network = new Network();
        await network.add();
        await network.add();
        for (const one of steps) {
          await take(one, network);
          await turns();
        }
        await network.pass(SILENCE + 2 * BEAT);
        for (const node of network.living) expect(node.sees()).toEqual(withSockets(network.living));
      }),
      { numRuns: 300 },
    );
  });

  test('a subscription receives every change and no repetition', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const network = new Network();
        await network.add();
        for (const one of steps) {
          await take(one, network);
          await turns();
        }
        await turns();
        for (const node of network.living) {
          for (const userId of USERS) {
            const notified = node.notified.filter((one) => one.userId === userId).map(({ online }) => online);
            expect(notified.every((online, index) => index === 0 || online !== notified[index - 1])).toBe(true);
            expect(notified.at(-1)).toBe(node.sees().includes(userId));
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('a lost message', () => {
  test('a lost message is detected with the next message and requested again', async () => {
    const [network, one, two] = await pair();
    one.connect(1);
    await turns();
    network.carry(one, two, 1, true);
    one.connect(2);
    await network.settle();
    expect(two.sees()).toEqual([1, 2]);
  });

  test('a lost message about a closed socket is detected with the next heartbeat', async () => {
    const [network, one, two] = await pair();
    for (const userId of USERS) one.connect(userId);
    await network.settle();
    one.sockets.shift()!.close();
    await turns();
    network.carry(one, two, 1, true);
    expect(two.sees()).toEqual([1, 2, 3]);
    await network.pass(BEAT);
    expect(two.sees()).toEqual([2, 3]);
  });

  test('a lost message is detected with the next heartbeat if no message follows', async () => {
    const [network, one, two] = await pair();
    one.connect(1);
    await turns();
    network.carry(one, two, 1, true);
    expect(two.sees()).toEqual([]);
    await network.pass(BEAT);
    expect(two.sees()).toEqual([1]);
  });

  test('a lost message is requested once per heartbeat', async () => {
    const [network, one, two] = await pair();
    one.connect(1);
    await turns();
    network.carry(one, two, 1, true);
    two.bytes.length = 0;
    for (let round = 0; round < 10; round++) {
      one.connect(2);
      one.sockets.pop()!.close();
      await turns();
      one.connect(3);
      await turns();
      one.sockets.pop()!.close();
      await turns();
      network.carry(one, two, 2, false);
      await turns();
    }
    expect(two.bytes).toHaveLength(1);
    await network.settle();
    expect(two.sees()).toEqual([1]);
  });
});

describe('a process', () => {
  test('a process publishes a user when the first socket opens and when the last one closes', async () => {
    const [network, one] = await pair();
    one.bytes.length = 0;
    for (let nth = 0; nth < 3; nth++) {
      one.connect(1);
      await network.settle();
    }
    expect(one.bytes).toHaveLength(1);
    for (const { close } of one.sockets) {
      close();
      await network.settle();
    }
    expect(one.bytes).toHaveLength(2);
  });

  test('a process is remembered while it lives, and forgotten after 20 seconds of silence', async () => {
    const [network, one, two] = await pair();
    one.connect(1);
    await network.pass(10 * SILENCE);
    expect(two.sees()).toEqual([1]);
    one.die();
    await network.pass(SILENCE - BEAT);
    expect(two.sees()).toEqual([1]);
    await network.pass(2 * BEAT);
    expect(two.sees()).toEqual([]);
    expect(two.notified.slice(USERS.length)).toEqual([
      { userId: 1, online: true },
      { userId: 1, online: false },
    ]);
  });

  test('a process that stops is forgotten immediately, even if it is queried again', async () => {
    const [network, one, two] = await pair();
    one.connect(1);
    await network.settle();
    one.presence.stop();
    two.onReturn();
    await network.settle();
    expect(two.sees()).toEqual([]);
  });

  test('a process that joins late learns who is online, and causes no events in other processes', async () => {
    const [network, one, two] = await pair();
    one.connect(1);
    two.connect(2);
    await network.settle();
    const three = await network.add();
    await network.settle();
    expect(three.sees()).toEqual([1, 2]);
    expect(one.notified.slice(USERS.length)).toEqual([
      { userId: 1, online: true },
      { userId: 2, online: true },
    ]);
  });
});

describe('thousands of users', () => {
  const MOST = 2_147_483_647;

  test('messages about thousands of users stay within the size limit of the bus, even with the largest ids', async () => {
    const [network, one, two] = await pair();
    const many = Array.from({ length: 3_000 }, (_, index) => ({ applicationId: MOST, userId: MOST - index }));
    for (const user of many) one.presence.connect(user);
    await network.settle();
    two.onReturn();
    await network.settle();
    expect(many.every((user) => two.presence.isOnline(user))).toBe(true);
    expect(Math.max(...one.bytes)).toBeLessThanOrEqual(MAX_BYTES);
  });

  test('repeated messages about thousands of users cause no events', async () => {
    const [network, one, two] = await pair();
    for (let userId = 1; userId <= 3_000; userId++) one.presence.connect({ applicationId: APPLICATION, userId });
    await network.settle();
    const watch = two.presence.subscribe(APPLICATION, [1, 1_500, 3_000]);
    await network.add();
    await network.settle();
    expect(watch.takeReady(10).map(({ payload: notified }) => notified)).toEqual(
      [1, 1_500, 3_000].map((userId) => ({ userId, online: true })),
    );
  });

  test('users remain online while the second half of a long response is lost', async () => {
    const [network, one, two] = await pair();
    for (let userId = 1; userId <= 3_000; userId++) one.connect(userId);
    await network.settle();
    const isOnline = (userId: number) => two.presence.isOnline({ applicationId: APPLICATION, userId });
    two.onReturn();
    await turns();
    network.carry(two, one, 1, false);
    await turns();
    network.carry(one, two, 2, false);
    network.carry(one, two, Number.POSITIVE_INFINITY, true);
    expect([1, 1_500, 3_000].map(isOnline)).toEqual([true, true, true]);
    one.sockets.shift()!.close();
    await network.pass(BEAT);
    expect([1, 1_500, 3_000].map(isOnline)).toEqual([false, true, true]);
  });
});
