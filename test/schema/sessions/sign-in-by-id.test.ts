import { expect, test } from 'vitest';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { errorOf, execute } from '../../support/fixtures/chat.ts';
import { anonymous, createUser, openSession, signedParameters } from '../../support/fixtures/users.ts';

useApp();

const LOGIN = 'mutation ($input: LoginUserInput!) { loginUser(input: $input) { id } }';
const SESSION = 'mutation ($input: CreateSessionInput!) { createSession(input: $input) { userId } }';
const WRONG = { message: 'Wrong login or password', code: 'UNAUTHENTICATED' };

test('a user signs in with id and password, and every wrong id or password is refused alike', async () => {
  const { id, password } = await createUser();
  const session = await openSession();
  for (const input of [
    { userId: id, password: 'password-2' },
    { userId: id },
    { userId: id + 1_000, password },
    { userId: 0, password },
    { userId: -2_147_483_648, password },
    { userId: 2_147_483_647, password },
    { userId: id, login: 'unknown', password },
  ]) {
    expect(await errorOf(LOGIN, { input }, session)).toEqual(WRONG);
  }
  expect((await execute(LOGIN, { input: { userId: id, password } }, session)).loginUser.id).toBe(id);
});

test('a session is created for a user by id, and the signature covers the id', async () => {
  const { id, password } = await createUser();
  const { application_id, auth_key, nonce, timestamp, signature } = signedParameters({
    'user[id]': String(id),
    'user[password]': password,
  });
  const input = {
    applicationId: Number(application_id),
    authKey: auth_key,
    nonce: Number(nonce),
    timestamp: Number(timestamp),
    signature,
  };
  const refused = await errorOf(SESSION, { input: { ...input, user: { id: id + 1, password } } }, anonymous);
  expect(refused).toMatchObject({ message: 'Unexpected signature' });
  const { createSession } = await execute(SESSION, { input: { ...input, user: { id, password } } }, anonymous);
  expect([createSession.userId, APPLICATION.id]).toEqual([id, Number(application_id)]);
});
