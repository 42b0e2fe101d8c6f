import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { AtriumError, graphql, type Session, type StoredSession, webStorage } from '../../packages/client/src/index.ts';
import { signRequest } from '../../packages/client/src/sign.ts';
import { sign } from '../../src/lib/signature.ts';
import { APPLICATION, clock, running, useApp } from '../support/app/app.ts';
import { sql } from '../support/app/sql.ts';
import { ME, newClient, SEND, signedRequest, useClients } from '../support/clients/atrium.ts';
import { FaultProxy } from '../support/faults/fault-proxy.ts';
import { createDialog } from '../support/fixtures/chat.ts';
import { createUser, createUsers, openSession } from '../support/fixtures/users.ts';

useApp();
useClients();

const SIGN_UP = graphql(`mutation SignUp($input: CreateUserInput!) { createUser(input: $input) { id } }`);

async function proxy(): Promise<FaultProxy> {
  const between = await FaultProxy.start(running.url);
  onTestFinished(() => between.close());
  return between;
}

test('signIn accepts login or e-mail, onSessionChange reports each change, and signOut ends the session', async () => {
  const user = await createUser({ email: 'alice@example.org' });
  const notified: (number | null | undefined)[] = [];
  const client = newClient({ onSessionChange: (session) => notified.push(session?.userId) });
  expect(client.session).toBeUndefined();

  const session = await client.signIn({ login: user.login, password: user.password });
  expectTypeOf(session).toEqualTypeOf<Session>();
  expect(session).toEqual({
    id: expect.any(Number),
    applicationId: APPLICATION.id,
    userId: user.id,
    token: expect.stringMatching(/^[0-9a-f]{40}$/),
    expiresAt: expect.any(Date),
  });
  expect((await client.query(ME)).me).toEqual({ id: user.id, login: user.login });

  await client.signIn({ email: 'alice@example.org', password: user.password });
  expect(client.session!.token).not.toBe(session.token);
  const { token } = client.session!;
  await client.signOut();
  expect(client.session).toBeUndefined();
  expect(notified).toEqual([user.id, user.id, undefined]);
  const late = newClient({ storage: { load: () => ({ ...stored(session), token }), save: () => {} } });
  await expect(late.query(ME)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});

function stored({ expiresAt, ...session }: Session): StoredSession {
  return { ...session, expiresAt: expiresAt.getTime(), lifetime: 7_200_000 };
}

test('expiresAt follows the lifetime that the service sets despite a wrong local clock, and grows with each request', async () => {
  const user = await createUser();
  const client = newClient();
  const before = Date.now();
  const { expiresAt } = await client.signIn(user);
  expect(expiresAt.getTime()).toBeGreaterThanOrEqual(before + 7_200_000);
  expect(expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 7_200_000);
  await client.query(ME);
  expect(client.session!.expiresAt.getTime()).toBeGreaterThanOrEqual(expiresAt.getTime());
});

test('a failed sign-in keeps the current session', async () => {
  const user = await createUser();
  const client = newClient();
  await expect(client.signIn({ ...user, password: 'wrong-password' })).rejects.toMatchObject({
    name: 'AtriumError',
    code: 'UNAUTHENTICATED',
    message: 'Wrong login or password',
  });
  expect(client.session).toBeUndefined();
  const { token } = await client.signIn(user);
  await expect(client.signIn({ ...user, password: 'wrong-password' })).rejects.toBeInstanceOf(AtriumError);
  expect(client.session!.token).toBe(token);
});

test('a user signs up in an application session and signs in with the same token', async () => {
  const client = newClient();
  const { token, userId } = await client.openSession();
  expect(userId).toBeNull();
  const input = { login: 'newcomer', password: 'correct-horse', fullName: 'A newcomer' };
  const { createUser } = await client.mutate(SIGN_UP, { input });
  expect(await client.signIn(input)).toMatchObject({ token, userId: createUser.id });
});

test('signIn accepts a request that was signed elsewhere, including its password', async () => {
  const user = await createUser();
  const { signature: _, ...request } = signedRequest();
  const pairs: [string, string][] = [
    ['application_id', String(request.applicationId)],
    ['auth_key', request.authKey],
    ['nonce', String(request.nonce)],
    ['timestamp', String(request.timestamp)],
    ['user[login]', user.login],
    ['user[password]', user.password],
  ];
  const signature = sign(pairs, APPLICATION.authSecret, 'sha1');
  const { login, password } = user;
  const signed = { ...request, signature, user: { login, password } };
  expect(await newClient({ sign: undefined }).signIn({ signed })).toMatchObject({ userId: user.id });
  await expect(newClient({ sign: undefined }).signIn(user)).rejects.toThrow('`sign`');
});

test.each(['SHA-1', 'SHA-256'] as const)('signRequest signs with %s', async (hash) => {
  const { id: applicationId, authKey, authSecret } = APPLICATION;
  const { nonce, timestamp, signature } = await signRequest({ applicationId, authKey, authSecret, hash });
  const pairs = Object.entries({ application_id: applicationId, auth_key: authKey, nonce, timestamp });
  const algorithm = hash === 'SHA-1' ? 'sha1' : 'sha256';
  expect(signature).toBe(
    sign(
      pairs.map(([name, value]) => [name, String(value)] as const),
      authSecret,
      algorithm,
    ),
  );
  expect(Number.isSafeInteger(nonce)).toBe(true);
});

function storageOfTabs() {
  const items = new Map<string, string>();
  return webStorage({
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  });
}

test('a stored session survives its client and is removed by signOut', async () => {
  const user = await createUser();
  const storage = storageOfTabs();
  const { token } = await newClient({ storage }).signIn(user);
  const next = newClient({ storage });
  expect(await next.restore()).toMatchObject({ token, userId: user.id });
  expect((await next.query(ME)).me.id).toBe(user.id);
  await next.signOut();
  expect(await storage.load()).toBeUndefined();
  expect(await newClient({ storage }).restore()).toBeUndefined();
});

test('signOut keeps a session that another tab has stored later', async () => {
  const user = await createUser();
  const storage = storageOfTabs();
  const [first, second] = [newClient({ storage }), newClient({ storage })];
  await first.signIn(user);
  const { token } = await second.signIn(user);
  await first.signOut();
  expect(await storage.load()).toMatchObject({ token });
});

test('an expired session is renewed once for concurrent requests', async () => {
  const user = await createUser();
  let renewals = 0;
  const notified: (number | null | undefined)[] = [];
  const client = newClient({
    onSessionChange: (session) => notified.push(session?.userId),
    renew: () => {
      renewals++;
      return user;
    },
  });
  const { token } = await client.signIn(user);
  clock.advance(3 * 3_600_000);
  const answers = await Promise.all([client.query(ME), client.query(ME), client.mutate(SEND_NOTHING).catch(codeOf)]);
  expect(answers).toEqual([{ me: meOf(user) }, { me: meOf(user) }, 'NOT_FOUND']);
  expect(renewals).toBe(1);
  expect(client.session!.token).not.toBe(token);
  expect(notified).toEqual([user.id, undefined, user.id]);
});

const SEND_NOTHING = graphql(
  `mutation { sendMessage(input: { dialogId: "0123456789abcdef01234567", text: "x" }) { id } }`,
);
const codeOf = (error: unknown) => (error as AtriumError).code;
const meOf = ({ id, login }: { id: number; login: string }) => ({ id, login });

test('the client drops a session that cannot be renewed', async () => {
  const user = await createUser();
  const client = newClient();
  await client.signIn(user);
  await sql('DELETE FROM sessions');
  await expect(client.query(ME)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(client.session).toBeUndefined();
});

test('a renewal that fails for lack of a network keeps the session, and the next request renews it', async () => {
  const user = await createUser();
  let isOnline = true;
  const client = newClient({
    renew: () => user,
    sign: () => {
      if (!isOnline) throw new TypeError('fetch failed');
      return signedRequest();
    },
  });
  const { token } = await client.signIn(user);
  clock.advance(3 * 3_600_000);
  isOnline = false;
  await expect(client.query(ME)).rejects.toThrow('fetch failed');
  expect(client.session!.token).toBe(token);
  isOnline = true;
  expect((await client.query(ME)).me.id).toBe(user.id);
  expect(client.session!.token).not.toBe(token);
});

test('the client adopts a newer session from the storage', async () => {
  const user = await createUser();
  let kept: StoredSession | undefined;
  const storage = { load: () => kept, save: () => {} };
  const client = newClient({ storage });
  await client.signIn(user);
  const { token } = await openSession(user);
  await sql('DELETE FROM sessions WHERE id = $1', [client.session!.id]);
  kept = { ...kept!, token };
  expect((await client.query(ME)).me.id).toBe(user.id);
  expect(client.session!.token).toBe(token);
});

test('an API key acts on behalf of a user', async () => {
  const user = await createUser();
  const server = newClient({ apiKey: APPLICATION.apiKey, onBehalfOf: user.id });
  expect((await server.query(ME)).me.id).toBe(user.id);
  expect(server.session).toBeUndefined();
  await expect(newClient({ apiKey: 'wrong' }).query(ME)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});

test('AtriumError has a code, the invalid fields and a status', async () => {
  const client = newClient({ apiKey: APPLICATION.apiKey });
  const refused = await client.mutate(SIGN_UP, { input: { login: 'x', password: 'short' } }).catch((error) => error);
  expect(refused).toBeInstanceOf(AtriumError);
  expect(refused).toMatchObject({
    code: 'UNPROCESSABLE',
    status: 200,
    fields: { password: expect.arrayContaining([expect.stringContaining('is too short')]) },
    retryAfter: undefined,
  });
  expect(refused.errors).toHaveLength(1);
});

test('a query is retried after lost responses, up to the configured number of retries', async () => {
  const between = await proxy();
  const user = await createUser();
  const client = newClient({ url: between.url, apiKey: APPLICATION.apiKey, onBehalfOf: user.id, retries: 2 });
  between.answersToLose = 2;
  expect((await client.query(ME)).me.id).toBe(user.id);
  between.answersToLose = 3;
  await expect(client.query(ME)).rejects.toMatchObject({ code: 'UNREACHABLE' });
  expect(between.answersToLose).toBe(0);
});

test('a message whose response is lost is retried and stored once; other mutations are retried only if idempotent', async () => {
  const between = await proxy();
  const [alice, bob] = await createUsers(2);
  const dialogId = await createDialog(alice, [bob]);
  const client = newClient({ url: between.url, apiKey: APPLICATION.apiKey, onBehalfOf: alice.id });
  between.answersToLose = 2;
  const { sendMessage } = await client.mutate(SEND, { input: { dialogId, text: 'once' } });
  expect(sendMessage.text).toBe('once');
  expect(await sql('SELECT text FROM messages WHERE dialog_id = $1', [dialogId])).toEqual([{ text: 'once' }]);

  const input = { type: 'GROUP' as const, name: 'Twice', occupantIds: [bob.id] };
  between.answersToLose = 1;
  await expect(client.mutate(CREATE, { input })).rejects.toMatchObject({ code: 'UNREACHABLE' });
  between.answersToLose = 1;
  await client.mutate(CREATE, { input }, { idempotent: true });
  expect(await sql("SELECT 1 FROM dialogs WHERE name = 'Twice'")).toHaveLength(3);
});

const CREATE = graphql(`mutation ($input: CreateDialogInput!) { createDialog(input: $input) { id } }`);

test('an aborted request rejects with the reason of the signal, also between retries', async () => {
  const between = await proxy();
  const client = newClient({ url: between.url, apiKey: APPLICATION.apiKey, retries: 1_000 });
  between.isSilent = true;
  const hung = new AbortController();
  const waiting = client.query(ME, {}, { signal: hung.signal });
  hung.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');

  between.isSilent = false;
  between.answersToLose = Number.POSITIVE_INFINITY;
  const trying = new AbortController();
  const tried = client.query(ME, {}, { signal: trying.signal });
  trying.abort(new Error('more than enough'));
  await expect(tried).rejects.toThrow('more than enough');
});

test('a response that exceeds the timeout counts as unreachable', async () => {
  const between = await proxy();
  between.isSilent = true;
  const client = newClient({ url: between.url, apiKey: APPLICATION.apiKey, retries: 0, timeout: 50 });
  await expect(client.query(ME)).rejects.toMatchObject({ code: 'UNREACHABLE' });
});

test('a response that is not from the service is reported with its status', async () => {
  const client = newClient({ url: `${running.url}/nowhere/`, apiKey: APPLICATION.apiKey, retries: 0 });
  await expect(client.query(ME)).rejects.toMatchObject({ code: 'UNREACHABLE', status: 404 });
});

test('query and subscribe reject documents of another kind', () => {
  const client = newClient();
  expect(() => client.query(SEND, { input: {} })).toThrow('Expected a query, but the document is a mutation');
  expect(() => client.subscribe(ME)).toThrow(TypeError);
});

test('tokens never appear in URLs', async () => {
  const between = await proxy();
  const user = await createUser();
  const client = newClient({ url: between.url });
  await client.signIn(user);
  const events = client.subscribe(graphql(`subscription ($since: String) { messageSent(since: $since) { cursor } }`));
  await events.ready;
  await client.query(ME);
  expect(new Set(between.requests)).toEqual(new Set(['POST /graphql HTTP/1.1', 'GET /graphql HTTP/1.1']));
});
