import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { hashSecret } from '../../../src/lib/tokens.ts';
import { APPLICATION, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import {
  expectCommonHeaders,
  FORM,
  JSON_TYPE,
  MULTIPART,
  multipart,
  type RawRequest,
  rawRequest,
} from '../../support/clients/raw-http.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { type ChatCast, createChatCast } from '../../support/fixtures/chat-cast.ts';
import {
  BAD_ID,
  MALFORMED,
  MAY_NOT_PERFORM,
  NEED_USER,
  NO_SESSION,
  NOT_FOUND,
  ONE_CREDENTIAL,
  ONLY_WITH_KEY,
  TOKEN_REQUIRED,
  TOO_COMPLEX,
  TOO_LARGE,
  UNAUTHORIZED,
  UNSUPPORTED_TYPE,
} from '../../support/fixtures/error-bodies.ts';
import { openSession } from '../../support/fixtures/users.ts';

useApp();

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
  Object.assign(cast.callers, {
    'an unknown token': { headers: { 'SVC-Token': `0000005c${'0'.repeat(32)}` } },
    'no token at all': { headers: { 'SVC-Token': 'x' } },
    'an unknown key': { headers: { Authorization: 'ApiKey wrong' } },
  });
});

const EXPIRES = '2026-11-20 19:46:59 UTC';
const MEBIBYTE = 1024 * 1024;

describe('routes by path', () => {
  const shown = expect.objectContaining({ _id: expect.any(String) });
  const served = (path: string): Scenario => ['is served', 'alice', 'GET', path, undefined, 200, shown];
  const unknown = (path: string, method = 'GET'): Scenario => [
    'is unknown',
    'alice',
    method,
    path,
    undefined,
    404,
    NOT_FOUND,
  ];
  testScenarios(
    () => cast,
    [
      served('/chat/Dialog/{group}'),
      served('/chat/Dialog/{group}.json'),
      served('/chat/Dialog/{group}/'),
      served('/chat/Dialog/{group}.json/'),
      served('/chat/Dialog/{group}?'),
      served('/chat/Dialog/{group}.json?'),
      served('/chat/Dialog/{group}/?'),
      served('/chat/Dialog/{group}?a[b]=c&a[b][]=%5B&x'),
      unknown('/'),
      unknown('/.json'),
      unknown('/no/such/path'),
      unknown('/chat'),
      unknown('/chat/Dialog/{group}//'),
      unknown('/chat/Dialog//{group}'),
      unknown('//chat/Dialog/{group}'),
      unknown('/chat/Dialog/{group}/.json'),
      unknown('/chat/Dialog/{group}.json.json'),
      unknown('/chat/Dialog/{group}.JSON'),
      unknown('/chat/Dialog/{group}.txt'),
      unknown('/chat/dialog/{group}'),
      unknown('/Chat/Dialog/{group}'),
      unknown('/CHAT/DIALOG.json'),
      unknown('/chat%2FDialog'),
      unknown('/chat/Dialog/%zz'),
      unknown('/%'),
      unknown('/Session'),
      unknown('/session', 'PUT'),
      unknown('/session', 'PATCH'),
      unknown('/session/1', 'POST'),
      unknown('/users/', 'PATCH'),
      unknown('/users/.json', 'POST'),
      unknown('/users/1', 'POST'),
      unknown('/users', 'DELETE'),
      unknown('/chat/Dialog', 'PUT'),
      unknown('/chat/Dialog', 'PATCH'),
      unknown('/chat/Message', 'DELETE'),
      unknown('/chat/Message/{hello}', 'POST'),
      unknown('/chat/Message/{hello}/reactions', 'PATCH'),
    ],
  );
});

