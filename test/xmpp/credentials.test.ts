import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { SIGN_IN } from '../../src/xmpp/sign-in.ts';
import { APPLICATION, clock, running, useApp } from '../support/app/app.ts';
import { startAnother } from '../support/app/other-apps.ts';
import { sql } from '../support/app/sql.ts';
import { rest } from '../support/clients/rest.ts';
import {
  authOf,
  CHAT,
  ChatSocket,
  closeStreams,
  FAILURE,
  jidOf,
  OPEN,
  openChat,
  streamError,
  tokenOf,
} from '../support/clients/xmpp.ts';
import { execute } from '../support/fixtures/chat.ts';
import { allowFactors, enableTotp } from '../support/fixtures/second-factors.ts';
import { apiKey, createUser, createUsers, openSession, type TestUser } from '../support/fixtures/users.ts';

useApp(CHAT);
afterEach(closeStreams);
const delays = { ...SIGN_IN };
beforeAll(() => {
  SIGN_IN.delayMs = 300;
});
afterAll(() => {
  Object.assign(SIGN_IN, delays);
});

async function ready(): Promise<ChatSocket> {
  const client = await ChatSocket.open();
  client.send(OPEN);
  await client.take(2);
  return client;
}

const loginOf = ({ id }: { id: number }) => `${id}-${APPLICATION.id}`;

async function answerTo(client: ChatSocket, auth: string): Promise<{ answer: string; ms: number }> {
  const begunAt = performance.now();
  client.send(auth);
  const answer = await client.next();
  return { answer, ms: performance.now() - begunAt };
}

describe('a sign-in', () => {
  test('the password opens a session of its own, which ends with the stream', async () => {
    const user = await createUser();
    const sessions = async () =>
      (await sql('SELECT id FROM sessions WHERE user_id = $1 AND device = $2', [user.id, 'Chat client'])).length;
    const client = await openChat(user, 'phone', { secret: user.password });
    expect([client.jid, await sessions()]).toEqual([jidOf(user, 'phone'), 1]);
    client.socket.terminate();
    while ((await sessions()) > 0) await pause(5);
  });

  test('the password of a user with a second factor is refused, also if it was right before, and a token works', async () => {
    await allowFactors();
    const user = await createUser();
    const known = await ready();
    expect((await answerTo(known, authOf(loginOf(user), user.password))).answer).toMatch(/^<success/);
    await enableTotp(user);
    const client = await ready();
    expect((await answerTo(client, authOf(loginOf(user), user.password))).answer).toBe(FAILURE);
    expect((await answerTo(client, authOf(loginOf(user), tokenOf(user)))).answer).toMatch(/^<success/);
  });

  test('the authorization identity must be empty or the own address', async () => {
    const [alice, bob] = await createUsers(2);
    const client = await ready();
    expect((await answerTo(client, authOf(loginOf(alice), tokenOf(alice), jidOf(bob)))).answer).toBe(FAILURE);
    expect((await answerTo(client, authOf(loginOf(alice), tokenOf(alice), jidOf(alice)))).answer).toMatch(/^<success/);
  });

  test('the second refusal of a network or user is late, also on another socket, and a success is not', async () => {
    clock.advance(3_600_000);
    const [alice] = await createUsers(1);
    const [first, second] = [await ready(), await ready()];
    const wrong = authOf(loginOf(alice), 'wrong');
    expect((await answerTo(first, wrong)).ms).toBeLessThan(SIGN_IN.delayMs);
    const late = await answerTo(second, wrong);
    expect([late.answer, late.ms > SIGN_IN.delayMs - 5]).toEqual([FAILURE, true]);
    expect((await answerTo(second, authOf(loginOf(alice), tokenOf(alice)))).ms).toBeLessThan(SIGN_IN.delayMs);
  });

  test.each<[string, (user: TestUser, other: TestUser) => Promise<string> | string]>([
    ['the token of another user', (user, other) => authOf(loginOf(user), tokenOf(other))],
    ['an application session', async (user) => authOf(loginOf(user), (await openSession()).token)],
    ['another application', (user) => authOf(`${user.id}-93`, tokenOf(user))],
    ['a token and an unknown user', (user) => authOf(`999999-${APPLICATION.id}`, tokenOf(user))],
    ['an empty password', (user) => authOf(loginOf(user), '')],
    [
      'a moderated user',
      async (user) => {
        await execute('mutation ($id: Int!) { blockUser(userId: $id) { id } }', { id: user.id }, apiKey);
        return authOf(loginOf(user), user.password);
      },
    ],
  ])('%s is refused like a wrong password', async (_name, authFor) => {
    const [user, other] = await createUsers(2);
    const client = await ready();
    expect((await answerTo(client, await authFor(user, other))).answer).toBe(FAILURE);
  });

  test('after many refusals of a user, passwords are not checked for a minute, but tokens of others are', async () => {
    clock.advance(3_600_000);
    const [alice, bob] = await createUsers(2);
    SIGN_IN.delayMs = 0;
    const client = await ready();
    for (let nth = 0; nth < 30; nth++) await answerTo(client, authOf(loginOf(alice), `wrong ${nth}`));
    expect((await answerTo(client, authOf(loginOf(alice), alice.password))).answer).toBe(FAILURE);
    expect((await answerTo(await ready(), authOf(loginOf(bob), bob.password))).answer).toMatch(/^<success/);
    clock.advance(61_000);
    expect((await answerTo(client, authOf(loginOf(alice), alice.password))).answer).toMatch(/^<success/);
    SIGN_IN.delayMs = 300;
  });

  test('a socket without a sign-in is closed', async () => {
    SIGN_IN.timeoutMs = 50;
    const client = await ChatSocket.open();
    await client.closed;
    expect(client.frames[1]).toBe(streamError('connection-timeout'));
    SIGN_IN.timeoutMs = delays.timeoutMs;
  });
});

