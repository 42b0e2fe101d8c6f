import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { storeIdentityProvider } from '../../../src/resolvers/sessions/identity-providers.ts';
import { APPLICATION, clock, ENCRYPTER, running, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { startAnother } from '../../support/app/other-apps.ts';
import { FORM, multipart, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { streamEvents } from '../../support/clients/sse.ts';
import { closeSockets, connect, listen, until } from '../../support/clients/websocket.ts';
import { answerJson, startProvider } from '../../support/fakes/provider.ts';
import { createDialog, errorOf, execute, MESSAGE_SENT, send } from '../../support/fixtures/chat.ts';
import { type ChatCast, createChatCast } from '../../support/fixtures/chat-cast.ts';
import { MALFORMED, NO_SESSION, NOT_FOUND, TOKEN_REQUIRED } from '../../support/fixtures/error-bodies.ts';
import { apiKey, type Caller, createUser, createUsers, onBehalfOf, openSession } from '../../support/fixtures/users.ts';

useApp();

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
});

afterEach(async () => {
  clock.reset();
  await closeSockets();
});

const BAD_SOCIAL = { errors: ['Bad Authentication data'] };

/** The user of the session; null for an application session. */
async function ownerOf(as: Caller): Promise<number | null> {
  return (await execute('{ session { userId } }', {}, as)).session.userId;
}

function logIn(as: Caller, json: object) {
  return rest('POST', '/login.json', { as, json });
}