describe('HTTP methods', () => {
  test.each(['/', '/no/such/path', '/chat/Dialog.json', '/users/abc', '/%zz'])(
    'OPTIONS %s returns the allowed methods',
    async (path) => {
      const answer = await rawRequest('OPTIONS', path, {
        headers: {
          'SVC-Token': 'wrong',
          Authorization: 'Bearer wrong',
          'Access-Control-Request-Headers': 'x-mine, X-2',
        },
      });
      expect([answer.status, answer.text]).toEqual([200, '']);
      expectCommonHeaders(answer);
      expect(answer.headers).toMatchObject({
        'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
        'access-control-allow-headers':
          'SVC-Token, Authorization, On-Behalf-Of, Content-Type, SVC-REST-API-Version, x-mine, X-2',
        'content-length': '0',
      });
      expect(answer.headers).not.toHaveProperty('content-type');
    },
  );

  test('OPTIONS allows the headers of the service even without a preflight header', async () => {
    const { headers } = await rawRequest('OPTIONS', '/session.json');
    expect(headers['access-control-allow-headers']).toBe(
      'SVC-Token, Authorization, On-Behalf-Of, Content-Type, SVC-REST-API-Version',
    );
  });

  test.each<[path: string, as: string]>([
    ['/chat/Dialog.json', 'alice'],
    ['/session.json', 'anonymous'],
    ['/no/such/path', 'key'],
    ['/users/2147483647', 'key'],
  ])('HEAD %s equals GET without a body (%s)', async (path, as) => {
    const caller = cast.callers[as];
    const { headers: got, ...get } = await rawRequest('GET', path, { as: caller });
    const { headers, ...head } = await rawRequest('HEAD', path, { as: caller });
    expect(head).toEqual({ ...get, text: '' });
    const steady = (all: typeof headers) => ({ ...all, 'x-request-id': '', 'x-runtime': '', date: '' });
    expect(steady(headers)).toEqual(steady(got));
  });
});

describe('response headers', () => {
  const ALWAYS = [
    'Access-Control-Allow-Origin',
    'Access-Control-Expose-Headers',
    'Cache-Control',
    'Connection',
    'Content-Length',
    'Date',
    'Keep-Alive',
    'SVC-REST-API-Version',
    'Status',
    'X-Content-Type-Options',
    'X-Frame-Options',
    'X-Request-Id',
    'X-Runtime',
  ];

  test.each<[name: string, as: string, method: string, path: string, status: string, more: string[]]>([
    ['a token', 'alice', 'GET', '/session', '200 OK', ['Content-Type', 'SVC-Token-ExpirationDate']],
    ['an application', 'application', 'GET', '/session', '200 OK', ['Content-Type', 'SVC-Token-ExpirationDate']],
    ['a key', 'key', 'GET', '/chat/Dialog', '200 OK', ['Content-Type']],
    ['a key for a user', 'key for alice', 'GET', '/chat/Dialog', '200 OK', ['Content-Type']],
    [
      'an empty answer',
      'alice',
      'POST',
      '/chat/Message/{hello}/reactions?name=x',
      '200 OK',
      ['SVC-Token-ExpirationDate'],
    ],
    [
      'a new record',
      'alice',
      'POST',
      '/chat/Dialog?type=1&name=x',
      '201 Created',
      ['Content-Type', 'SVC-Token-ExpirationDate'],
    ],
    ['anonymous', 'anonymous', 'GET', '/session', '401 Unauthorized', ['Content-Type', 'WWW-Authenticate']],
    [
      'an unknown token',
      'an unknown token',
      'GET',
      '/session',
      '401 Unauthorized',
      ['Content-Type', 'WWW-Authenticate'],
    ],
    [
      'a refusal',
      'mallory',
      'GET',
      '/chat/Dialog/{group}',
      '403 Forbidden',
      ['Content-Type', 'SVC-Token-ExpirationDate'],
    ],
    [
      'a call that requires a user',
      'application',
      'GET',
      '/chat/Dialog',
      '422 Unprocessable Entity',
      ['Content-Type', 'SVC-Token-ExpirationDate'],
    ],
    ['an empty error', 'alice', 'GET', '/users/2147483647', '404 Not Found', ['SVC-Token-ExpirationDate']],
    ['an unknown path', 'alice', 'GET', '/nowhere', '404 Not Found', ['Content-Type', 'SVC-Token-ExpirationDate']],
    [
      'a malformed query',
      'alice',
      'GET',
      '/session?a=%zz',
      '400 Bad Request',
      ['Content-Type', 'SVC-Token-ExpirationDate'],
    ],
    ['an unknown path by a key', 'key', 'GET', '/nowhere', '404 Not Found', ['Content-Type']],
  ])('%s has the documented headers', async (_name, as, method, path, status, more) => {
    const answer = await send(method, path, { as: cast.callers[as] });
    expect(answer.headerNames.toSorted()).toEqual([...ALWAYS, ...more].toSorted());
    expect(answer.headers.status).toBe(status);
    expect(answer.headers['svc-token-expirationdate']).toBe(
      more.includes('SVC-Token-ExpirationDate') ? EXPIRES : undefined,
    );
    expectCommonHeaders(answer);
  });

  test('a valid token returns its expiry even when On-Behalf-Of is rejected', async () => {
    const { headers } = await send('GET', '/session', {
      as: cast.alice,
      headers: { 'On-Behalf-Of': String(cast.bob.id) },
    });
    expect(headers['svc-token-expirationdate']).toBe(EXPIRES);
  });

  test('each request has its own request id', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => rawRequest('GET', '/session')));
    expect(new Set(answers.map((answer) => answer.headers['x-request-id'])).size).toBe(3);
  });
});

