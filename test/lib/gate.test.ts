import { expect, test } from 'vitest';
import { Gate } from '../../src/lib/gate.ts';

/** Jobs that end when they are told to. */
function jobs(gate: Gate) {
  const running: { name: string; end: (error?: Error) => void }[] = [];
  const start = (name: string) =>
    gate.run(
      () =>
        new Promise<string>((resolve, reject) => {
          running.push({ name, end: (error) => (error ? reject(error) : resolve(name)) });
        }),
    );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { running, start, settle, names: () => running.map(({ name }) => name) };
}

test('runs so many at once, the others in their order, and refuses whoever finds the queue full', async () => {
  const { running, start, settle, names } = jobs(new Gate(2, 2, () => new Error('full')));
  const results = ['a', 'b', 'c', 'd'].map(start);
  await expect(start('e')).rejects.toThrow('full');
  expect(names()).toEqual(['a', 'b']);

  running[1]!.end();
  await settle();
  expect(names()).toEqual(['a', 'b', 'c']);
  running[0]!.end();
  await settle();
  running[2]!.end();
  running[3]!.end();
  expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
});

test('a job that fails gives its place back', async () => {
  const { running, start, settle, names } = jobs(new Gate(1, 1, () => new Error('full')));
  const failing = start('a');
  const next = start('b');
  running[0]!.end(new Error('no'));
  await expect(failing).rejects.toThrow('no');
  await settle();
  expect(names()).toEqual(['a', 'b']);
  running[1]!.end();
  expect(await next).toBe('b');
  const last = start('c');
  running[2]!.end();
  expect(await last).toBe('c');
});
