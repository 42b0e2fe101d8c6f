import { expect, test } from 'vitest';
import { Semaphore, type SemaphoreLimits } from '../../src/lib/semaphore.ts';

function jobs(limits: Omit<SemaphoreLimits, 'refuse'>) {
  const semaphore = new Semaphore({ ...limits, refuse: () => new Error('full') });
  const running: { name: string; end: (error?: Error) => void }[] = [];
  const start = (name: string, ...owner: string[]) =>
    semaphore.run(
      () =>
        new Promise<string>((resolve, reject) => {
          running.push({ name, end: (error) => (error ? reject(error) : resolve(name)) });
        }),
      owner,
    );
  const end = async (name: string, error?: Error) => {
    const [job] = running.splice(
      running.findIndex((one) => one.name === name),
      1,
    );
    job!.end(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { semaphore, start, end, names: () => running.map(({ name }) => name) };
}

test('a semaphore runs the allowed number of jobs at once, queues others in order, and rejects when the queue is full', async () => {
  const { start, end, names } = jobs({ concurrency: 2, maxWaiting: 2 });
  const results = ['a', 'b', 'c', 'd'].map((name) => start(name));
  await expect(start('e')).rejects.toThrow('full');
  expect(names()).toEqual(['a', 'b']);
  await end('b');
  expect(names()).toEqual(['a', 'c']);
  await end('a');
  expect(names()).toEqual(['c', 'd']);
  await end('c');
  await end('d');
  expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
});

test('a failed job releases its slot', async () => {
  const { semaphore, start, end, names } = jobs({ concurrency: 1, maxWaiting: 1 });
  const failing = start('a', 'application:1');
  const next = start('b', 'application:2');
  const failed = expect(failing).rejects.toThrow('no');
  await end('a', new Error('no'));
  await failed;
  expect(names()).toEqual(['b']);
  await end('b');
  expect(await next).toBe('b');
  expect(semaphore.load).toEqual({ running: 0, waiting: 0 });
});

test('owners take turns at each level, regardless of how many jobs each has queued', async () => {
  const { start, end, names } = jobs({ concurrency: 1, maxWaiting: 100 });
  void start('first', 'application:1', 'user:1');
  for (const name of ['a1', 'a2', 'a3']) void start(name, 'application:1', 'user:1');
  void start('b', 'application:1', 'user:2');
  void start('c', 'application:2', 'user:3');
  const order: string[] = [];
  for (let served = 0; served < 6; served++) {
    const [name] = names();
    order.push(name!);
    await end(name!);
  }
  expect(order).toEqual(['first', 'a1', 'c', 'b', 'a2', 'a3']);
});

test('an owner at its own limit waits while others start', async () => {
  const { start, end, names } = jobs({ concurrency: 3, concurrencyPerOwner: [2, 1], maxWaiting: 10 });
  void start('a1', 'application:1', 'user:1');
  void start('a2', 'application:1', 'user:1');
  void start('b', 'application:1', 'user:2');
  void start('c', 'application:1', 'user:3');
  void start('d', 'application:2', 'user:4');
  expect(names()).toEqual(['a1', 'b', 'd']);
  await end('b');
  expect(names()).toEqual(['a1', 'd', 'c']);
  await end('a1');
  expect(names()).toEqual(['d', 'c', 'a2']);
});

test('an owner whose own queue is full is rejected while others may wait', async () => {
  const { start, names } = jobs({ concurrency: 1, maxWaiting: 10, maxWaitingPerOwner: [1] });
  void start('a1', 'application:1');
  void start('a2', 'application:1');
  await expect(start('a3', 'application:1')).rejects.toThrow('full');
  void start('b', 'application:2');
  expect(names()).toEqual(['a1']);
});
