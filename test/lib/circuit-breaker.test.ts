import { expect, test } from 'vitest';
import { type BreakerSettings, CircuitBreaker } from '../../src/lib/circuit-breaker.ts';

let time = 0;
const SETTINGS = { now: () => time, failures: 3, owners: 3, probes: 2, minWaitMs: 100, maxWaitMs: 400 };
const create = (settings: Partial<BreakerSettings> = {}) => new CircuitBreaker({ ...SETTINGS, ...settings });
const identity = (answer: boolean | undefined) => answer;
const ask = (breaker: CircuitBreaker, owner: string, answer: boolean | undefined) =>
  breaker.run(owner, () => Promise.resolve(answer), identity);

function hold(breaker: CircuitBreaker, owner: string) {
  let end: (answer: boolean) => void = () => {};
  const ended = breaker.run(owner, () => new Promise<boolean>((resolve) => (end = resolve)), identity);
  const finish = (answer: boolean) => {
    end(answer);
    return ended;
  };
  return { fail: () => finish(false), answer: () => finish(true) };
}

async function opened(settings: Partial<BreakerSettings> = {}): Promise<CircuitBreaker> {
  const breaker = create(settings);
  for (const owner of ['a', 'b', 'c']) await ask(breaker, owner, false);
  expect(breaker.isOpen).toBe(true);
  return breaker;
}

test('failures of a single owner do not open the circuit', async () => {
  const breaker = create();
  for (let failure = 0; failure < 20; failure++) await ask(breaker, 'a', false);
  expect([breaker.isOpen, breaker.waitOf('a'), breaker.waitOf('b')]).toEqual([false, 0, 0]);
});

test('failures of several owners delay these owners and limit others to a few probes', async () => {
  const breaker = await opened();
  expect([breaker.waitOf('a'), breaker.waitOf('x')]).toEqual([100, 0]);
  const probes = [hold(breaker, 'x'), hold(breaker, 'y')];
  expect(breaker.waitOf('z')).toBe(100);
  await probes[0]!.answer();
  expect([breaker.isOpen, breaker.waitOf('a'), breaker.waitOf('z')]).toEqual([false, 0, 0]);
  await probes[1]!.fail();
  expect(breaker.isOpen).toBe(false);
});

test('a failure does not count when another job has succeeded since it started', async () => {
  const breaker = create();
  const jobs = ['a', 'b', 'c', 'd'].map((owner) => hold(breaker, owner));
  await ask(breaker, 'x', true);
  for (const job of jobs) await job.fail();
  expect([breaker.isOpen, breaker.isIdle]).toEqual([false, true]);
});

test('each failed probe doubles the wait up to a limit', async () => {
  const breaker = await opened({ owners: 1 });
  const waits: number[] = [];
  for (let probe = 0; probe < 4; probe++) {
    waits.push(breaker.waitOf('a'));
    time += breaker.waitOf('a');
    expect(breaker.waitOf('a')).toBe(0);
    await ask(breaker, 'a', false);
  }
  expect(waits).toEqual([100, 200, 400, 400]);
  time -= 1_000_000;
  expect(breaker.waitOf('a')).toBe(400);
});

test('an inconclusive result neither opens nor closes the circuit', async () => {
  const breaker = await opened();
  await ask(breaker, 'x', undefined);
  expect(breaker.isOpen).toBe(true);
});

test('only the latest failed owners are remembered', async () => {
  const breaker = await opened();
  for (let owner = 0; owner < 2_000; owner++) await ask(breaker, `o${owner}`, false);
  expect([breaker.waitOf('a'), breaker.waitOf('o1999') > 0]).toEqual([0, true]);
});