describe('credentials', () => {
  const GROUP = '/chat/Dialog/{group}.json';
  const shown = expect.objectContaining({ name: 'Lunch' });
  const call = (
    name: string,
    as: string,
    headers: Record<string, string>,
    status: number,
    answer: unknown,
    path = GROUP,
  ): Scenario => [name, as, 'GET', path, undefined, status, answer, headers];
  const KEY = { Authorization: `ApiKey ${APPLICATION.apiKey}` };

  beforeAll(async () => {
    await db.apiKey.create({
      data: {
        applicationId: APPLICATION.id,
        name: 'revoked',
        keyHash: hashSecret('REVOKED'),
        createdAt: SAMPLE_TIME,
        revokedAt: SAMPLE_TIME,
      },
    });
    cast.values.token = cast.alice.token;
    cast.values.upper = cast.alice.token.toUpperCase();
  });

  testScenarios(
    () => cast,
    [
      call('none', 'anonymous', {}, 401, TOKEN_REQUIRED),
      call('empty headers', 'anonymous', { 'SVC-Token': '', Authorization: ' ' }, 401, TOKEN_REQUIRED),
      call('a token', 'alice', {}, 200, shown),
      call('a token beside empty headers', 'alice', { Authorization: '', 'On-Behalf-Of': ' ' }, 200, shown),
      call('an unknown token', 'an unknown token', {}, 401, NO_SESSION),
      call('a text that is no token', 'no token at all', {}, 401, NO_SESSION),
      call('a token of an unknown application', 'anonymous', { 'SVC-Token': 'f'.repeat(40) }, 401, NO_SESSION),
      call('a token as a parameter', 'anonymous', {}, 401, TOKEN_REQUIRED, `${GROUP}?token={token}`),
      call('a key', 'key', {}, 200, shown),
      call('a key beside empty headers', 'key', { 'SVC-Token': '', 'On-Behalf-Of': '' }, 200, shown),
      call('a scheme in small letters', 'anonymous', { Authorization: 'apikey KEY' }, 200, shown),
      call('a scheme in capitals', 'anonymous', { authorization: 'APIKEY KEY' }, 200, shown),
      call('an unknown key', 'an unknown key', {}, 401, UNAUTHORIZED),
      call('a key in another letter case', 'anonymous', { Authorization: 'ApiKey key' }, 401, UNAUTHORIZED),
      call('a revoked key', 'anonymous', { Authorization: 'ApiKey REVOKED' }, 401, UNAUTHORIZED),
      call('no key', 'anonymous', { Authorization: 'ApiKey' }, 401, UNAUTHORIZED),
      call('a key without scheme', 'anonymous', { Authorization: 'KEY' }, 401, UNAUTHORIZED),
      call('another scheme', 'anonymous', { Authorization: 'Bearer KEY' }, 401, UNAUTHORIZED),
      call('a key of another application', 'other key', {}, 404, NOT_FOUND),
      call('a token and a key', 'alice', KEY, 400, ONE_CREDENTIAL),
      call('both of them wrong', 'an unknown token', { Authorization: 'Bearer x' }, 400, ONE_CREDENTIAL),
      call('a key for a user', 'key for alice', {}, 200, shown),
      call('a key for a user who may not', 'key for mallory', {}, 403, MAY_NOT_PERFORM),
      call('On-Behalf-Of with a token', 'alice', { 'On-Behalf-Of': '1' }, 400, ONLY_WITH_KEY),
      call('On-Behalf-Of alone', 'anonymous', { 'On-Behalf-Of': '1' }, 400, ONLY_WITH_KEY),
      call('On-Behalf-Of with an unknown token', 'an unknown token', { 'On-Behalf-Of': '1' }, 401, NO_SESSION),
      call('On-Behalf-Of with an unknown key', 'an unknown key', { 'On-Behalf-Of': 'x' }, 401, UNAUTHORIZED),
      ...['2147483647', '99999999999', '0', '-1', '1.5', 'abc', '1,2'].map((id) =>
        call(`on behalf of ${id}`, 'key', { 'On-Behalf-Of': id }, 404, NOT_FOUND),
      ),
      call('both, for nobody', 'alice', { ...KEY, 'On-Behalf-Of': 'x' }, 400, ONE_CREDENTIAL),
    ],
  );

  test('an API key cannot act for a user of another application', async () => {
    const { status, text } = await send('GET', GROUP, {
      as: cast.callers.key,
      headers: { 'On-Behalf-Of': String(cast.stranger.id) },
    });
    expect([status, JSON.parse(text)]).toEqual([404, NOT_FOUND]);
  });
});

