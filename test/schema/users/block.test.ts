import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { clock, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { rest } from '../../support/clients/rest.ts';
import { connect } from '../../support/clients/websocket.ts';
import { errorOf, execute } from '../../support/fixtures/chat.ts';
import { apiKey, createUser, onBehalfOf, openSession, type TestUser } from '../../support/fixtures/users.ts';

useApp();

const BLOCK = 'mutation ($id: Int!) { blockUser(userId: $id) { id blockedAt } }';
const UNBLOCK = 'mutation ($id: Int!) { unblockUser(userId: $id) { blockedAt } }';
const SESSIONS = 'query ($id: Int!) { userSessions(userId: $id) { id createdAt updatedAt expiresAt } }';
const END = 'mutation ($id: Int!) { endUserSessions(userId: $id) }';
const UNKNOWN = { message: 'The user was not found', code: 'NOT_FOUND' };

const signIn = ({ login, password }: TestUser) => openSession({ login, password });

describe('a blocked user', () => {
  test('loses open sessions, sockets and devices at once', async () => {
    const alice = await createUser();
    await graphql(
      `mutation { createPushToken(input: { environment: DEVELOPMENT, clientIdentificationSequence: "${'a'.repeat(64)}", platform: IOS, udid: "x" }) { id } }`,
      {},
      alice,
    );
    const socket = await connect(alice);
    const { blockUser } = await execute(BLOCK, { id: alice.id }, apiKey);
    expect(blockUser).toEqual({ id: alice.id, blockedAt: new Date(clock.now()).toISOString() });
    expect(await socket.closed).toMatchObject({ code: 4403 });
    expect(await errorOf('{ me { id } }', {}, alice)).toMatchObject({ message: 'Required session does not exist' });
    expect(await db.pushToken.count({ where: { userId: alice.id } })).toBe(0);
  });

  test('cannot sign in over any transport until unblocked', async () => {
    const alice = await createUser();
    const { login, password } = alice;
    await execute(BLOCK, { id: alice.id }, apiKey);
    await expect(signIn(alice)).rejects.toThrow('no session: 403');
    const session = await openSession();
    const log = 'mutation ($input: LoginUserInput!) { loginUser(input: $input) { id } }';
    expect(await errorOf(log, { input: { login, password } }, session)).toEqual({
      message: 'The user is blocked',
      code: 'FORBIDDEN',
    });
    const answer = await rest('POST', '/login.json', { as: session, json: { login, password } });
    expect([answer.status, answer.body]).toEqual([403, { errors: { base: ['The user is blocked'] } }]);
    await execute(UNBLOCK, { id: alice.id }, apiKey);
    expect((await signIn(alice)).token).toMatch(/^[0-9a-f]{40}$/);
  });

  test('with a wrong password is not revealed as blocked', async () => {
    const alice = await createUser();
    await execute(BLOCK, { id: alice.id }, apiKey);
    const session = await openSession();
    const log = 'mutation ($input: LoginUserInput!) { loginUser(input: $input) { id } }';
    expect(await errorOf(log, { input: { login: alice.login, password: 'wrong-password' } }, session)).toMatchObject({
      message: 'Wrong login or password',
    });
  });

  test('is shown as blocked to API keys only', async () => {
    const [alice, bob] = [await createUser(), await createUser()];
    await execute(BLOCK, { id: alice.id }, apiKey);
    const read = 'query ($id: Int!) { user(id: $id) { blockedAt } }';
    expect((await execute(read, { id: alice.id }, apiKey)).user.blockedAt).not.toBeNull();
    expect((await execute(read, { id: alice.id }, bob)).user.blockedAt).toBeNull();
    expect((await execute('{ me { id } }', {}, onBehalfOf(alice))).me.id).toBe(alice.id);
  });

  test('never has a session, even if both happen at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const alice = await createUser();
      await Promise.allSettled([signIn(alice), execute(BLOCK, { id: alice.id }, apiKey), signIn(alice)]);
      expect(await db.session.count({ where: { userId: alice.id } })).toBe(0);
    }
  });
});

describe('sessions of a user', () => {
  test('are listed without tokens, latest request first, and without expired ones', async () => {
    const alice = await createUser();
    clock.advance(100 * MINUTE);
    await signIn(alice);
    clock.advance(MINUTE);
    await signIn(alice);
    const { userSessions } = await execute(SESSIONS, { id: alice.id }, apiKey);
    expect(userSessions.length).toBe(3);
    const times = userSessions.map(({ updatedAt }: { updatedAt: string }) => updatedAt);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(JSON.stringify(userSessions)).not.toContain(alice.token);
    clock.advance(30 * MINUTE);
    expect((await execute(SESSIONS, { id: alice.id }, apiKey)).userSessions.length).toBe(2);
  });

  test('end together', async () => {
    const alice = await createUser();
    const socket = await connect(await signIn(alice));
    expect(await execute(END, { id: alice.id }, apiKey)).toEqual({ endUserSessions: 2 });
    expect(await socket.closed).toMatchObject({ code: 4403 });
    expect((await execute(SESSIONS, { id: alice.id }, apiKey)).userSessions).toEqual([]);
  });
});

test.each([BLOCK, UNBLOCK, END])(
  'an unknown user, or one of another application, is not found: %s',
  async (document) => {
    const other = await createTenant(1);
    for (const id of [2_147_483_647, -1, 0, other.users[0]!.id]) {
      expect(await errorOf(document, { id }, apiKey)).toEqual(UNKNOWN);
    }
  },
);
