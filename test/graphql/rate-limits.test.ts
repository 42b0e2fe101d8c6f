import { getIntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { LimitName } from '../../src/platform/limits/definitions.ts';
import { operationLimit, schema } from '../../src/schema/index.ts';
import { running, useApp } from '../support/app/app.ts';
import { rest } from '../support/clients/rest.ts';
import { connect, listen, openSocket, type RawSocket, until } from '../support/clients/websocket.ts';
import { insertKey, insertSession, insertUser, newClient, together } from '../support/fixtures/callers.ts';
import { createDialog, send } from '../support/fixtures/chat.ts';
import { type Caller, signedParameters } from '../support/fixtures/users.ts';

const HOUR = 3600;

useApp({
  limits: { default: { quota: 5, windowSeconds: HOUR }, signIn: { quota: 3, windowSeconds: HOUR } },
  trustProxy: 1,
});

const ME = '{ me { id } }';
const aliases = (count: number, field = 'me { id }') =>
  Array.from({ length: count }, (_, nth) => `a${nth}: ${field}`).join(' ');

const EXCEEDED = {
  message: 'Rate limit exceeded',
  extensions: { code: 'RATE_LIMITED', retryAfter: expect.any(Number) },
};

interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

async function post(as: Caller, query: string, more: Record<string, unknown> = {}): Promise<Answer> {
  const response = await fetch(`${running.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...as.headers },
    body: JSON.stringify({ query, ...more }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const remaining = ({ headers }: Answer) => Number(/^"default";r=(\d+);t=\d+$/.exec(headers.get('ratelimit')!)![1]);

describe('rate limits over HTTP', () => {
  test('each root field counts, under any alias', async () => {
    const alice = await insertSession(await insertUser());
    const first = await post(alice, `{ ${aliases(3)} }`);
    expect(first.body.errors).toBeUndefined();
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=5;w=3600');
    expect(remaining(first)).toBe(2);

    const { headers, body } = await post(alice, `{ ${aliases(4)} }`);
    expect(body.errors).toMatchObject([EXCEEDED]);
    expect(headers.get('retry-after')).toBe(String(body.errors[0].extensions.retryAfter));
    expect(body.errors[0].extensions.retryAfter).toBeGreaterThan(HOUR - 60);
  });

  test('mutations of one document run in order until the quota is used up', async () => {
    const key = await insertKey();
    const user = (nth: number) =>
      `a${nth}: createUser(input: { login: "limited-${nth}", password: "password-1" }) { login }`;
    const { body } = await post(key, `mutation { ${[1, 2, 3, 4, 5, 6].map(user).join(' ')} }`);
    expect(body.errors).toMatchObject([{ ...EXCEEDED, path: ['a6'] }]);
  });

  test('REST requests and GraphQL operations of a caller share one quota', async () => {
    const alice = await insertSession(await insertUser());
    await post(alice, `{ ${aliases(4)} }`);
    expect((await rest('GET', '/session', { as: alice })).status).toBe(200);
    expect((await post(alice, ME)).body.errors).toMatchObject([EXCEEDED]);
    expect((await rest('GET', '/session', { as: alice })).status).toBe(429);
  });

  test('refused operations count, and refused credentials count for the client address', async () => {
    const client = newClient();
    for (let nth = 0; nth < 5; nth++) {
      const { body } = await post(together(client, { headers: { 'SVC-Token': `invented${nth}` } }), ME);
      expect(body.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    }
    expect((await post(client, ME)).body.errors).toMatchObject([EXCEEDED]);
  });

  test.each([
    ['introspection', getIntrospectionQuery()],
    ['a syntax error', '{ me {'],
    ['an unknown field', '{ nothing }'],
  ])('a document with %s counts as one operation', async (_name, document) => {
    const client = newClient();
    for (let nth = 4; nth >= 0; nth--) expect(remaining(await post(client, document))).toBe(nth);
    const { body, headers } = await post(client, document);
    expect(body.errors).toMatchObject([EXCEEDED]);
    expect(body.data ?? null).toBeNull();
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
  });

  test('a request without an operation counts as one, and a preflight as none', async () => {
    const client = newClient();
    expect(remaining(await post(client, '{ __typename }'))).toBe(4);
    expect(remaining(await post(client, '{ me @skip(if: true) { id } }'))).toBe(3);
    const preflight = await fetch(`${running.url}/graphql`, {
      method: 'OPTIONS',
      headers: { ...client.headers, Origin: 'http://x.io', 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.headers.get('ratelimit')).toMatch(/r=3/);
    expect(remaining(await post(client, '{ __typename }'))).toBe(2);
  });
});

describe('rate limits over WebSocket', () => {
  test('an operation on a socket and an operation over HTTP share one quota', async () => {
    const alice = await insertSession(await insertUser());
    const socket = await connect(alice);
    expect((await socket.run(`{ ${aliases(3)} }`)).errors).toBeUndefined();
    await post(alice, ME);
    expect((await socket.run(ME)).errors).toBeUndefined();
    expect((await socket.run(ME)).errors).toMatchObject([EXCEEDED]);
    expect((await post(alice, ME)).body.errors).toMatchObject([EXCEEDED]);
    await socket.close();
  });

  test('starting a subscription counts as an operation', async () => {
    const alice = await insertSession(await insertUser());
    const socket = await connect(alice);
    const query = 'subscription { messageSent { cursor } }';
    for (let nth = 0; nth < 6; nth++) socket.send({ id: `s${nth}`, type: 'subscribe', payload: { query } });
    const { payload } = await socket.find((message) => message.payload?.errors);
    expect(payload.errors).toMatchObject([EXCEEDED]);
    expect((await socket.run(ME)).errors).toMatchObject([EXCEEDED]);
    await socket.close();
  });

  test('events of a subscription do not count', async () => {
    const [aliceId, bobId] = [await insertUser(), await insertUser()];
    const [alice, bob] = [await insertSession(aliceId), { headers: { 'On-Behalf-Of': String(bobId) } }];
    const dialogId = await createDialog(alice, [{ id: bobId }]);
    const received = await listen('subscription { messageSent { message { text } } }', {}, alice);
    for (let nth = 0; nth < 6; nth++) await send(together(await insertKey(), bob), dialogId, 'hi');
    expect(await received.atLeast(6)).toHaveLength(6);
    expect((await post(alice, `{ ${aliases(3)} }`)).body.errors).toBeUndefined();
    await received.close();
  });

  test('introspection and malformed documents count', async () => {
    const alice = await insertSession(await insertUser());
    const socket = await connect(alice);
    for (const document of ['{', '{ nothing }', '{ __schema { queryType { name } } }', '{', '{']) {
      const { errors = [] } = await socket.run(document);
      expect(errors).not.toMatchObject([EXCEEDED]);
    }
    expect((await socket.run('{')).errors).toMatchObject([EXCEEDED]);
    expect((await socket.run('{ __schema { queryType { name } } }')).errors).toMatchObject([EXCEEDED]);
    await socket.close();
  });

  test('a user can open 100 sockets over all sessions, independently of other users', async () => {
    const userId = await insertUser();
    const [phone, laptop] = [await insertSession(userId), await insertSession(userId)];
    const open: RawSocket[] = [];
    for (let nth = 0; nth < 100; nth++) open.push(await connect(nth % 2 ? phone : laptop));
    const refused = await openSocket();
    refused.send({ type: 'connection_init', payload: phone.headers });
    expect(await refused.closed).toEqual({ code: 4429, reason: 'Too many sockets' });
    await (await connect(await insertSession(await insertUser()))).close();

    await open.pop()!.close();
    open.push(await connect(phone));
    await Promise.all(open.map((socket) => socket.close()));
  });
});

describe('sockets that end early', () => {
  test('the slot of a socket is released whenever the socket ends', async () => {
    const alice = await insertSession(await insertUser());
    for (let nth = 0; nth < 110; nth++) {
      const socket = await openSocket();
      socket.send({ type: 'connection_init', payload: alice.headers });
      if (nth % 2) await new Promise((resolve) => setImmediate(resolve));
      socket.socket.terminate();
    }
    await until(async () => {
      const socket = await openSocket();
      socket.send({ type: 'connection_init', payload: alice.headers });
      return socket
        .find(({ type }) => type === 'connection_ack')
        .then(
          () => socket.close().then(() => true),
          () => false,
        );
    });
  });
});

describe('the sign-in limit', () => {
  const createSession = () => {
    const parameters = Object.entries(signedParameters()).map(([name, value]) => ({ name, value }));
    return `createSession(input: { parameters: [${parameters
      .map(({ name, value }) => `{ name: "${name}", value: "${value}" }`)
      .join(', ')}] }) { token }`;
  };

  test('sign-ins count by client address, each alias, together with REST', async () => {
    const client = newClient();
    const form = new URLSearchParams(signedParameters()).toString();
    expect((await rest('POST', '/session', { as: client, form })).status).toBe(201);
    const fields = Array.from({ length: 4 }, (_, nth) => `a${nth}: ${createSession()}`).join(' ');
    const { body, headers } = await post(client, `mutation { ${fields} }`);
    expect(body.errors).toMatchObject([{ ...EXCEEDED, path: ['a2'] }]);
    expect(headers.get('ratelimit-policy')).toBe('"default";q=3;w=3600');
    expect((await rest('POST', '/session', { as: client, form })).status).toBe(429);
    expect((await post(client, ME)).body.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });

  test('every operation that checks a password or sends a mail has a strict limit', () => {
    const limited = (limit: LimitName) =>
      [schema.getQueryType()!, schema.getMutationType()!]
        .flatMap((type) =>
          Object.keys(type.getFields()).filter((name) => operationLimit(`${type.name}.${name}`) === limit),
        )
        .sort();
    expect(limited('signIn')).toEqual([
      'beginProviderSignIn',
      'confirmUser',
      'createGuestSession',
      'createSession',
      'createUserPasskey',
      'emailVerification',
      'enableUserTotp',
      'finishProviderSignIn',
      'linkIdentity',
      'loginUser',
      'passwordReset',
      'requestPasskeySignIn',
      'requestPasswordReset',
      'requestResetLink',
      'requestSignInCode',
      'resetPassword',
      'verifyEmail',
    ]);
    expect(limited('console')).toEqual([
      'acceptAdministratorLink',
      'administratorLink',
      'changeAdministratorPassword',
      'confirmAdministrator',
      'createPasskey',
      'createPasskeyOptions',
      'enableTotp',
      'passkeyConfirmationOptions',
      'passkeySignInOptions',
      'requestAdministratorLink',
      'signInAdministrator',
      'signInAdministratorWithPasskey',
    ]);
    expect(limited('mail')).toEqual(['requestEmailVerification', 'testMail']);
  });
});