describe('authorization of all endpoints', () => {
  const CALLERS = [
    'anonymous',
    'an unknown token',
    'an unknown key',
    'application',
    'alice',
    'key',
    'key for alice',
  ] as const;
  type CallerName = (typeof CALLERS)[number];
  type Refusal = readonly [status: number, body: unknown];

  const EVERYWHERE: Partial<Record<CallerName, Refusal>> = {
    anonymous: [401, TOKEN_REQUIRED],
    'an unknown token': [401, NO_SESSION],
    'an unknown key': [401, UNAUTHORIZED],
  };
  const NEEDS_USER: Refusal = [422, NEED_USER];
  /** The callers that each access letter of the contract rejects, in addition to those with invalid credentials. */
  const LETTERS: Record<'S' | 'T' | 'U' | 'UK', Partial<Record<CallerName, Refusal>>> = {
    S: {},
    T: { key: [401, TOKEN_REQUIRED], 'key for alice': [401, TOKEN_REQUIRED] },
    U: { application: NEEDS_USER, key: NEEDS_USER },
    UK: { application: NEEDS_USER },
  };
  let number = 0;

  describe.each<[letter: keyof typeof LETTERS, method: string, path: string, body: object | undefined, served: number]>(
    [
      ['T', 'GET', '/session', undefined, 200],
      ['T', 'DELETE', '/session', undefined, 200],
      ['S', 'POST', '/users', { user: { login: 'caller{number}', password: 'password-1' } }, 201],
      ['S', 'GET', '/users/{bob}', undefined, 200],
      ['U', 'POST', '/chat/Dialog', { type: 3, occupants_ids: '{bob}' }, 201],
      ['UK', 'GET', '/chat/Dialog', undefined, 200],
      ['UK', 'GET', '/chat/Dialog/{group}', undefined, 200],
      ['U', 'POST', '/chat/Message', { chat_dialog_id: '{group}', message: 'x' }, 201],
      ['UK', 'GET', '/chat/Message?chat_dialog_id={group}', undefined, 200],
      ['UK', 'GET', '/chat/Message/{hello}', undefined, 200],
      ['U', 'POST', '/chat/Message/{hello}/reactions', { name: 'x' }, 200],
      ['UK', 'GET', '/chat/Message/{hello}/reactions', undefined, 200],
      // The reaction does not exist, but only authorized callers receive that error.
      ['U', 'DELETE', '/chat/Message/{hello}/reactions', { name: 'none' }, 404],
    ],
  )('%s: %s %s', (letter, method, path, body, served) => {
    test.each(CALLERS)('%s receives the documented status', async (name) => {
      const caller = cast.callers[name];
      // Ending the session must not affect the shared cast.
      const isEnding = method === 'DELETE' && path === '/session';
      const as = isEnding && (name === 'alice' || name === 'application') ? await freshSession(name) : caller;
      const answer = await send(method, path, {
        as,
        headers: { 'Content-Type': JSON_TYPE },
        body: body && JSON.stringify(body).replaceAll('{number}', String(++number)),
      });
      const refused = EVERYWHERE[name] ?? LETTERS[letter][name];
      if (refused) expect([answer.status, JSON.parse(answer.text)]).toEqual(refused);
      else expect(answer.status).toBe(served);
    });
  });

  const freshSession = (name: 'alice' | 'application') => openSession(name === 'alice' ? cast.alice : undefined);
});

