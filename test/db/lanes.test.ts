import { expect, test } from 'vitest';
import { POOL_SIZE } from '../../src/db/client.ts';
import { type LaneName, laneLimits, laneLoads, lanes, RESERVED_CONNECTIONS } from '../../src/db/lanes.ts';

const taking = Object.entries(laneLimits).filter(([, { connections }]) => connections === 1);

/** The lane from whose connections a lane lives, if any. */
function sourceOf(name: string): string | undefined {
  const { connections } = laneLimits[name as LaneName];
  return typeof connections === 'object' ? connections.in : undefined;
}

test('no lane alone takes all connections', () => {
  expect(taking.length).toBeGreaterThan(0);
  for (const [name, { concurrency }] of taking) {
    expect([name, concurrency <= POOL_SIZE - RESERVED_CONNECTIONS]).toEqual([name, true]);
  }
});

test('large reads and missed events leave connections to transactions and searches', () => {
  const others = taking.filter(([name]) => name !== 'transactions' && name !== 'searches');
  const sum = others.reduce((total, [, { concurrency }]) => total + concurrency, 0);
  expect(sum).toBeLessThan(POOL_SIZE);
});

test('a bounded lane that runs jobs of another one does not fill it', () => {
  const running = Object.entries(laneLimits).flatMap(([name, { concurrency, connections }]) =>
    typeof connections === 'object' && Number.isFinite(concurrency)
      ? [{ name, jobs: concurrency * (connections.each ?? 1), source: laneLimits[connections.in as LaneName] }]
      : [],
  );
  expect(running.map(({ name }) => name)).toContain('classLocks');
  for (const { name, jobs, source } of running) {
    // Steps of long jobs wait outside of the lane of steps.
    if (name !== 'longJobs') expect([name, jobs < source.concurrency]).toEqual([name, true]);
  }
});

test('jobs of other lanes end in one that takes connections', () => {
  for (const name of Object.keys(laneLimits)) {
    const path = [name];
    for (let next = sourceOf(name); next; next = sourceOf(next)) {
      expect(path).not.toContain(next);
      path.push(next);
    }
    expect([path, typeof laneLimits[path.at(-1) as LaneName].connections]).toEqual([path, 'number']);
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