describe('the end of credentials', () => {
  const change = (user: TestUser) =>
    rest('PUT', `/users/${user.id}.json`, {
      as: user,
      json: { user: { password: 'password-2', old_password: user.password } },
    });

  test.each<[string, (user: TestUser) => Promise<unknown>, 'token' | 'password']>([
    ['a logout', (user) => rest('DELETE', '/session.json', { as: user }), 'token'],
    ['a new password', change, 'password'],
    ['the deletion of the user', (user) => rest('DELETE', `/users/${user.id}.json`, { as: user }), 'token'],
    [
      'moderation',
      (user) => execute('mutation ($id: Int!) { blockUser(userId: $id) { id } }', { id: user.id }, apiKey),
      'password',
    ],
    ['expiry', async () => clock.advance(3 * 3_600_000), 'token'],
  ])('%s ends the streams of all processes', async (_name, end, kind) => {
    const user = await createUser();
    const other = await startAnother(CHAT);
    const secret = kind === 'token' ? tokenOf(user) : user.password;
    const clients = [await openChat(user, 'a', { secret }), await openChat(user, 'b', { secret, app: other })];
    await end(user);
    for (const client of clients) {
      await client.closed;
      expect(client.frames.at(-2)).toBe(streamError('not-authorized'));
    }
    await other.stop();
  });

  test('stanzas extend the session, and pings and receipts do not', async () => {
    const [alice] = await createUsers(1);
    const client = await openChat(alice);
    const isAlive = async () => (await rest('GET', '/session.json', { as: alice })).status === 200;
    clock.advance(110 * 60_000);
    client.send(`<message to="${jidOf({ id: 999 })}" type="headline"><body>x</body></message>`);
    await client.settle();
    clock.advance(110 * 60_000);
    expect(await isAlive()).toBe(true);
    expect(running.app.services.presence.isOnline({ applicationId: APPLICATION.id, userId: alice.id })).toBe(true);
  });
});