describe('request bodies', () => {
  const REACTIONS = '/chat/Message/{hello}/reactions';
  const post = (body: RawRequest['body'], type?: string, headers: Record<string, string> = {}, path = REACTIONS) =>
    send('POST', path, { as: cast.alice, body, headers: { ...(type ? { 'Content-Type': type } : {}), ...headers } });

  test.each<[name: string, body: RawRequest['body'], type: string | undefined]>([
    ['JSON', '{"name":"x"}', JSON_TYPE],
    ['JSON with a charset', '{"name":"x"}', 'Application/JSON; charset=utf-8'],
    ['a form', 'name=x', FORM],
    ['a form with a charset', 'name=x', `${FORM}; charset=UTF-8`],
    ['multipart fields', multipart({ name: 'x' }), MULTIPART],
    ['JSON without a type', ' {"name":"x"}', undefined],
    ['a form without a type', 'name=x', undefined],
    ['chunks', ['{"na', 'me":"x"}'].map((chunk) => Buffer.from(chunk)), JSON_TYPE],
    ['exactly 1 MiB', jsonOf(MEBIBYTE), JSON_TYPE],
    ['exactly 1 MiB in chunks', [jsonOf(MEBIBYTE).subarray(0, 1000), jsonOf(MEBIBYTE).subarray(1000)], JSON_TYPE],
  ])('%s is accepted', async (_name, body, type) => {
    const { status, text } = await post(body, type);
    expect([status, text]).toEqual([200, '']);
  });

  test.each<[name: string, type: string]>([
    ['XML', 'application/xml'],
    ['a picture', 'image/png'],
    ['nonsense', 'nonsense'],
  ])('an empty body may have any content type: %s', async (_name, type) => {
    expect((await post(undefined, type, {}, `${REACTIONS}?name=x`)).status).toBe(200);
  });

  test.each<[name: string, body: RawRequest['body'], type: string | undefined, status: number, answer: unknown]>([
    ['truncated JSON', '{"name":', JSON_TYPE, 400, MALFORMED],
    ['a JSON list', '[{"name":"x"}]', JSON_TYPE, 400, MALFORMED],
    ['a JSON text', '"name"', JSON_TYPE, 400, MALFORMED],
    ['JSON null', 'null', JSON_TYPE, 400, MALFORMED],
    ['a form as JSON', 'name=x', JSON_TYPE, 400, MALFORMED],
    ['JSON that is not UTF-8', Buffer.from('{"name":"\xff"}', 'latin1'), JSON_TYPE, 400, MALFORMED],
    ['a form with an invalid escape', 'name=%zz', FORM, 400, MALFORMED],
    ['multipart without its closing boundary', '--B\r\n', MULTIPART, 400, MALFORMED],
    ['deep JSON', `{"a":${'['.repeat(10)}${']'.repeat(10)}}`, JSON_TYPE, 400, TOO_COMPLEX],
    ['a deep form', `a${'[b]'.repeat(10)}=1`, FORM, 400, TOO_COMPLEX],
    ['many keys', 'a&'.repeat(20_001), FORM, 400, TOO_COMPLEX],
    ['XML', '<a/>', 'application/xml', 415, UNSUPPORTED_TYPE],
    ['plain text', 'name=x', 'text/plain', 415, UNSUPPORTED_TYPE],
    ['1 MiB and one byte', jsonOf(MEBIBYTE + 1), JSON_TYPE, 413, TOO_LARGE],
    ['a chunked body of 1 MiB and one byte', [jsonOf(MEBIBYTE), Buffer.from(' ')], JSON_TYPE, 413, TOO_LARGE],
  ])('%s is rejected', async (_name, body, type, status, answer) => {
    const given = await post(body, type);
    expect([given.status, JSON.parse(given.text)]).toEqual([status, answer]);
    expectCommonHeaders(given);
    expect(given.headers['svc-token-expirationdate']).toBe(EXPIRES);
  });

  test('a compressed body is rejected', async () => {
    const { status, text } = await post('x', JSON_TYPE, { 'Content-Encoding': 'gzip' });
    expect([status, JSON.parse(text)]).toEqual([415, UNSUPPORTED_TYPE]);
  });

  test('body parameters override query parameters', async () => {
    const { status, text } = await post('{"name":""}', JSON_TYPE, {}, `${REACTIONS}?name=x`);
    expect([status, text]).toEqual([400, '{"errors":["Invalid or missing \\"name\\" parameter."]}']);
    expect((await post('{"name":"x"}', JSON_TYPE, {}, `${REACTIONS}?name=`)).status).toBe(200);
  });

  test('path parameters override both', async () => {
    const { status, text } = await send('GET', '/users/{bob}?id=1', {
      as: cast.alice,
      headers: { 'Content-Type': JSON_TYPE },
      body: '{"id":1}',
    });
    expect([status, JSON.parse(text).user.id]).toEqual([200, cast.bob.id]);
  });

  function jsonOf(bytes: number): Buffer {
    const start = '{"name":"x","fill":"';
    return Buffer.from(`${start}${'x'.repeat(bytes - start.length - 2)}"}`);
  }
});

