import { describe, expect, test } from 'vitest';
import { sign } from '../../../src/lib/signature.ts';
import { unixSeconds } from '../../../src/lib/time.ts';
import { APPLICATION, clock, running, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { sql } from '../../support/app/sql.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { errorOf, execute } from '../../support/fixtures/chat.ts';
import {
  anonymous,
  apiKey,
  type Caller,
  createUser,
  openSession,
  signedParameters,
} from '../../support/fixtures/users.ts';

useApp();

const CREATE = `mutation ($input: CreateSessionInput!) {
  createSession(input: $input) { id applicationId userId nonce timestamp token createdAt updatedAt }
}`;

let nonce = 5_000_000;

type Input = Record<string, unknown>;

/** The typed input of a session request, signed as the contract requires. */
function signedInput({ secret = APPLICATION.authSecret, user, ...changes }: Input & { secret?: string } = {}): Input {
  const input: Input = {
    applicationId: APPLICATION.id,
    authKey: APPLICATION.authKey,
    nonce: nonce++,
    timestamp: unixSeconds(running.now()),
    ...changes,
  };
  const names: [string, string][] = [
    ['applicationId', 'application_id'],
    ['authKey', 'auth_key'],
    ['nonce', 'nonce'],
    ['timestamp', 'timestamp'],
  ];
  const pairs = names.flatMap(([field, name]): [string, string][] =>
    input[field] === undefined ? [] : [[name, String(input[field])]],
  );
  for (const [name, value] of Object.entries((user ?? {}) as Record<string, string>)) {
    pairs.push([`user[${name}]`, value]);
  }
  return { ...input, ...(user ? { user } : {}), signature: sign(pairs, secret as string, 'sha1') };
}

const holderOf = (token: string): Caller => ({ headers: { 'SVC-Token': token } });

describe('createSession', () => {
  describe('with publicSignIn', () => {
    const permit = (publicSignIn: boolean) =>
      execute(`mutation { updateApplication(input: { publicSignIn: ${publicSignIn} }) { publicSignIn } }`, {}, apiKey);
    const input = { applicationId: APPLICATION.id };

    test('createSession opens a session with the application id only if the application permits it', async () => {
      expect(await errorOf(CREATE, { input }, anonymous)).toMatchObject({ message: 'No application found' });
      expect(await permit(true)).toEqual({ updateApplication: { publicSignIn: true } });
      const { createSession } = await execute(CREATE, { input }, anonymous);
      expect(createSession).toMatchObject({ userId: null, timestamp: unixSeconds(SAMPLE_TIME) });
      const { user } = await execute(
        'query ($id: Int!) { user(id: $id) { id } }',
        { id: (await createUser()).id },
        holderOf(createSession.token),
      );
      expect(user.id).toEqual(expect.any(Number));
      await permit(false);
      expect(await errorOf(CREATE, { input }, anonymous)).toMatchObject({ message: 'No application found' });
    });

    test('createSession still requires the password of a user', async () => {
      await permit(true);
      const { login, password, id } = await createUser();
      const { createSession } = await execute(CREATE, { input: { ...input, user: { login, password } } }, anonymous);
      expect(createSession.userId).toBe(id);
      const wrong = { ...input, user: { login, password: 'wrong-horse' } };
      expect(await errorOf(CREATE, { input: wrong }, anonymous)).toMatchObject({ code: 'UNAUTHENTICATED' });
      await permit(false);
    });

    test('createSession refuses a request with a wrong or incomplete signature', async () => {
      await permit(true);
      const signed = signedInput();
      for (const [change, message] of [
        [{ signature: 'wrong' }, 'Unexpected signature'],
        [{ signature: undefined }, 'Unexpected signature'],
        [{ authKey: 'wrong' }, 'No application found'],
        [{ authKey: undefined }, 'No application found'],
      ] as const) {
        expect(await errorOf(CREATE, { input: { ...signed, ...change } }, anonymous)).toMatchObject({ message });
      }
      await permit(false);
    });

    test('createSession does not open sessions of another application', async () => {
      await permit(true);
      const { applicationId } = await createTenant(0);
      expect(await errorOf(CREATE, { input: { applicationId } }, anonymous)).toMatchObject({
        message: 'No application found',
      });
      await permit(false);
    });
  });

  test('createSession opens an application session for a signed request', async () => {
    const input = signedInput({ nonce: -577_359_397 });
    const { createSession } = await execute(CREATE, { input }, anonymous);
    expect(createSession).toEqual({
      id: expect.any(Number),
      applicationId: APPLICATION.id,
      userId: null,
      nonce: -577_359_397,
      timestamp: unixSeconds(SAMPLE_TIME),
      token: expect.stringMatching(/^[0-9a-f]{40}$/),
      createdAt: SAMPLE_TIME.toISOString(),
      updatedAt: SAMPLE_TIME.toISOString(),
    });
    expect(await execute('{ session { id token } }', {}, holderOf(createSession.token))).toEqual({
      session: { id: createSession.id, token: createSession.token },
    });
  });

  test('createSession opens a user session by login or e-mail, ignoring letter case', async () => {
    const user = await createUser({ email: 'Bob@Example.com' });
    for (const name of [{ login: user.login.toUpperCase() }, { email: 'bob@example.COM' }]) {
      const input = signedInput({ user: { ...name, password: user.password } });
      const { createSession } = await execute(CREATE, { input }, anonymous);
      expect(createSession.userId).toBe(user.id);
      expect(await execute('{ me { id } }', {}, holderOf(createSession.token))).toEqual({ me: { id: user.id } });
    }
  });

  test('createSession accepts parameters as a legacy client signs them, including additional signed ones', async () => {
    const user = await createUser();
    const parameters = signedParameters({
      'user[login]': user.login,
      'user[password]': user.password,
      'user[owner_id]': '1',
      'device[platform]': 'ios',
    });
    const input = { parameters: Object.entries(parameters).map(([name, value]) => ({ name, value })) };
    expect((await execute(CREATE, { input }, anonymous)).createSession.userId).toBe(user.id);
  });

  test('row 25: parameters given twice are rejected, for either signed value', async () => {
    const parameters = signedParameters();
    const pairs = Object.entries(parameters).map(([name, value]) => ({ name, value }));
    const input = { parameters: [...pairs, { name: 'nonce', value: parameters.nonce! }] };
    expect(await errorOf(CREATE, { input }, anonymous)).toMatchObject({ message: 'Unexpected signature' });
  });

  const HOUR = 3600;
  const now = unixSeconds(SAMPLE_TIME);
  const REFUSED: [string, () => Input, string][] = [
    ['empty input', () => ({}), 'No application found'],
    ['an unknown application', () => signedInput({ applicationId: 4711 }), 'No application found'],
    ['an application id below 1', () => signedInput({ applicationId: -1 }), 'No application found'],
    ['a wrong key', () => signedInput({ authKey: 'WRONG' }), 'No application found'],
    ['no signature', () => ({ ...signedInput(), signature: undefined }), 'Unexpected signature'],
    ['a wrong secret', () => signedInput({ secret: 'other' }), 'Unexpected signature'],
    [
      'an upper-case signature',
      () => {
        const input = signedInput();
        return { ...input, signature: String(input.signature).toUpperCase() };
      },
      'Unexpected signature',
    ],
    [
      'a user that was not signed',
      () => ({ ...signedInput(), user: { login: 'bob', password: 'x' } }),
      'Unexpected signature',
    ],
    ['no timestamp', () => signedInput({ timestamp: undefined }), 'Bad timestamp'],
    ['a timestamp that is too old', () => signedInput({ timestamp: now - HOUR - 1 }), 'Bad timestamp'],
    ['a timestamp in the future', () => signedInput({ timestamp: now + HOUR + 1 }), 'Bad timestamp'],
    ['no nonce', () => signedInput({ nonce: undefined }), 'Bad nonce'],
  ];

  test.each(REFUSED)('createSession rejects %s', async (_name, input, message) => {
    expect(await errorOf(CREATE, { input: input() }, anonymous)).toEqual({ message, code: 'UNPROCESSABLE' });
  });

  test('createSession accepts a timestamp up to an hour off in either direction', async () => {
    for (const timestamp of [now - HOUR, now + HOUR])
      await execute(CREATE, { input: signedInput({ timestamp }) }, anonymous);
  });

  test('createSession returns the same error for a wrong password, an unknown login and a login of another application', async () => {
    const user = await createUser();
    const wrong = { message: 'Wrong login or password', code: 'UNAUTHENTICATED' };
    for (const given of [
      { login: user.login, password: 'wrong-password' },
      { login: 'nobody-at-all', password: user.password },
      { login: user.login, password: '' },
      { login: '', password: user.password },
      { email: '', password: user.password },
      { password: user.password },
      { login: user.login },
    ]) {
      expect(await errorOf(CREATE, { input: signedInput({ user: given }) }, anonymous)).toEqual(wrong);
    }
  });

  test('row 26: of many concurrent replays, one opens a session', async () => {
    const input = signedInput();
    const answers = await Promise.all(Array.from({ length: 20 }, () => graphql(CREATE, { input }, anonymous)));
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    for (const { errors } of answers) {
      if (errors) expect(errors).toMatchObject([{ message: 'Bad nonce', extensions: { code: 'UNPROCESSABLE' } }]);
    }
  });

  test('row 9: objects are rejected where numbers and texts are expected', async () => {
    for (const [field, value] of [
      ['authKey', { $ne: null }],
      ['signature', ['x']],
      ['nonce', 1.5],
      ['nonce', 'one'],
      ['timestamp', 2 ** 60],
      ['user', { login: { $gt: '' }, password: 'x' }],
    ] as const) {
      const input = { ...signedInput(), [field]: value };
      expect((await errorOf(CREATE, { input }, anonymous)).code, field).toBe('BAD_USER_INPUT');
    }
  });

  test('tokens and API keys are stored only as hashes', async () => {
    const { token } = await openSession();
    const [{ count }] = (await sql<{ count: number }>(
      'SELECT count(*)::int AS count FROM sessions WHERE strpos(token_hash, $1) > 0',
      [token],
    )) as [{ count: number }];
    expect(count).toBe(0);
    const keys = await sql<{ key_hash: string }>('SELECT key_hash FROM api_keys');
    expect(keys.map((key) => key.key_hash)).not.toContain(APPLICATION.apiKey);
  });
});

describe('session', () => {
  test("session returns the caller's session with this request as the latest", async () => {
    const user = await createUser();
    clock.reset(60_000);
    try {
      const { session } = await execute('{ session { userId token createdAt updatedAt } }', {}, user);
      expect(session).toEqual({
        userId: user.id,
        token: user.token,
        createdAt: SAMPLE_TIME.toISOString(),
        updatedAt: new Date(SAMPLE_TIME.getTime() + 60_000).toISOString(),
      });
    } finally {
      clock.reset();
    }
  });

  test('row 43: a session is extended by each request and ends after its lifetime', async () => {
    const user = await createUser();
    const idle = await openSession(user);
    const at = (minutes: number) => clock.reset(minutes * 60_000);
    try {
      for (const minutes of [119, 238, 357]) {
        at(minutes);
        expect((await execute('{ me { id } }', {}, user)).me.id).toBe(user.id);
      }
      expect(await errorOf('{ me { id } }', {}, idle)).toEqual({
        message: 'Required session does not exist',
        code: 'UNAUTHENTICATED',
      });
      at(357 + 120);
      expect(await errorOf('{ me { id } }', {}, user)).toMatchObject({ code: 'UNAUTHENTICATED' });
    } finally {
      clock.reset();
    }
  });
});

describe('deleteSession', () => {
  test('deleteSession ends the session of the token and no other', async () => {
    const user = await createUser();
    const other = await openSession(user);
    expect(await execute('mutation { deleteSession }', {}, user)).toEqual({ deleteSession: true });
    expect(await errorOf('{ me { id } }', {}, user)).toEqual({
      message: 'Required session does not exist',
      code: 'UNAUTHENTICATED',
    });
    expect((await execute('{ me { id } }', {}, other)).me.id).toBe(user.id);
    expect(await errorOf('mutation { deleteSession }', {}, user)).toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});

test('row 20: a token works only for its own application, even when the request names another', async () => {
  const user = await createUser();
  const other = await createTenant(1);
  const forged = other.applicationId.toString(16).padStart(8, '0') + user.token.slice(8);
  expect(await errorOf('{ me { id } }', {}, holderOf(forged))).toMatchObject({ code: 'UNAUTHENTICATED' });
});
