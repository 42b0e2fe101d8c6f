import { afterEach, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { sweep } from '../../../src/jobs/sweep.ts';
import { clock, running, useApp } from '../../support/app/app.ts';
import { startAnother } from '../../support/app/other-apps.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { rest } from '../../support/clients/rest.ts';
import { closeSockets, connect } from '../../support/clients/websocket.ts';
import { errorOf } from '../../support/fixtures/chat.ts';
import { mailsTo, tokenIn } from '../../support/fixtures/mails.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';
import { anonymous, apiKey, createUser, openSession, type TestUser } from '../../support/fixtures/users.ts';

useApp();

afterEach(async () => {
  clock.reset();
  await closeSockets();
});

const RESET = 'mutation ($token: String!, $password: String!) { resetPassword(token: $token, password: $password) }';
const REQUEST = 'mutation ($email: String!) { requestPasswordReset(email: $email) }';
const DEAD = {
  message: 'Token is invalid, has expired or was used already',
  code: 'UNPROCESSABLE',
  fields: { token: ['is invalid, has expired or was used already'] },
};
const NEW = 'new-secret-2';

const MINUTE = 60_000;

interface MailedUser extends TestUser {
  email: string;
}

let number = 0;

async function createMailedUser(): Promise<MailedUser> {
  const email = `mailed${++number}@x.io`;
  return { ...(await createUser({ email })), email };
}

async function linkFor({ email }: { email: string }): Promise<string> {
  const { errors } = await graphql(REQUEST, { email }, apiKey);
  expect(errors).toBeUndefined();
  return tokenIn((await mailsTo(email)).at(-1)!);
}

const reset = (token: string, password = NEW) => graphql(RESET, { token, password });

async function canSignIn({ login }: TestUser, password: string): Promise<boolean> {
  return openSession({ login, password }).then(
    () => true,
    () => false,
  );
}

describe('requestPasswordReset', () => {
  test('requestPasswordReset returns errors in GraphQL form', async () => {
    expect(await errorOf(REQUEST, { email: 'x' }, apiKey)).toEqual({
      message: 'Email should look like an email address',
      code: 'UNPROCESSABLE',
      fields: { email: ['should look like an email address'] },
    });
    expect(await errorOf(REQUEST, { email: 'nobody@x.io' }, apiKey)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await errorOf(REQUEST, { email: 'x@x.io' }, anonymous)).toEqual({
      message: 'Token is required',
      code: 'UNAUTHENTICATED',
    });
  });

  test('requestPasswordReset is a mutation, unlike GET in REST, so that a link in a page cannot trigger it', async () => {
    for (const query of ['{ requestPasswordReset(email: "x") }', 'mutation { requestPasswordReset(email: "x") }']) {
      const response = await fetch(`${running.url}/graphql?query=${encodeURIComponent(query)}`, {
        headers: { Accept: 'application/graphql-response+json', ...apiKey.headers },
      });
      expect([400, 405]).toContain(response.status);
    }
  });
});

describe('resetPassword', () => {
  test('resetPassword sets the password for a valid token', async () => {
    const user = await createMailedUser();
    const token = await linkFor(user);
    clock.advance(5 * MINUTE);
    expect((await reset(token)).data).toEqual({ resetPassword: true });
    expect(await canSignIn(user, NEW)).toBe(true);
    expect(await canSignIn(user, user.password)).toBe(false);
    const { body } = await rest('GET', `/users/${user.id}.json`, { as: apiKey });
    expect(body.user.updated_at).toBe('2026-11-20T17:51:59Z');
  });

  test('resetPassword works with any credentials', async () => {
    const user = await createMailedUser();
    const token = await linkFor(user);
    const answer = await graphql(RESET, { token, password: NEW }, { headers: { 'SVC-Token': 'nonsense' } });
    expect(answer.data).toEqual({ resetPassword: true });
  });

  test('resetPassword sets a password for a user who had none', async () => {
    const user = await createMailedUser();
    await db.user.updateMany({ where: { id: user.id }, data: { passwordHash: null } });
    await reset(await linkFor(user));
    expect(await canSignIn(user, NEW)).toBe(true);
  });

  test('row 21: of 20 concurrent uses of one link, one changes the password', async () => {
    const user = await createMailedUser();
    const token = await linkFor(user);
    const passwords = Array.from({ length: 20 }, (_, place) => `password-no-${place}`);
    const another = await startAnother();
    try {
      const answers = await Promise.all(
        passwords.map(async (password, place) => {
          const url = place % 2 === 0 ? running.url : another.url;
          const response = await fetch(`${url}/graphql`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ query: RESET, variables: { token, password } }),
          });
          return (await response.json()) as { data?: unknown; errors?: { message: string }[] };
        }),
      );
      const winners = passwords.filter((_password, place) => !answers[place]!.errors);
      expect(winners.length).toBe(1);
      for (const { errors } of answers) if (errors) expect(errors[0]!.message).toBe(DEAD.message);
      expect(await canSignIn(user, winners[0]!)).toBe(true);
    } finally {
      await another.stop();
    }
  });

  test('a link works once', async () => {
    const user = await createMailedUser();
    const token = await linkFor(user);
    await reset(token);
    expect(await errorOf(RESET, { token, password: 'another-one' }, anonymous)).toEqual(DEAD);
    expect(await errorOf(RESET, { token, password: '' }, anonymous)).toEqual(DEAD);
    expect(await canSignIn(user, NEW)).toBe(true);
  });

  test('a link works for an hour', async () => {
    const user = await createMailedUser();
    const token = await linkFor(user);
    clock.advance(60 * MINUTE);
    expect(await errorOf(RESET, { token, password: NEW }, anonymous)).toEqual(DEAD);
    clock.advance(-1);
    expect((await reset(token)).data).toEqual({ resetPassword: true });
  });

  test('a password that breaks the rules leaves the link valid', async () => {
    const user = await createMailedUser();
    const token = await linkFor(user);
    const broken: [string, string[]][] = [
      ['', ['should contain alphanumeric and punctuation characters only', 'is too short (minimum is 8 characters)']],
      ['short', ['is too short (minimum is 8 characters)']],
      ['with a blank', ['should contain alphanumeric and punctuation characters only']],
      ['pässwörter', ['should contain alphanumeric and punctuation characters only']],
      ['x'.repeat(41), ['is too long (maximum is 40 characters)']],
    ];
    for (const [password, texts] of broken) {
      expect(await errorOf(RESET, { token, password }, anonymous)).toEqual({
        message: texts.map((text) => `Password ${text}`).join(', '),
        code: 'UNPROCESSABLE',
        fields: { password: texts },
      });
    }
    expect((await reset(token)).data).toEqual({ resetPassword: true });
  });

  test('resetting a password invalidates the other links of the user, but not of other users', async () => {
    const user = await createMailedUser();
    const other = await createMailedUser();
    const first = await linkFor(user);
    const ofOther = await linkFor(other);
    clock.advance(2 * MINUTE);
    const second = await linkFor(user);
    expect(second).not.toBe(first);
    await reset(first);
    expect(await errorOf(RESET, { token: second, password: 'another-one' }, anonymous)).toEqual(DEAD);
    expect((await reset(ofOther)).data).toEqual({ resetPassword: true });
  });

  test('of two concurrent links of one user, one changes the password', async () => {
    const user = await createMailedUser();
    const tokens = [await linkFor(user)];
    for (let more = 0; more < 3; more++) {
      clock.advance(2 * MINUTE);
      tokens.push(await linkFor(user));
    }
    const answers = await Promise.all([...tokens, ...tokens].map((token) => reset(token)));
    expect(answers.filter(({ errors }) => !errors).length).toBe(1);
    for (const { errors } of answers) if (errors) expect(errors[0]!.message).toBe(DEAD.message);
  });

  test('resetting a password ends all sessions and sockets of the user on every process, and no others', async () => {
    const user = await createMailedUser();
    const other = await createMailedUser();
    const second = await openSession(user);
    const another = await startAnother();
    try {
      const sockets = [await connect(user), await connect(second, another)];
      const untouched = await connect(other);
      await reset(await linkFor(user));
      for (const socket of sockets) expect((await socket.closed).code).toBe(4403);
      for (const caller of [user, second]) {
        expect((await rest('GET', '/session.json', { as: caller })).status).toBe(401);
      }
      expect((await untouched.run('{ me { id } }')).data.me.id).toBe(other.id);
      expect((await rest('GET', '/session.json', { as: other })).status).toBe(200);
    } finally {
      await another.stop();
    }
  });

  test.each([
    ['nothing', ''],
    ['a text', 'x'],
    ['an unknown token', `0000005c${'0'.repeat(32)}`],
    ['a token without application', `7fffffff${'0'.repeat(32)}`],
    ['a pattern', '%'.repeat(40)],
  ])('resetPassword rejects %s as token', async (_name, token) => {
    expect(await errorOf(RESET, { token, password: NEW }, anonymous)).toEqual(DEAD);
  });

  test('a session token is not a reset token, and a reset token opens no session', async () => {
    const user = await createMailedUser();
    expect(await errorOf(RESET, { token: user.token, password: NEW }, anonymous)).toEqual(DEAD);
    const headers = { 'SVC-Token': await linkFor(user) };
    expect((await rest('GET', '/session.json', { headers })).status).toBe(401);
  });
});

