import { once } from 'node:events';
import { type IncomingMessage, request as openRequest } from 'node:http';
import { hostname } from 'node:os';
import { beforeAll, describe, expect, test } from 'vitest';
import { trimRequestLog } from '../../../src/administration/request-log/trim.ts';
import { db } from '../../../src/db/client.ts';
import { HOUR } from '../../../src/lib/time.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { until } from '../../support/app/until.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { connect, openSocket } from '../../support/clients/websocket.ts';
import {
  signedInAdministrator,
  type TestAdministrator,
  withoutApplication,
} from '../../support/fixtures/administrators.ts';
import { loggedRequest, loggedRequests, request, storePending } from '../../support/fixtures/request-log.ts';
import {
  apiKey,
  type Caller,
  createUser,
  onBehalfOf,
  signedParameters,
  type TestUser,
} from '../../support/fixtures/users.ts';

useApp({ requestLogSlowMs: 150 });

let owner: TestAdministrator;
let service: Caller;
let alice: TestUser;

const owners = async () => {
  const administrator = await signedInAdministrator({ applicationId: null, role: 'owner' });
  return [administrator, withoutApplication(administrator)] as const;
};

beforeAll(async () => {
  [owner, service] = await owners();
  alice = await createUser();
});

const UNKNOWN_MESSAGE = '0123456789abcdef01234567';

describe('failed requests', () => {
  test('a failed REST request is logged with its caller, client and error', async () => {
    const headers = { 'User-Agent': 'Shop/7.1 (iPhone)' };
    const id = await request(`/chat/Message/${UNKNOWN_MESSAGE}.json?secret=x`, { as: alice, headers });
    const row = await loggedRequest(id, owner);
    const session = await db.session.findFirstOrThrow({ where: { userId: alice.id } });
    expect(row).toEqual({
      id: expect.stringMatching(/^\d+$/),
      at: running.now().toISOString(),
      requestId: id,
      host: hostname(),
      pid: process.pid,
      transport: 'REST',
      method: 'GET',
      route: '/chat/Message/:id',
      path: null,
      operation: null,
      fields: ['message'],
      status: 404,
      httpStatus: 404,
      durationMs: expect.any(Number),
      isSlow: expect.any(Boolean),
      isCutOff: false,
      errors: [{ message: "The resource wasn't found", code: 'NOT_FOUND', path: null }],
      caller: 'USER',
      userId: alice.id,
      apiKeyId: null,
      administratorId: null,
      sessionId: session.id,
      network: '127.0.0.1',
      userAgent: 'Shop/7.1 (iPhone)',
      responseBytes: expect.any(Number),
      className: null,
      missingIndex: [],
    });
    expect(row.responseBytes).toBeGreaterThan(10);
  });

  test('a failed GraphQL request is logged, also if the status of the response is 200', async () => {
    const query = `query Find { message(id: "${UNKNOWN_MESSAGE}") { id } me { id } }`;
    const id = await request('/graphql', { as: onBehalfOf(alice), json: { query } });
    expect(await loggedRequest(id, owner)).toMatchObject({
      transport: 'GRAPHQL',
      method: 'POST',
      route: '/graphql',
      operation: 'Find',
      fields: ['message', 'me'],
      status: 404,
      httpStatus: 200,
      errors: [{ message: "The resource wasn't found", code: 'NOT_FOUND', path: 'message' }],
      caller: 'API_KEY',
      userId: alice.id,
      apiKeyId: expect.any(Number),
    });
  });

  test.each<[name: string, json: object, errors: object[]]>([
    ['invalid', { query: '{ nothing }' }, [{ message: 'Cannot query field "…" on type "Query".' }]],
    ['malformed', { query: '{ me {' }, [{ message: expect.stringContaining('Syntax Error') }]],
    [
      'sent with wrong variables',
      { query: 'query ($id: Int!) { user(id: $id) { id } }', variables: { id: 'hunter2-secret' } },
      [{ message: expect.stringMatching(/^Variable "\$id" got invalid value …$/) }],
    ],
    ['missing', { nothing: 1 }, [{ message: expect.any(String) }]],
  ])('of a document that is %s over GraphQL', async (_name, json, errors) => {
    const row = await loggedRequest(await request('/graphql', { as: apiKey, json }), owner);
    expect(row).toMatchObject({ transport: 'GRAPHQL', status: 400, errors });
    expect(JSON.stringify(row)).not.toContain('hunter2');
  });

  test('a failed operation of a socket is logged with the id of the socket', async () => {
    const socket = await connect(alice);
    const rows = () => loggedRequests({ filter: { transport: 'WEBSOCKET', userId: alice.id } }, owner);
    // One after the other, because the clock of the test does not order them.
    const logged = (count: number) => until(async () => (await rows()).length === count);
    await socket.run(`query Missing { message(id: "${UNKNOWN_MESSAGE}") { id } }`);
    await logged(1);
    await socket.run('{ nothing }');
    await logged(2);
    const [refused, missing] = await rows();
    expect(missing).toMatchObject({ operation: 'Missing', fields: ['message'], status: 404, httpStatus: null });
    expect(missing).toMatchObject({ route: '/graphql', method: null, network: '127.0.0.1' });
    expect(refused).toMatchObject({ status: 400, requestId: missing.requestId });
    expect(missing.responseBytes).toBeGreaterThan(10);
    await socket.close();
  });

  test('a socket whose credentials are refused is logged', async () => {
    const socket = await openSocket();
    socket.send({ type: 'connection_init', payload: { 'SVC-Token': 'wrong' } });
    await socket.closed;
    const rows = () => loggedRequests({ filter: { transport: 'WEBSOCKET', caller: 'REFUSED' } }, service);
    await until(async () => (await rows()).length === 1);
    expect((await rows())[0]).toMatchObject({ status: 401, errors: [{ code: 'UNAUTHENTICATED' }], operation: null });
  });

  test('a request of an unknown path is logged with the shape of the path, and without values', async () => {
    const id = await request(`/user/17/${'s3cr3t'.repeat(4)}/ada@example.org/Ada/complete?token=abc`, { as: alice });
    expect(await loggedRequest(id, service)).toMatchObject({
      transport: 'REST',
      route: 'unknown',
      path: '/user/:number/…/…/…/complete',
      status: 404,
    });
  });

  test('a failed request of a page is logged', async () => {
    const id = await request('/guides/none', { headers: { Accept: 'text/html' } });
    expect(await loggedRequest(id, service)).toMatchObject({ transport: 'PAGE', route: '/guides', status: 404 });
  });
});

