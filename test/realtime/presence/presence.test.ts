import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { App } from '../../../src/server/lifecycle.ts';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { TestClock } from '../../support/app/clock.ts';
import { createTenant, startAnother } from '../../support/app/other-apps.ts';
import { freePort, REDIS, startRedis } from '../../support/app/redis.ts';
import { createDataDir, startService } from '../../support/app/service.ts';
import { LOCKED_HERE, ownConnection, rowCounts, sql } from '../../support/app/sql.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { rest } from '../../support/clients/rest.ts';
import { streamEvents } from '../../support/clients/sse.ts';
import {
  closeSockets,
  connect,
  type LiveSubscription,
  listen,
  openSocket,
  type RawSocket,
  until,
} from '../../support/clients/websocket.ts';
import { insertSession } from '../../support/fixtures/callers.ts';
import { errorOf, execute } from '../../support/fixtures/chat.ts';
import { apiKey, type Caller, createUser, createUsers, openSession } from '../../support/fixtures/users.ts';

useApp();

const PRESENCE = 'subscription ($userIds: [Int!]!) { presence(userIds: $userIds) { userId online } }';
const PRESENT = 'query ($userIds: [Int!]!) { presence(userIds: $userIds) { userId online } }';

const idsOf = (users: { id: number }[]) => users.map(({ id }) => id);
const watch = (users: { id: number }[], as: Caller, app?: App) => listen(PRESENCE, { userIds: idsOf(users) }, as, app);
const isOnline = async (user: { id: number }): Promise<boolean> =>
  (await execute(PRESENT, { userIds: [user.id] }, apiKey)).presence[0].online;
const knows = (app: App, { id: userId }: { id: number }) =>
  app.services.presence.isOnline({ applicationId: APPLICATION.id, userId });
const notified = (received: LiveSubscription) =>
  received.payloads().map(({ presence }) => [presence.userId, presence.online]);

afterEach(() => closeSockets());

