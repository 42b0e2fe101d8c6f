import { describe, expect, test } from 'vitest';
import { storeIdentityProvider } from '../../../src/resolvers/sessions/identity-providers.ts';
import { APPLICATION, ENCRYPTER, running, useApp } from '../../support/app/app.ts';
import { sql, whileUserIsLocked } from '../../support/app/sql.ts';
import { type RestAnswer, rest } from '../../support/clients/rest.ts';
import { answerJson, startProvider } from '../../support/fakes/provider.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { type Caller, createUser, openSession, signedParameters } from '../../support/fixtures/users.ts';

useApp();

const CHANGE = "UPDATE users SET password_hash = 'another' WHERE id = $1";
const DELETE = 'DELETE FROM users WHERE id = $1';
const TOUCH = 'UPDATE users SET last_request_at = now() WHERE id = $1';

type Fields = Record<string, string>;
type SignIn = (fields: Fields) => Promise<RestAnswer>;

/** `POST /session` with sign-in fields, renamed to the names that are signed there. */
const openUserSession: SignIn = (fields) =>
  rest('POST', '/session.json', { form: new URLSearchParams(signedParameters(fields)).toString() });

const logInto =
  (as: Caller): SignIn =>
  (fields) =>
    rest('POST', '/login.json', { as, form: new URLSearchParams(fields).toString() });

const passwordOf = ({ login, password }: { login: string; password: string }) => ({
  'user[login]': login,
  'user[password]': password,
});

const sessionsOf = (userId: number) => sql('SELECT id FROM sessions WHERE user_id = $1', [userId]);

describe.each<[name: string, signIn: () => Promise<SignIn>]>([
  ['POST /session', async () => openUserSession],
  ['POST /login', async () => logInto(await openSession())],
])('%s with a concurrent change during the password check', (_name, prepare) => {
  test.each([
    ['no session is opened when the password changes', CHANGE],
    ['no session is opened when the user is deleted', DELETE],
  ])('%s', async (_what, change) => {
    const user = await createUser();
    const signIn = await prepare();
    const before = await sessionsOf(user.id);
    const { status, text } = await whileUserIsLocked(user.id, change, () => signIn(passwordOf(user)));
    expect([status, text]).toEqual([401, '']);
    expect(await sessionsOf(user.id)).toEqual(change === DELETE ? [] : before);
  });

  test('a session is opened when other fields of the user change', async () => {
    const user = await createUser();
    const signIn = await prepare();
    const { status } = await whileUserIsLocked(user.id, TOUCH, () => signIn(passwordOf(user)));
    expect([200, 201]).toContain(status);
    expect(await sessionsOf(user.id)).toHaveLength(2);
  });
});

describe('provider sign-in with a concurrent change', () => {
  const fields = { provider: 'facebook', 'keys[token]': 'FT' };

  async function useFacebook(): Promise<void> {
    const { url } = await startProvider((_request, response, { pathname }) =>
      answerJson(
        response,
        pathname === '/debug_token'
          ? { data: { app_id: '12', is_valid: true, expires_at: 0, user_id: '1' } }
          : { id: '1', name: 'Ann' },
      ),
    );
    const facebook = { appId: '12', appSecret: 'fs' };
    await storeIdentityProvider(
      { applicationId: APPLICATION.id, facebook, endpoint: url },
      { encrypter: ENCRYPTER, now: running.now() },
    );
  }

  test('a session is opened when the password changes, but not when the user is deleted', async () => {
    await useFacebook();
    const { id } = await createUser({ facebook_id: '1' });
    for (const signIn of [openUserSession, logInto(await openSession())]) {
      expect([200, 201]).toContain((await whileUserIsLocked(id, CHANGE, () => signIn(fields))).status);
    }
    const { status, text } = await whileUserIsLocked(id, DELETE, () => openUserSession(fields));
    expect([status, text]).toEqual([401, '']);
    expect(await sessionsOf(id)).toEqual([]);
  });
});

test('after 20 sign-ins concurrent with a password change, no session of the old password remains', async () => {
  const user = await createUser();
  const own = await sessionsOf(user.id);
  const tokens = await Promise.all(Array.from({ length: 10 }, () => openSession()));
  const changed = execute(
    'mutation ($id: Int!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id } }',
    { id: user.id, input: { password: 'password-2', oldPassword: user.password } },
    user,
  );
  const answers = await Promise.all([
    ...Array.from({ length: 10 }, () => openUserSession(passwordOf(user))),
    ...tokens.map((token) => logInto(token)(passwordOf(user))),
  ]);
  await changed;
  expect(answers.map(({ status }) => status).filter((status) => ![200, 201, 401].includes(status))).toEqual([]);
  expect(await sessionsOf(user.id)).toEqual(own);
});
