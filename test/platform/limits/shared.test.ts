import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { storeName } from '../../../src/db/store-name.ts';
import { sweep } from '../../../src/jobs/sweep.ts';
import type { App } from '../../../src/server/lifecycle.ts';
import { APPLICATION, running, type TestSettings, useApp } from '../../support/app/app.ts';
import { startAnother } from '../../support/app/other-apps.ts';
import { freePort, REDIS, startRedis } from '../../support/app/redis.ts';
import { until } from '../../support/clients/websocket.ts';
import { insertSession, insertUser } from '../../support/fixtures/callers.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';
import type { Caller } from '../../support/fixtures/users.ts';

/** A share is a sixtieth of the quota: two operations. */
const LIMITS: TestSettings = {
  limits: { default: { quota: 120, windowSeconds: 3600 }, signIn: { quota: 3, windowSeconds: 3600 } },
};

useApp({ ...LIMITS, countsInDatabase: true });

async function ask(app: App, as: Caller): Promise<number> {
  const response = await fetch(`${app.url}/session`, { headers: as.headers });
  await response.arrayBuffer();
  return response.status;
}

async function servedBy(apps: App[], count: number, as: Caller): Promise<number> {
  let served = 0;
  for (let nth = 0; nth < count; nth++) if ((await ask(apps[nth % apps.length]!, as)) === 200) served++;
  return served;
}

describe('rate limits of processes on one database', () => {
  let another: App;
  beforeAll(async () => {
    another = await startAnother({ ...LIMITS, countsInDatabase: true });
  });
  afterAll(() => another.stop());

  test('processes on one database share a quota', async () => {
    const alice = await insertSession(await insertUser());
    expect(await servedBy([running.app, another], 130, alice)).toBe(120);
    expect([await ask(running.app, alice), await ask(another, alice)]).toEqual([429, 429]);
  });

  test('processes on one database count each sign-in immediately', async () => {
    const statuses: number[] = [];
    for (const app of [running.app, another, running.app, another]) {
      statuses.push((await fetch(`${app.url}/session`, { method: 'POST' })).status);
    }
    expect(statuses).toEqual([422, 422, 422, 429]);
  });

  test('a process that starts later knows the previous count', async () => {
    const alice = await insertSession(await insertUser());
    expect(await servedBy([running.app], 120, alice)).toBe(120);
    const third = await startAnother({ ...LIMITS, countsInDatabase: true });
    expect(await ask(third, alice)).toBe(429);
    await third.stop();
  });

  test('counters of past windows are swept', async () => {
    await ask(running.app, await insertSession(await insertUser()));
    expect(await db.rateLimit.count()).toBeGreaterThan(0);
    await sweep(new Date(Date.now()), RETENTION);
    expect(await db.rateLimit.count()).toBeGreaterThan(0);
    await sweep(new Date(Date.now() + 3_600_001), RETENTION);
    expect(await db.rateLimit.count()).toBe(0);
  });
});

describe('rate limits while Redis is down', () => {
  test('each process counts alone while Redis is down', async () => {
    const port = await freePort();
    const app = await startAnother({ ...LIMITS, redisUrl: `redis://127.0.0.1:${port}` });
    const alice = await insertSession(await insertUser());
    expect(await servedBy([app], 121, alice)).toBe(120);
    await app.stop();
  });
});

describe.skipIf(!REDIS)('rate limits of processes on one Redis', () => {
  let port: number;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    port = await freePort();
    stop = await startRedis(port);
  });
  afterAll(() => stop());

  test('processes on one Redis share a quota, and count alone when it goes down', async () => {
    const settings = { ...LIMITS, redisUrl: `redis://127.0.0.1:${port}` };
    const apps = [await startAnother(settings), await startAnother(settings)];
    const alice = await insertSession(await insertUser());
    // They count alone until they are connected, and then take shares of two.
    await until(async () => {
      const userId = await insertUser();
      await servedBy(apps, 2, await insertSession(userId));
      return (await countedInRedis(port, `user:${APPLICATION.id}:${userId}`)) === 4;
    });
    expect(await servedBy(apps, 130, alice)).toBe(120);

    await stop();
    expect(await servedBy(apps, 2, await insertSession(await insertUser()))).toBe(2);
    await Promise.all(apps.map((app) => app.stop()));
  });
});

async function countedInRedis(port: number, key: string): Promise<number> {
  const redis = new Redis(port, '127.0.0.1');
  const count = await redis.get(`${await storeName()}:rate:default:${key}`);
  redis.disconnect();
  return Number(count);
}