describe('POST /login', () => {
  test('a login makes the application session a user session and returns the user', async () => {
    const alice = await createUser({ full_name: 'Alice', tag_list: 'a,b' });
    const session = await openSession();
    const { status, body, headers } = await logIn(session, { login: alice.login, password: alice.password });
    expect([status, body.user.id]).toEqual([200, alice.id]);
    expect(body).toEqual((await rest('GET', `/users/${alice.id}.json`, { as: apiKey })).body);
    expect(headers.get('svc-token-expirationdate')).toBe('2026-11-20 19:46:59 UTC');

    const shown = await rest('GET', '/session.json', { as: session });
    expect(shown.body.session).toMatchObject({ token: session.token, user_id: alice.id });
    expect((await rest('POST', '/chat/Dialog.json', { as: session, json: { type: 1, name: 'Lobby' } })).status).toBe(
      201,
    );
    expect(await ownerOf(alice)).toBe(alice.id);
  });

  test('a login counts as the first request of the user', async () => {
    const { id } = await db.user.create({
      data: {
        applicationId: APPLICATION.id,
        login: 'fresh',
        loginKey: 'fresh',
        passwordHash: (await db.user.findFirstOrThrow({ where: { login: cast.alice.login } })).passwordHash,
        createdAt: SAMPLE_TIME,
        updatedAt: SAMPLE_TIME,
      },
    });
    const user = () => rest('GET', `/users/${id}.json`, { as: apiKey }).then(({ body }) => body.user);
    expect((await user()).last_request_at).toBeNull();
    const { body } = await logIn(await openSession(), { login: 'fresh', password: cast.alice.password });
    expect(body.user.last_request_at).toBe('2026-11-20T17:46:59Z');
    expect((await user()).last_request_at).toBe('2026-11-20T17:46:59Z');
  });

  test('a login accepts login or e-mail, flat or under `user`, in every body format, ignoring letter case', async () => {
    const { id, password } = await createUser({ login: 'Some.Body', email: 'some@body.io' });
    const given: object[] = [
      { login: 'some.BODY', password },
      { email: 'SOME@body.io', password },
      { user: { login: 'Some.Body', password } },
      { user: { email: 'some@body.io', password } },
      { login: 'Some.Body', user: { password } },
    ];
    for (const json of given) expect((await logIn(await openSession(), json)).body.user.id).toBe(id);
    const forms = [`login=Some.Body&password=${password}`, `user%5Blogin%5D=Some.Body&user[password]=${password}`];
    for (const form of forms) {
      expect((await rest('POST', '/login', { as: await openSession(), form })).body.user.id).toBe(id);
    }
    const parts = await rawRequest('POST', `/login.json?login=Some.Body`, {
      as: await openSession(),
      headers: { 'Content-Type': 'multipart/form-data; boundary=B' },
      body: multipart({ password }),
    });
    expect(JSON.parse(parts.text).user.id).toBe(id);
  });

  test('a login replaces the user of a session', async () => {
    const [alice, bob] = await createUsers(2);
    await logIn(alice, { login: bob.login, password: bob.password });
    expect(await ownerOf(alice)).toBe(bob.id);
    expect((await execute('{ me { id } }', {}, alice)).me.id).toBe(bob.id);
    expect(await ownerOf(bob)).toBe(bob.id);
  });

  const as = 'application';
  const login = '{login}';
  const REFUSALS: Scenario[] = [
    ['a wrong password', as, 'POST', '/login.json', { login, password: 'password-2' }, 401, undefined],
    ['an unknown login', as, 'POST', '/login.json', { login: 'no.such', password: 'password-1' }, 401, undefined],
    ['an unknown e-mail', as, 'POST', '/login.json', { email: 'no@x.io', password: 'password-1' }, 401, undefined],
    ['no password', as, 'POST', '/login.json', { login }, 401, undefined],
    ['a password alone', as, 'POST', '/login.json', { password: 'password-1' }, 401, undefined],
    ['an empty login', as, 'POST', '/login.json', { login: '', password: 'password-1' }, 401, undefined],
    ['an invalid login', as, 'POST', '/login.json', { login: { ne: 1 }, password: 'password-1' }, 401, undefined],
    ['nothing', as, 'POST', '/login.json', undefined, 401, undefined],
    ['an empty user', as, 'POST', '/login.json', { user: {} }, 401, undefined],
    ['an unknown provider', as, 'POST', '/login.json', { provider: 'x', keys: { token: 'T' } }, 422, BAD_SOCIAL],
    ['a provider not set up', as, 'POST', '/login', { provider: 'twitter', keys: { token: 'T' } }, 422, BAD_SOCIAL],
    ['a provider without keys', as, 'POST', '/login', { user: { provider: 'facebook' } }, 422, BAD_SOCIAL],
    ['malformed JSON', as, 'POST', '/login.json', '{"login"', 400, MALFORMED, { 'Content-Type': 'application/json' }],
    ['anonymous', 'anonymous', 'POST', '/login.json', { login, password: 'password-1' }, 401, TOKEN_REQUIRED],
    ['an API key', 'key', 'POST', '/login.json', { login, password: 'password-1' }, 401, TOKEN_REQUIRED],
    ['an API key for a user', 'key for alice', 'POST', '/login.json', { login }, 401, TOKEN_REQUIRED],
    ['a lost token', 'anonymous', 'POST', '/login.json', { login }, 401, NO_SESSION, { 'SVC-Token': 'x' }],
    ['an anonymous caller who logs out', 'anonymous', 'DELETE', '/login.json', undefined, 401, TOKEN_REQUIRED],
    ['an API key that logs out', 'key for alice', 'DELETE', '/login.json', undefined, 401, TOKEN_REQUIRED],
    ['a lost token that logs out', 'anonymous', 'DELETE', '/login', undefined, 401, NO_SESSION, { 'SVC-Token': 'x' }],
    ['a look at it', as, 'GET', '/login.json', undefined, 404, NOT_FOUND],
  ];
  describe('rejected logins', () => {
    testScenarios(() => ({ ...cast, values: { ...cast.values, login: cast.alice.login } }), REFUSALS);
  });

  test('a rejected login leaves the session and its sockets unchanged', async () => {
    const alice = await createUser();
    const socket = await connect(alice);
    const wrong = await rawRequest('POST', '/login.json', {
      as: alice,
      headers: { 'Content-Type': FORM },
      body: `login=${cast.bob.login}&password=password-2`,
    });
    expect([wrong.status, wrong.text, wrong.headers['svc-token-expirationdate']]).toEqual([
      401,
      '',
      '2026-11-20 19:46:59 UTC',
    ]);
    expect(await ownerOf(alice)).toBe(alice.id);
    expect((await socket.run('{ me { id } }')).data.me.id).toBe(alice.id);
  });

  test('a login of another application is rejected', async () => {
    const session = await openSession();
    const { status, text } = await logIn(session, { login: 'stranger', password: 'password-1' });
    expect([status, text]).toEqual([401, '']);
  });

  test('a login by provider works for new users too', async () => {
    const { url } = await startProvider((_request, response, { pathname }) => {
      if (pathname !== '/debug_token') answerJson(response, { id: '5', name: 'Ann' });
      else answerJson(response, { data: { app_id: '12', is_valid: true, expires_at: 0, user_id: '5' } });
    });
    const facebook = { appId: '12', appSecret: '0123456789abcdef0123456789abcdef' };
    await storeIdentityProvider(
      { applicationId: APPLICATION.id, facebook, endpoint: url },
      { encrypter: ENCRYPTER, now: SAMPLE_TIME },
    );
    const session = await openSession();
    const first = await rest('POST', '/login.json', { as: session, form: 'provider=facebook&keys[token]=FT' });
    expect([first.status, first.body?.user]).toMatchObject([200, { facebook_id: '5', full_name: 'Ann', login: null }]);
    expect(await ownerOf(session)).toBe(first.body.user.id);
    const again = await logIn(await openSession(), { user: { provider: 'facebook', keys: { token: 'FT' } } });
    expect(again.body.user.id).toBe(first.body.user.id);
    await db.identityProvider.deleteMany();
  });
});

