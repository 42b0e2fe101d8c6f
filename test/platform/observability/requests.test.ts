import { connect as connectTcp } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { createLog, readable } from '../../../src/platform/observability/log.ts';
import { running, useApp } from '../../support/app/app.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { connect, openSocket, until } from '../../support/clients/websocket.ts';
import { type ChatCast, createChatCast } from '../../support/fixtures/chat-cast.ts';

type Line = Record<string, unknown>;

const lines: Line[] = [];

useApp({ log: createLog('trace', { write: (line) => void lines.push(JSON.parse(line)) }), limits: {} });

let cast: ChatCast;

beforeAll(async () => {
  cast = await createChatCast();
});

async function find(fits: (line: Line) => boolean): Promise<Line> {
  await until(() => lines.some(fits));
  return lines.find(fits)!;
}

const of = (id: unknown) => (line: Line) => line.requestId === id && line.msg === 'request';

const INFO = 30;
const DEBUG = 20;

describe('request logs', () => {
  test.each<[name: string, as: string, method: string, path: string, line: Line]>([
    [
      'a REST request is logged with its path pattern',
      'alice',
      'GET',
      '/chat/Message/{hello}.json?mark_as_read=0',
      {
        level: INFO,
        route: '/chat/Message/:id',
        status: 200,
        fields: ['message'],
        applicationId: 92,
        userId: '{alice}',
      },
    ],
    [
      'an API key',
      'key',
      'GET',
      '/users.json',
      { level: INFO, route: '/users', status: 200, fields: ['users'], applicationId: 92, apiKeyId: expect.any(Number) },
    ],
    [
      'a refused caller without identity',
      'anonymous',
      'GET',
      '/users.json',
      { level: INFO, route: '/users', status: 401, applicationId: undefined },
    ],
    ['an unknown path', 'alice', 'GET', '/no/such/path', { level: INFO, route: 'unknown', status: 404 }],
    ['a preflight', 'anonymous', 'OPTIONS', '/chat/Message.json', { level: INFO, route: 'preflight', status: 200 }],
    [
      'a page',
      'anonymous',
      'GET',
      '/reset-password?reset_token=x',
      { level: INFO, route: '/reset-password', status: 200 },
    ],
    ['health', 'anonymous', 'GET', '/healthz', { level: DEBUG, route: '/healthz', status: 200 }],
    ['metrics', 'anonymous', 'GET', '/metrics', { level: DEBUG, route: '/metrics', status: 200 }],
  ])('%s is logged with its caller (%s: %s %s)', async (_name, as, method, path, expected) => {
    const target = path.replace('{hello}', cast.hello);
    const { headers } = await rawRequest(method, target, { as: cast.callers[as] });
    const line = await find(of(headers['x-request-id']));
    const userId = expected.userId === '{alice}' ? cast.alice.id : undefined;
    const notified = { userId: undefined, applicationId: undefined, ...line };
    expect(notified).toMatchObject({ method, ms: expect.any(Number), ...expected, userId });
    expect(JSON.stringify(line)).not.toContain(cast.hello);
  });

  test('a GraphQL request is logged with its operation name and root fields', async () => {
    const answer = await fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...cast.alice.headers },
      body: JSON.stringify({ query: 'query Mine { me { id } again: me { id } dialogs(first: 1) { totalCount } }' }),
    });
    expect(await find(of(answer.headers.get('x-request-id')))).toMatchObject({
      level: INFO,
      method: 'POST',
      route: '/graphql',
      status: 200,
      operation: 'Mine',
      fields: ['me', 'dialogs'],
      userId: cast.alice.id,
    });
  });

  test('a client that disconnects before its response is logged', async () => {
    const { port } = new URL(running.url);
    const socket = connectTcp(Number(port), '127.0.0.1');
    socket.write('POST /users.json HTTP/1.1\r\nHost: x\r\nX-Request-Id: gone\r\nContent-Length: 10\r\n\r\nuser');
    setImmediate(() => socket.end());
    expect(await find(of('gone'))).toMatchObject({ isCutOff: true });
  });

  test('an upgrade to another path is logged like a request', async () => {
    await rawRequest('GET', '/elsewhere', {
      headers: { Connection: 'Upgrade', Upgrade: 'websocket', 'X-Request-Id': 'upgrade' },
    }).catch(() => {});
    expect(await find(of('upgrade'))).toMatchObject({ route: 'unknown', status: 404 });
  });
});

describe('request ids', () => {
  test.each(['/session.json', '/graphql', '/healthz', '/reset-password', '/no/such/path'])(
    'the request id comes from the client or is generated (%s)',
    async (path) => {
      const id = async (given?: string) => {
        const { headers } = await rawRequest('GET', path, { headers: given ? { 'X-Request-Id': given } : {} });
        return headers['x-request-id'];
      };
      expect(await id('trace-1:a.b_c')).toBe('trace-1:a.b_c');
      const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
      for (const wrong of [undefined, 'a b', 'x'.repeat(129), '<script>', 'token=1']) {
        expect(await id(wrong)).toMatch(UUID);
      }
    },
  );
});

describe('socket logs', () => {
  test('opening and closing of sockets is logged, and each operation at debug level', async () => {
    const socket = await connect(cast.bob);
    await socket.run('query Mine { me { id } }');
    await socket.close();
    const caller = { applicationId: 92, userId: cast.bob.id };
    const { socketId } = await find(({ msg, userId }) => msg === 'socket opened' && userId === cast.bob.id);
    const ofSocket = (msg: string) => find((line) => line.socketId === socketId && line.msg === msg);
    expect(await ofSocket('operation')).toMatchObject({
      level: DEBUG,
      type: 'query',
      operation: 'Mine',
      fields: ['me'],
      ...caller,
    });
    expect(await ofSocket('socket closed')).toMatchObject({ level: INFO, code: 1005, operations: 1, ...caller });
  });

  test('sockets that were never admitted are logged when they end', async () => {
    const socket = await openSocket();
    socket.send({ type: 'connection_init', payload: { 'SVC-Token': 'none' } });
    await socket.closed;
    const line = await find(({ msg, code }) => msg === 'socket closed' && code === 4403);
    expect(line).toMatchObject({ operations: 0 });
    expect(line).not.toHaveProperty('userId');
  });
});

test('variables are never logged', async () => {
  await graphql('query ($id: ID!) { message(id: $id) { id } }', { id: cast.hello }, cast.alice);
  expect(JSON.stringify(lines)).not.toContain(cast.hello);
});

test('a terminal receives human-readable lines', () => {
  const shown: string[] = [];
  const log = createLog('info', readable({ write: (text) => shown.push(text) }));
  log.info({ method: 'GET', fields: ['me'] }, 'request');
  log.error({ err: new Error('no', { cause: new TypeError('password=hunter2') }) }, 'failed');
  log.debug('unheard');
  expect(shown).toHaveLength(1 + 1 + 2);
  expect(shown[0]).toMatch(/^\d\d:\d\d:\d\d INFO {2}request method=GET fields=\["me"\]\n$/);
  expect(shown.slice(1).join('')).toMatch(
    /ERROR failed\n {2}Error: no\n {4}at [\s\S]+ {2}TypeError: password=…\n {4}at /,
  );
});
