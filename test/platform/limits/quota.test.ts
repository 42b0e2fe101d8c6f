import { RateLimiterMemory } from 'rate-limiter-flexible';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Quota } from '../../../src/platform/limits/quota.ts';

const LIMIT = { quota: 60, windowSeconds: 60 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function sharedStore() {
  const store = new RateLimiterMemory({ points: LIMIT.quota, duration: LIMIT.windowSeconds });
  return { store, asked: vi.spyOn(store, 'consume') };
}

const acceptedOf = async (quota: Quota, count: number) => {
  const counts = await Promise.all(Array.from({ length: count }, () => quota.count('a')));
  return counts.filter(({ isExceeded }) => !isExceeded).length;
};

describe('shares of a quota from a shared store', () => {
  test('exactly the quota is admitted, with one store request per share', async () => {
    const { store, asked } = sharedStore();
    const quota = new Quota(LIMIT, store, 10);
    expect(await acceptedOf(quota, 100)).toBe(60);
    expect(asked).toHaveBeenCalledTimes(7);
    expect(await acceptedOf(quota, 100)).toBe(0);
    expect(asked).toHaveBeenCalledTimes(7);
    quota.stop();
  });

  test('the remaining quota decreases by one for every size of the share', async () => {
    const quota = new Quota(LIMIT, sharedStore().store, 10);
    const left: number[] = [];
    for (let nth = 0; nth < 61; nth++) left.push((await quota.count('a')).remaining);
    expect(left).toEqual([...Array.from({ length: 60 }, (_, nth) => 59 - nth), 0]);
    quota.stop();
  });

  test('several processes together never exceed the quota, and each wastes less than a share', async () => {
    const { store } = sharedStore();
    const [one, other] = [new Quota(LIMIT, store, 10), new Quota(LIMIT, store, 10)];
    expect(await acceptedOf(one, 1)).toBe(1);
    expect(await acceptedOf(other, 100)).toBe(50);
    expect(await acceptedOf(one, 100)).toBe(9);
    one.stop();
    other.stop();
  });

  test('a new window starts a new quota and drops old shares', async () => {
    const { store } = sharedStore();
    const quota = new Quota(LIMIT, store, 10);
    await acceptedOf(quota, 15);
    vi.setSystemTime(Date.now() + 59_000);
    expect(await quota.count('a')).toMatchObject({ remaining: 44, resetSeconds: 1, isExceeded: false });
    vi.setSystemTime(Date.now() + 1_000);
    expect(await quota.count('a')).toMatchObject({ remaining: 59, resetSeconds: 60 });
    expect(await acceptedOf(quota, 100)).toBe(59);
    quota.stop();
  });

  test('reading the quota does not count', async () => {
    const { store, asked } = sharedStore();
    const quota = new Quota(LIMIT, store, 10);
    expect(quota.peek('a')).toMatchObject({ remaining: 60, isExceeded: false });
    await quota.count('a');
    expect(quota.peek('a')).toMatchObject({ remaining: 59, resetSeconds: 60 });
    expect(asked).toHaveBeenCalledTimes(1);
    quota.stop();
  });

  test('a failure of the store rejects all waiting callers, and the next call tries again', async () => {
    const { store, asked } = sharedStore();
    asked.mockRejectedValueOnce(new Error('away'));
    const quota = new Quota(LIMIT, store, 10);
    const [first, second] = await Promise.allSettled([quota.count('a'), quota.count('a')]);
    expect([first.status, second.status]).toEqual(['rejected', 'rejected']);
    expect(await quota.count('a')).toMatchObject({ remaining: 59 });
    quota.stop();
  });
});