describe('presence', () => {
  test('presence lists the requested users once, in order, with unknown users as offline', async () => {
    const [alice, bob] = await createUsers(2);
    const socket = await connect(bob);
    const { presence } = await execute(PRESENT, { userIds: [alice.id, bob.id, 0, bob.id] }, alice);
    expect(presence).toEqual([
      { userId: alice.id, online: false },
      { userId: bob.id, online: true },
      { userId: 0, online: false },
    ]);
    await socket.close();
    await until(async () => !(await isOnline(bob)));
  });

  test('a user is offline when the session of their socket ends', async () => {
    const alice = await createUser();
    const socket = await connect(alice);
    expect(await isOnline(alice)).toBe(true);
    await rest('DELETE', '/login', { as: alice });
    expect((await socket.closed).code).toBe(4403);
    await until(async () => !(await isOnline(alice)));
  });

  test('presence accepts at most 100 users, and only callers with a user or an API key', async () => {
    const [alice] = await createUsers(1);
    const userIds = Array.from({ length: 101 }, (_, index) => index);
    expect((await execute(PRESENT, { userIds: userIds.slice(1) }, alice)).presence).toHaveLength(100);
    expect(await errorOf(PRESENT, { userIds }, alice)).toMatchObject({ code: 'BAD_USER_INPUT' });
    await expect(listen(PRESENCE, { userIds }, alice)).rejects.toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    expect(await errorOf(PRESENT, { userIds: [] }, await openSession())).toMatchObject({ code: 'FORBIDDEN' });
    const nobody = { headers: {} };
    expect(await errorOf(PRESENT, { userIds: [] }, nobody)).toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('a presence subscription starts with the current state and follows changes of users with several sockets', async () => {
    const [alice, bob, carol] = await createUsers(3);
    const first = await connect(bob);
    const received = await watch([bob, carol], alice);
    expect(await received.atLeast(2)).toEqual([
      { presence: { userId: bob.id, online: true } },
      { presence: { userId: carol.id, online: false } },
    ]);
    const second = await connect(bob);
    await first.close();
    const other = await connect(carol);
    await received.atLeast(3);
    await second.close();
    await received.atLeast(4);
    await other.close();
    await received.atLeast(5);
    expect(notified(received).slice(2)).toEqual([
      [carol.id, true],
      [bob.id, false],
      [carol.id, false],
    ]);
  });

  test('requests and event streams over HTTP do not make a user online', async () => {
    const [alice, bob] = await createUsers(2);
    const stream = await streamEvents(PRESENCE, { userIds: [alice.id, bob.id] }, alice);
    await until(() => stream.results.length === 2);
    await graphql('{ __typename }', {}, alice);
    await rest('GET', '/users', { as: alice });
    const socket = await connect(bob);
    await until(() => stream.results.length === 3);
    expect(stream.results.map(({ data }) => data.presence)).toEqual([
      { userId: alice.id, online: false },
      { userId: bob.id, online: false },
      { userId: bob.id, online: true },
    ]);
    stream.abort();
    await stream.ended;
    await socket.close();
  });

  test('presence is confined to its application', async () => {
    const tenant = await createTenant(1);
    const [alice] = await createUsers(1);
    const { id } = tenant.users[0]!;
    const stranger = { id, ...(await insertSession(id, tenant.applicationId)) };
    const users = [alice, stranger];
    const ofKey = await watch(users, tenant.key);
    const ofStranger = await watch(users, stranger);
    await ofKey.atLeast(3); // the third is the stranger's own socket
    const socket = await connect(alice);
    await ofStranger.close();
    await ofKey.atLeast(4);
    expect(notified(ofKey)).toEqual([
      [alice.id, false],
      [stranger.id, false],
      [stranger.id, true],
      [stranger.id, false],
    ]);
    expect(await isOnline(alice)).toBe(true);
    expect(await isOnline(stranger)).toBe(false);
    await socket.close();
  });

  test('presence is not stored', async () => {
    const [alice, bob] = await createUsers(2);
    const received = await watch([bob], alice);
    await received.atLeast(1);
    const before = await rowCounts();
    const socket = await connect(bob);
    await received.atLeast(2);
    await socket.close();
    await received.atLeast(3);
    expect(await rowCounts()).toEqual(before);
  });

  test('sockets that close during authentication do not change presence', async () => {
    const [alice, bob] = await createUsers(2);
    const holder = await ownConnection();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE');
    for (let nth = 0; nth < 5; nth++) {
      const socket = await openSocket();
      socket.send({ type: 'connection_init', payload: alice.headers });
      await until(async () => {
        const waiting = await sql(
          `SELECT 1 FROM pg_locks WHERE ${LOCKED_HERE} AND NOT granted AND relation = 'sessions'::regclass`,
        );
        return waiting.length > 0;
      });
      socket.socket.terminate();
      await socket.closed;
    }
    await holder.query('COMMIT');
    await holder.end();
    const received = await watch([alice], bob);
    const proper = await connect(alice);
    await proper.close();
    await until(() => notified(received).at(-1)?.[1] === false);
    expect(await isOnline(alice)).toBe(false);
  });
});

describe('several processes', () => {
  test('processes share the presence of a user across all their sockets', async () => {
    const another = await startAnother();
    const [alice, bob] = await createUsers(2);
    const received = await watch([bob], alice);
    const far = await watch([bob], alice, another);
    const onOther = await connect(bob, another);
    await Promise.all([received.atLeast(2), far.atLeast(2)]);
    const here = await connect(bob);
    // Once the other process knows a later user, it also knows this socket.
    const [sign] = await createUsers(1);
    const signed = await connect(sign);
    await until(() => knows(another, sign));
    await onOther.close();
    await signed.close();
    await until(() => !knows(another, sign));
    await here.close();
    await Promise.all([received.atLeast(3), far.atLeast(3)]);
    for (const one of [received, far]) expect(notified(one).map(([, online]) => online)).toEqual([false, true, false]);
    await far.close();
    await another.stop();
  });

  test('a process that starts late learns who is online', async () => {
    const [alice, bob] = await createUsers(2);
    const socket = await connect(bob);
    const late = await startAnother();
    const received = await watch([bob], alice, late);
    await until(() => notified(received).at(-1)?.[1] === true);
    await socket.close();
    await until(() => notified(received).at(-1)?.[1] === false);
    await received.close();
    await late.stop();
  });

  test('other processes learn immediately that a process stops', async () => {
    const [alice, bob] = await createUsers(2);
    const another = await startAnother();
    const socket = await connect(bob, another);
    const received = await watch([bob], alice);
    await until(() => notified(received).at(-1)?.[1] === true);
    await another.stop();
    expect((await socket.closed).code).toBe(1001);
    await until(() => notified(received).at(-1)?.[1] === false);
  });

  test('a killed process is forgotten after its silence, and a living one is not', async () => {
    const clock = new TestClock();
    const observer = await startAnother({ liveClock: clock });
    const { dataDir, remove } = await createDataDir();
    const doomed = await startService(dataDir, { DATABASE_URL: running.database.config.connectionString! });
    const [alice, bob, carol] = await createUsers(3);
    const received = await watch([bob, carol], alice, observer);
    const here = await connect(carol);
    // The clock of the other process is not that of the test.
    await sql('UPDATE sessions SET updated_at = now() WHERE user_id = $1', [bob.id]);
    const there = await connect(bob, { ...running.app, url: doomed.url });
    await until(() => knows(observer, bob) && knows(observer, carol));

    await doomed.kill();
    await there.closed;
    const signs: RawSocket[] = [];
    /** Proves that earlier messages have arrived, and that the process is alive. */
    const hearSign = async () => {
      const [user] = await createUsers(1);
      signs.push(await connect(user));
      await until(() => knows(observer, user));
    };
    await hearSign();
    clock.advance(15_000);
    await hearSign();
    expect(knows(observer, bob)).toBe(true);
    clock.advance(15_000);
    expect(knows(observer, bob)).toBe(false);
    expect(knows(observer, carol)).toBe(true);
    const bobs = () => notified(received).filter(([userId]) => userId === bob.id);
    await until(() => bobs().length === 3);
    expect(bobs().map(([, online]) => online)).toEqual([false, true, false]);
    expect(notified(received).filter(([userId]) => userId === carol.id)).toEqual([
      [carol.id, false],
      [carol.id, true],
    ]);
    for (const one of [received, here, ...signs]) await one.close();
    await observer.stop();
    await remove();
  });

  test('processes exchange thousands of users, even with the largest ids', async () => {
    const another = await startAnother();
    const applicationId = 2_147_483_647;
    const many = Array.from({ length: 3_000 }, (_, index) => ({ applicationId, userId: 2_147_483_647 - index }));
    const { presence } = another.services;
    const leave = many.map((user) => presence.connect(user));
    const here = running.app.services.presence;
    await until(() => many.every((user) => here.isOnline(user)));
    const late = await startAnother();
    await until(() => many.every((user) => late.services.presence.isOnline(user)));
    for (const one of leave) one();
    await until(() => !many.some((user) => here.isOnline(user) || late.services.presence.isOnline(user)));
    await another.stop();
    await late.stop();
  });

  test('a stopping process completes the event streams of presence gracefully', async () => {
    const another = await startAnother();
    const [alice] = await createUsers(1);
    const response = await fetch(`${another.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...alice.headers },
      body: JSON.stringify({ query: PRESENCE, variables: { userIds: [alice.id] } }),
    });
    const [text] = await Promise.all([response.text(), another.stop()]);
    expect(text).toContain('event: complete');
  });
});

describe.skipIf(!REDIS)('several processes on one Redis', () => {
  let redisUrl: string;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const port = await freePort();
    redisUrl = `redis://127.0.0.1:${port}`;
    stop = await startRedis(port);
  });
  afterAll(() => stop());

  test('processes on one Redis share presence, including those that start late', async () => {
    const apps = [await startAnother({ redisUrl }), await startAnother({ redisUrl })] as const;
    const [alice, bob] = await createUsers(2);
    const socket = await connect(bob, apps[0]);
    await until(() => knows(apps[1], bob));
    const late = await startAnother({ redisUrl });
    const received = await watch([bob], alice, late);
    await until(() => notified(received).at(-1)?.[1] === true);
    await socket.close();
    await until(() => notified(received).at(-1)?.[1] === false);
    await until(() => !knows(apps[1], bob));
    await received.close();
    for (const app of [...apps, late]) await app.stop();
  });
});