describe('DELETE /login', () => {
  test('a logout makes the session an application session again and may be repeated', async () => {
    const alice = await createUser();
    for (let times = 1; times <= 2; times++) {
      const answer = await rawRequest('DELETE', '/login.json', { as: alice });
      expect([answer.status, answer.text, answer.headers['content-length']]).toEqual([200, '', '0']);
      expect(answer.headers['content-type']).toBeUndefined();
      expect(answer.headers['svc-token-expirationdate']).toBe('2026-11-20 19:46:59 UTC');
      const shown = await rest('GET', '/session.json', { as: alice });
      expect(shown.body.session).toMatchObject({ token: alice.token, user_id: 0 });
    }
    expect((await rest('GET', '/chat/Dialog.json', { as: alice })).status).toBe(422);
    expect((await logIn(alice, { login: alice.login, password: alice.password })).status).toBe(200);
  });

  test('a logout leaves other sessions of the user unchanged', async () => {
    const alice = await createUser();
    const other = await openSession(alice);
    await rest('DELETE', '/login.json', { as: alice });
    expect(await ownerOf(other)).toBe(alice.id);
  });
});

describe('loginUser and logoutUser', () => {
  const LOGIN = 'mutation ($input: LoginUserInput!) { loginUser(input: $input) { id } }';

  test('loginUser and logoutUser behave like REST', async () => {
    const alice = await createUser();
    const session = await openSession();
    const { login, password } = alice;
    expect(await execute(LOGIN, { input: { login, password } }, session)).toEqual({ loginUser: { id: alice.id } });
    expect(await ownerOf(session)).toBe(alice.id);
    expect(await execute('mutation { logoutUser }', {}, session)).toEqual({ logoutUser: true });
    expect(await ownerOf(session)).toBeNull();
  });

  test('loginUser and logoutUser are rejected like REST', async () => {
    const session = await openSession();
    expect(await errorOf(LOGIN, { input: { login: cast.alice.login, password: 'x' } }, session)).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    expect(await errorOf(LOGIN, { input: { provider: 'facebook' } }, session)).toMatchObject({
      message: 'Bad Authentication data',
      code: 'UNPROCESSABLE',
    });
    for (const as of [apiKey, onBehalfOf(cast.alice)]) {
      expect(await errorOf('mutation { logoutUser }', {}, as)).toMatchObject({ message: 'Token is required' });
    }
  });
});

describe('subscriptions opened before a login or logout', () => {
  test.each<[string, (as: Caller, next: { login: string; password: string }) => Promise<{ status: number }>]>([
    ['logging out', (as) => rest('DELETE', '/login.json', { as })],
    ['logging in as another user', (as, { login, password }) => logIn(as, { login, password })],
  ])('%s closes the sockets of the session on every process, and no others', async (_name, change) => {
    const [alice, bob] = await createUsers(2);
    const other = await openSession(alice);
    const dialogId = await createDialog(alice, [alice]);
    const second = await startAnother();
    const ending = [
      await connect(alice),
      (await listen(MESSAGE_SENT, { dialogId }, alice)).socket,
      (await listen(MESSAGE_SENT, {}, alice, second)).socket,
    ];
    const stream = await streamEvents(MESSAGE_SENT, { dialogId }, alice, second);
    const staying = [await listen(MESSAGE_SENT, { dialogId }, other), await listen(MESSAGE_SENT, {}, other, second)];
    await until(() => second.services.hub.subscriptionCount === 3);

    expect((await change(alice, bob)).status).toBe(200);
    for (const socket of ending) expect((await socket.closed).code).toBe(4403);
    await stream.ended;
    await send(other, dialogId, 'not for Bob');
    for (const socket of staying) await socket.atLeast(1);
    for (const { received } of ending) expect(received.filter(({ type }) => type === 'next')).toEqual([]);
    expect(stream.results).toEqual([]);
    for (const { socket } of staying) socket.socket.terminate();
    await second.stop();
  });

  test('a socket opened right after a login stays open and belongs to the new user', async () => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(bob, [bob]);
    for (const { login, password } of [bob, alice, bob]) {
      expect((await logIn(alice, { login, password })).status).toBe(200);
    }
    const receivedEvents = await listen(MESSAGE_SENT, { dialogId }, alice);
    running.app.services.outbox.wake();
    await send(bob, dialogId, 'hello');
    expect(await receivedEvents.atLeast(1)).toMatchObject([{ messageSent: { message: { text: 'hello' } } }]);
    expect((await receivedEvents.socket.run('{ me { id } }')).data.me.id).toBe(bob.id);
  });

  test('logging out and in again as the same user closes the sockets too', async () => {
    const alice = await createUser();
    const socket = await connect(alice);
    await rest('DELETE', '/login.json', { as: alice });
    await logIn(alice, { login: alice.login, password: alice.password });
    expect((await socket.closed).code).toBe(4403);
  });

  test('a login closes the sockets of the application session', async () => {
    const session = await openSession();
    const socket = await connect(session);
    await rest('DELETE', '/login.json', { as: session });
    await logIn(session, { login: cast.carol.login, password: cast.carol.password });
    expect((await socket.closed).code).toBe(4403);
  });
});
