import { beforeAll, describe, expect, test } from 'vitest';
import { storeRequests } from '../../../src/administration/request-log/store.ts';
import { db } from '../../../src/db/client.ts';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import { type EndedRequest, RequestLog } from '../../../src/platform/observability/request-log.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { createTenant, startAnother } from '../../support/app/other-apps.ts';
import { until } from '../../support/app/until.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { closeSockets } from '../../support/clients/websocket.ts';
import {
  errorIn,
  inConsole,
  signedInAdministrator,
  type TestAdministrator,
  withoutApplication,
} from '../../support/fixtures/administrators.ts';
import { execute } from '../../support/fixtures/chat.ts';
import {
  followRequests,
  loggedRequest,
  loggedRequests,
  REQUEST_LOG,
  request,
  slowRequest,
  storePending,
} from '../../support/fixtures/request-log.ts';
import { apiKey, type Caller, createUser, type TestUser } from '../../support/fixtures/users.ts';

useApp();

const NO_USER = `/users/${2 ** 31 - 1}.json`;

let owner: TestAdministrator;
let alice: TestUser;

beforeAll(async () => {
  owner = await signedInAdministrator('owner');
  alice = await createUser();
});

describe('requestLog', () => {
  let ids: Record<'missing' | 'invalid' | 'other', string>;
  const found = async (filter: object, as: Caller = owner) =>
    (await loggedRequests({ filter }, as)).map(({ requestId }) => requestId);

  beforeAll(async () => {
    // One after the other, because the clock of the test does not order them.
    const logged = async (...sent: Parameters<typeof request>) => {
      const id = await request(...sent);
      await loggedRequest(id, owner);
      return id;
    };
    ids = {
      missing: await logged(NO_USER, { as: alice }),
      invalid: await logged('/graphql', { as: apiKey, json: { query: 'query Nope { nothing }' } }),
      other: await logged('/users.json', { as: apiKey, json: { user: {} } }),
    };
  });

  test('lists requests newest first', async () => {
    expect((await found({})).slice(0, 3)).toEqual([ids.other, ids.invalid, ids.missing]);
  });

  test.each<[name: string, filter: () => object, expected: (keyof typeof ids)[]]>([
    ['the lowest and highest status', () => ({ minStatus: 404, maxStatus: 404 }), ['missing']],
    ['the class of the status', () => ({ minStatus: 400, maxStatus: 499 }), ['other', 'invalid', 'missing']],
    ['the transport', () => ({ transport: 'GRAPHQL' }), ['invalid']],
    ['a part of the route', () => ({ contains: 'users/:ID' }), ['missing']],
    ['a root field', () => ({ contains: 'createuser' }), ['other']],
    ['characters with a meaning in patterns', () => ({ contains: '%' }), []],
    ['the kind of the caller', () => ({ caller: 'USER' }), ['missing']],
    ['the user', () => ({ userId: alice.id }), ['missing']],
    ['slowness', () => ({ slowOnly: true, minStatus: 404, maxStatus: 404 }), []],
    ['the time', () => ({ from: new Date(clock.now() + 1).toISOString() }), []],
    ['the time before', () => ({ to: new Date(clock.now()).toISOString() }), []],
  ])('selects by %s', async (_name, filter, expected) => {
    const known = new Set(Object.values(ids));
    const own = (await found(filter())).filter((id: string) => known.has(id));
    expect(own).toEqual(expected.map((name) => ids[name]));
  });

  test('is paged without gaps or repetitions', async () => {
    const all = await found({});
    const paged: string[] = [];
    for (let after: string | null = null; ; ) {
      // biome-ignore lint/suspicious/noExplicitAny: rows of the answer
      const { edges, pageInfo }: any = (await execute(REQUEST_LOG, { first: 2, after }, owner)).requestLog;
      paged.push(...edges.map(({ node }: { node: { requestId: string } }) => node.requestId));
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    expect(paged).toEqual(all);
  });

  test('is sorted by duration, and paged without gaps or repetitions', async () => {
    const durations = [7, 900, 7, 45_000, 7, 0.5];
    await db.loggedRequest.createMany({
      data: durations.map((durationMs, nth) => slowRequest(1_000_000 + nth, { durationMs, route: '/sorted' })),
    });
    const paged: number[] = [];
    const ids = new Set<string>();
    for (let after: string | null = null; ; ) {
      const variables = { filter: { contains: '/sorted' }, orderBy: 'SLOWEST', first: 2, after };
      // biome-ignore lint/suspicious/noExplicitAny: rows of the answer
      const { edges, pageInfo }: any = (await execute(REQUEST_LOG, variables, owner)).requestLog;
      for (const { node } of edges) {
        paged.push(node.durationMs);
        ids.add(node.id);
      }
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    expect(paged).toEqual([45_000, 900, 7, 7, 7, 0.5]);
    expect(ids.size).toBe(6);
    const ofTime = await execute(REQUEST_LOG, { first: 1 }, owner);
    const other = { orderBy: 'SLOWEST', first: 1, after: ofTime.requestLog.pageInfo.endCursor };
    expect(errorIn(await graphql(REQUEST_LOG, other, owner))).toEqual({
      message: 'Invalid cursor',
      code: 'BAD_USER_INPUT',
    });
    await db.loggedRequest.deleteMany({ where: { route: '/sorted' } });
  });

  test.each([
    [{ after: Buffer.from('["x","1"]').toString('base64url') }, 'Invalid cursor'],
    [{ after: Buffer.from('[1,"1"]').toString('base64url') }, 'Invalid cursor'],
    [{ first: 101 }, 'first should be between 1 and 100'],
    [{ filter: { contains: 'x'.repeat(257) } }, 'contains should have at most 256 characters'],
  ])('refuses %o', async (variables, message) => {
    expect(errorIn(await graphql(REQUEST_LOG, variables, owner))).toEqual({ message, code: 'BAD_USER_INPUT' });
  });
});

describe('who may read the request log', () => {
  const LIST = '{ requestLog(first: 1) { edges { node { id } } } }';
  const OF_ALL = { applicationId: null, role: 'owner' } as const;

  test('owners and developers of an application read its requests', async () => {
    for (const role of ['owner', 'developer'] as const) {
      expect((await graphql(LIST, {}, await signedInAdministrator(role))).errors).toBeUndefined();
    }
    for (const role of ['support', 'viewer'] as const) {
      const as = await signedInAdministrator(role);
      expect(errorIn(await graphql(LIST, {}, as))).toMatchObject({ code: 'FORBIDDEN' });
      await expect(followRequests(as, {})).rejects.toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    }
    for (const as of [apiKey, alice]) expect((await graphql(LIST, {}, as)).data).toBeFalsy();
  });

  test('owners of all applications read requests without an application', async () => {
    const all = await signedInAdministrator(OF_ALL);
    expect((await graphql(LIST, {}, withoutApplication(all))).errors).toBeUndefined();
    for (const as of [owner, await signedInAdministrator({ applicationId: null, role: 'developer' })]) {
      expect(errorIn(await graphql(LIST, {}, withoutApplication(as)))).toMatchObject({ code: 'FORBIDDEN' });
    }
  });

  test('rows of the own application are visible', async () => {
    const other = await createTenant(1);
    const id = await request(NO_USER, { as: other.users[0]! });
    const theirs = await signedInAdministrator({ applicationId: other.applicationId, role: 'developer' });
    await loggedRequest(id, inConsole(theirs.cookie, other.applicationId));
    expect(await loggedRequests({ filter: { requestId: id } }, owner)).toEqual([]);
    const foreign = inConsole(owner.cookie, other.applicationId);
    expect(errorIn(await graphql(LIST, {}, foreign))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('requestLogged', () => {
  test('delivers requests of every process that match the filter, and resumes after a cursor', async () => {
    const filter = { minStatus: 404, maxStatus: 404 };
    const first = await followRequests(owner, { filter });
    const another = await startAnother();
    try {
      const here = await request(NO_USER, { as: alice });
      await request('/users.json', { as: apiKey, json: { user: {} } });
      await until(() => first.received().length === 1);
      const there = 'from-another';
      const headers = { ...alice.headers, 'X-Request-Id': there };
      await fetch(`${another.url}${NO_USER}`, { headers });
      await until(() => first.received().length === 2);
      const received = first.received();
      expect(received.map(({ request: { requestId } }) => requestId)).toEqual([here, there]);
      await first.close();
      const missed = await request(NO_USER, { as: alice });
      await loggedRequest(missed, owner);
      const resumed = await followRequests(owner, { filter, since: received[0].cursor }, another);
      await until(() => resumed.received().length === 2);
      expect(resumed.received().map(({ request: { requestId } }) => requestId)).toEqual([there, missed]);
      await closeSockets(another);
    } finally {
      await another.stop();
    }
  });

  test('follows a list without a gap, also an empty one', async () => {
    const filter = { contains: '/users/:id', requestId: 'between' };
    const { requestLog } = await execute(REQUEST_LOG, { filter }, owner);
    expect(requestLog.edges).toEqual([]);
    await fetch(`${running.url}${NO_USER}`, { headers: { ...alice.headers, 'X-Request-Id': 'between' } });
    await loggedRequest('between', owner);
    const listening = await followRequests(owner, { filter, since: requestLog.cursor });
    await until(() => listening.received().length === 1);
    const [{ cursor }] = listening.received();
    await listening.close();
    const later = await execute(REQUEST_LOG, { filter }, owner);
    expect(BigInt(later.requestLog.cursor)).toBeGreaterThanOrEqual(BigInt(cursor));
    expect(later.requestLog.edges).toHaveLength(1);
  });

  test('ends when the administrator loses the role', async () => {
    const developer = await signedInAdministrator('developer');
    const listening = await followRequests(developer, {});
    await db.administratorRole.deleteMany({ where: { administratorId: developer.id } });
    await request(NO_USER, { as: alice });
    const { payload } = await listening.socket.find(({ type }) => type === 'error');
    expect(payload).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    expect(listening.received()).toEqual([]);
    await closeSockets();
  });

  test('refuses a text that is not a cursor', async () => {
    await expect(followRequests(owner, { since: 'x' })).rejects.toMatchObject([{ message: 'Invalid cursor' }]);
  });
});

describe('floods of requests', () => {
  const ended = (change: Partial<EndedRequest['facts']>, httpStatus = 401): EndedRequest => ({
    facts: { id: 'flood', route: '/users', applicationId: APPLICATION.id, ...change },
    ms: 1,
    transport: 'rest',
    method: 'GET',
    url: null,
    httpStatus,
    isCutOff: false,
    network: '10.0.0.1',
    userAgent: null,
    responseBytes: 0,
  });

  test('requests of one kind are sampled and counted, and do not displace others', async () => {
    clock.advance(HOUR);
    const log = new RequestLog(1000, running.now);
    for (let count = 0; count < 100_000; count++) log.add(ended({}));
    log.add(ended({ id: 'rare' }, 500));
    const batch = log.take();
    expect(batch.requests).toHaveLength(101);
    await storeRequests(batch);
    const from = running.now().toISOString();
    owner = await signedInAdministrator('owner');
    const { requestLog } = await execute(REQUEST_LOG, { filter: { from } }, owner);
    expect(requestLog.skippedCount).toBe(99_900);
    expect(requestLog.edges[0].node.requestId).toBe('rare');
  });

  test('requests of many kinds store at most 1500 rows per hour, and leave room for 500 severe ones', async () => {
    clock.advance(HOUR);
    const at = running.now();
    for (let round = 0; round < 5; round++) {
      const log = new RequestLog(1000, running.now);
      for (let route = 0; route < 1000; route++) log.add(ended({ route: `/r${route}` }));
      await storeRequests(log.take());
    }
    const log = new RequestLog(1000, running.now);
    for (let route = 0; route < 10; route++) log.add(ended({ route: `/r${route}` }, 503));
    await storeRequests(log.take());
    const where = { applicationId: APPLICATION.id, at };
    expect(await db.loggedRequest.count({ where })).toBe(1510);
    owner = await signedInAdministrator('owner');
    const { requestLog } = await execute(REQUEST_LOG, { filter: { from: at.toISOString() } }, owner);
    expect(requestLog.skippedCount).toBe(5000 - 1500);
  });

  test('while the database does not respond, a bounded part of the requests is kept in memory, and the rest is counted', () => {
    const log = new RequestLog(1000, running.now);
    for (let round = 0; round < 10; round++) {
      for (let route = 0; route < 300; route++) log.add(ended({ route: `/r${round}-${route}` }));
      log.putBack(log.take());
    }
    const { requests, skipped } = log.take();
    expect(requests).toHaveLength(500);
    expect(skipped.map(({ count }) => count)).toEqual([2500]);
  });

  test('refused requests that claim many applications share one budget', async () => {
    const log = new RequestLog(1000, running.now);
    const claim = (claimedApplicationId: number) => ({
      kind: 'refused' as const,
      reason: new Error() as never,
      claimedApplicationId,
    });
    for (let id = 1; id <= 5000; id++) log.add(ended({ applicationId: undefined, viewer: claim(1_000_000 + id) }));
    const { requests, skipped } = log.take();
    expect(requests).toHaveLength(100);
    expect(skipped.length).toBeLessThanOrEqual(1_001);
    await storeRequests({ requests, skipped });
    expect(await db.requestLogEnd.count({ where: { applicationId: { gt: 1_000_000 } } })).toBe(0);
    expect(await db.requestLogHour.count({ where: { applicationId: { gt: 1_000_000 } } })).toBe(0);
  });

  test('concurrent processes store requests without gaps in their order', async () => {
    clock.advance(MINUTE);
    await storePending();
    const logs = Array.from({ length: 8 }, () => new RequestLog(1000, running.now));
    for (const [nth, log] of logs.entries()) {
      for (let route = 0; route < 5; route++) log.add(ended({ id: `p${nth}`, route: `/c${route}` }, 500));
    }
    await Promise.all(logs.map((log) => storeRequests(log.take())));
    const rows = await db.loggedRequest.findMany({
      where: { applicationId: APPLICATION.id, requestId: { startsWith: 'p' } },
      orderBy: { id: 'asc' },
    });
    expect(rows).toHaveLength(40);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(40);
    expect(rows.at(-1)!.id - rows[0]!.id).toBe(39n);
  });
});