describe('precedence of errors', () => {
  const LARGE = Buffer.alloc(MEBIBYTE + 1, 'x');
  test.each<
    [name: string, as: string, method: string, path: string, body: Buffer | string, status: number, answer: unknown]
  >([
    ['size before path', 'anonymous', 'POST', '/nowhere', LARGE, 413, TOO_LARGE],
    ['size before credentials', 'anonymous', 'POST', '/chat/Dialog', LARGE, 413, TOO_LARGE],
    ['path before parsing', 'alice', 'POST', '/nowhere?a=%zz', '{', 404, NOT_FOUND],
    ['path before credentials', 'anonymous', 'GET', '/nowhere', '', 404, NOT_FOUND],
    ['parsing before credentials', 'anonymous', 'POST', '/chat/Dialog', '{', 400, MALFORMED],
    ['a query counts', 'an unknown token', 'GET', '/chat/Dialog?a=%zz', '', 400, MALFORMED],
    ['credentials before the user', 'an unknown key', 'POST', '/chat/Dialog', '{}', 401, UNAUTHORIZED],
    ['the user before parameters', 'key', 'POST', '/chat/Dialog', '{}', 422, NEED_USER],
    ['the same of a filter', 'application', 'GET', '/chat/Dialog?type=x', '', 422, NEED_USER],
    ['credentials before parameters', 'anonymous', 'GET', '/users/abc', '', 401, TOKEN_REQUIRED],
    ['parameters before existence', 'alice', 'GET', '/users/0', '', 422, BAD_ID],
  ])('the contract reports %s first', async (_name, as, method, path, body, status, answer) => {
    const given = await send(method, path, { as: cast.callers[as], body, headers: { 'Content-Type': JSON_TYPE } });
    expect([given.status, JSON.parse(given.text)]).toEqual([status, answer]);
  });

  test('On-Behalf-Of is checked before the user and before parameters', async () => {
    const { status, text } = await send('POST', '/chat/Dialog', {
      as: cast.callers.key,
      headers: { 'On-Behalf-Of': 'x' },
    });
    expect([status, JSON.parse(text)]).toEqual([404, NOT_FOUND]);
  });
});

/** Like `rawRequest`, with values of the cast in braces. */
function send(method: string, path: string, request: RawRequest) {
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (match, name) => String(cast.values[name] ?? match));
  const body = typeof request.body === 'string' ? fill(request.body) : request.body;
  return rawRequest(method, fill(path), { ...request, body });
}