describe('the application of a request', () => {
  test('a request with a refused token is logged for the application of the token', async () => {
    const id = await request('/session.json', { headers: { 'SVC-Token': alice.token.slice(0, 8).padEnd(40, '0') } });
    expect(await loggedRequest(id, owner)).toMatchObject({ status: 401, caller: 'REFUSED', userId: null });
  });

  test('a request whose token claims an unknown application is logged without an application', async () => {
    const id = await request('/session.json', { headers: { 'SVC-Token': 'ffff'.padStart(8, '0').padEnd(40, '0') } });
    expect(await loggedRequest(id, service)).toMatchObject({ status: 401 });
    expect(await db.requestLogEnd.count({ where: { applicationId: 0xffff } })).toBe(0);
  });

  test('a refused session is logged for the application of the signed keys', async () => {
    const json = { ...signedParameters(), signature: '0'.repeat(40) };
    const id = await request('/session.json', { json });
    expect(await loggedRequest(id, owner)).toMatchObject({
      status: 422,
      caller: 'ANONYMOUS',
      errors: [{ message: 'Unexpected signature' }],
    });
  });

  test('a request without credentials is logged without an application', async () => {
    const id = await request('/users.json');
    expect(await loggedRequest(id, service)).toMatchObject({ status: 401, caller: 'ANONYMOUS' });
    expect(await loggedRequests({ filter: { requestId: id } }, owner)).toEqual([]);
  });
});

describe('successful requests', () => {
  test('successful requests and probes are not logged', async () => {
    const fast = await request('/session.json', { as: alice });
    const probe = await request('/healthz');
    const failed = await request(`/users/${2 ** 31 - 1}.json`, { as: alice });
    await loggedRequest(failed, owner);
    for (const as of [owner, service]) {
      for (const requestId of [fast, probe]) expect(await loggedRequests({ filter: { requestId } }, as)).toEqual([]);
    }
  });

  test('slow requests are logged', async () => {
    const id = 'slow-1';
    const headers = { ...alice.headers, 'X-Request-Id': id, 'Content-Type': 'application/json' };
    // The rest of the body follows late.
    const sent = openRequest(`${running.url}/graphql`, { method: 'POST', headers });
    sent.write('{"query":');
    setTimeout(() => sent.end('"{ me { id } }"}'), 200);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
    const row = await loggedRequest(id, owner);
    expect(row).toMatchObject({ status: 200, isSlow: true, errors: [], fields: ['me'] });
    expect(row.durationMs).toBeGreaterThan(150);
    const ids = (await loggedRequests({ filter: { slowOnly: true } }, owner)).map(({ requestId }) => requestId);
    expect(ids).toContain(id);
  });

  test('open streams are not logged as slow', async () => {
    const query = encodeURIComponent('subscription { messageSent { cursor } }');
    const aborted = new AbortController();
    const headers = { ...alice.headers, Accept: 'text/event-stream', 'X-Request-Id': 'stream-1' };
    const response = await fetch(`${running.url}/graphql?query=${query}`, { headers, signal: aborted.signal });
    expect(response.status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 200));
    aborted.abort();
    await loggedRequest(await request(`/users/${2 ** 31 - 1}.json`, { as: alice }), owner);
    expect(await loggedRequests({ filter: { requestId: 'stream-1' } }, owner)).toEqual([]);
  });
});

test('rows are removed after the retention, with the counts of their hours', async () => {
  const id = await request(`/users/${2 ** 31 - 1}.json`, { as: alice });
  await loggedRequest(id, owner);
  await trimRequestLog(new Date(clock.now()));
  expect(await db.loggedRequest.count({ where: { requestId: id } })).toBe(1);
  const before = new Date(clock.now() + 1);
  clock.advance(HOUR);
  // Also rows of slow requests of this test, which may be stored late.
  await until(async () => {
    await storePending();
    await trimRequestLog(before);
    return (await db.requestLogHour.count({ where: { hour: { lt: before } } })) === 0;
  });
  expect(await db.loggedRequest.count({ where: { at: { lt: before } } })).toBe(0);
  // Later rows continue behind, so that cursors remain valid.
  const { lastId } = await db.requestLogEnd.findUniqueOrThrow({ where: { applicationId: APPLICATION.id } });
  [owner, service] = await owners();
  const again = await loggedRequest(await request(`/users/${2 ** 31 - 1}.json`, { as: alice }), owner);
  expect(BigInt(again.id)).toBeGreaterThan(lastId);
});

test('an upgrade to another path is a request without an application', async () => {
  await rawRequest('GET', '/elsewhere', {
    headers: { Connection: 'Upgrade', Upgrade: 'websocket', 'X-Request-Id': 'upgrade-1' },
  }).catch(() => {});
  expect(await loggedRequest('upgrade-1', service)).toMatchObject({ status: 404, path: '/…' });
});