describe('invalidation of links', () => {
  test.each([
    ['a new address', { email: 'elsewhere@x.io' }],
    ['a new password', { password: 'other-secret', old_password: 'password-1' }],
  ])('a link is invalid after %s', async (_name, changes) => {
    const user = await createMailedUser();
    const token = await linkFor(user);
    const { status } = await rest('PUT', `/users/${user.id}.json`, { as: user, json: { user: changes } });
    expect(status).toBe(200);
    expect(await errorOf(RESET, { token, password: NEW }, anonymous)).toEqual(DEAD);
  });

  test('a link is invalid after the user was deleted', async () => {
    const user = await createMailedUser();
    const token = await linkFor(user);
    await db.user.deleteMany({ where: { id: user.id } });
    expect(await errorOf(RESET, { token, password: NEW }, anonymous)).toEqual(DEAD);
  });

  test('the sweep deletes links that are no longer valid and keeps the others', async () => {
    const [user, other] = [await createMailedUser(), await createMailedUser()];
    const old = await linkFor(user);
    clock.advance(30 * MINUTE);
    const young = await linkFor(other);
    clock.advance(30 * MINUTE + 1);
    await sweep(running.now(), RETENTION);
    expect(await db.passwordReset.count({ where: { userId: user.id } })).toBe(0);
    expect(await errorOf(RESET, { token: old, password: NEW }, anonymous)).toEqual(DEAD);
    expect((await reset(young)).data).toEqual({ resetPassword: true });
  });
});
