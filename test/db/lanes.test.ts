import { expect, test } from 'vitest';
import { POOL_SIZE } from '../../src/db/client.ts';
import { laneLimits, laneLoads, lanes, RESERVED_CONNECTIONS } from '../../src/db/lanes.ts';

const taking = Object.entries(laneLimits).filter(([, { connections }]) => connections === 1);

/** The lane from whose connections a lane lives, if any. */
function sourceOf(name: string): string | undefined {
  const { connections } = laneLimits[name as keyof typeof laneLimits];
  return typeof connections === 'object' ? connections.in : undefined;
}

test('every lane that takes connections by itself leaves some to single statements', () => {
  expect(taking.length).toBeGreaterThan(0);
  for (const [name, { concurrency }] of taking) {
    expect([name, concurrency <= POOL_SIZE - RESERVED_CONNECTIONS]).toEqual([name, true]);
  }
});

test('lanes beside transactions and searches together leave connections to either of them', () => {
  const others = taking.filter(([name]) => name !== 'transactions' && name !== 'searches');
  const sum = others.reduce((total, [, { concurrency }]) => total + concurrency, 0);
  expect(sum).toBeLessThan(POOL_SIZE);
});

test('steps of other lanes end in one that takes connections, and no lane waits for itself', () => {
  for (const name of Object.keys(laneLimits)) {
    const path = [name];
    for (let next = sourceOf(name); next; next = sourceOf(next)) {
      expect(path).not.toContain(next);
      path.push(next);
    }
    const { connections } = laneLimits[path.at(-1) as keyof typeof laneLimits];
    expect([path, typeof connections]).toEqual([path, 'number']);
  }
});

test('one owner never fills a lane that several share', () => {
  for (const [name, { concurrency, concurrencyPerOwner }] of Object.entries(laneLimits)) {
    if (!concurrencyPerOwner) continue;
    expect([name, concurrencyPerOwner.at(-1)! < concurrency]).toEqual([name, true]);
  }
});

test('metrics show every lane', () => {
  expect(Object.keys(laneLoads())).toHaveLength(Object.keys(lanes).length);
  expect(laneLoads().long_steps).toEqual({ running: 0, waiting: 0 });
});
