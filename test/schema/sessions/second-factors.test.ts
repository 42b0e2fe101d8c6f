import { afterEach, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { sweep } from '../../../src/jobs/sweep.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { execute, reasonOf } from '../../support/fixtures/chat.ts';
import { mailsTo } from '../../support/fixtures/mails.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';
import {
  addPasskey,
  allowFactors,
  CONFIRM,
  challengeFor,
  enableTotp,
  METHODS,
  PASSKEY_SIGN_IN,
  REQUEST_CONFIRMATION,
  setApplication,
  signIn,
} from '../../support/fixtures/second-factors.ts';
import {
  anonymous,
  apiKey,
  type Caller,
  createUser,
  openSession,
  signedParameters,
} from '../../support/fixtures/users.ts';

useApp();

afterEach(() => clock.reset());

const MINUTE = 60_000;
const WRONG_CODE = 'SIGN_IN_CODE_WRONG';

async function reasonOfSignIn(input: object) {
  const { data, errors } = await signIn(input);
  return data?.createSession ? 'signed in' : errors?.[0]?.extensions?.reason;
}

async function enablePasskey(user: Caller) {
  await addPasskey(user);
  await execute('mutation { enablePasskeyFactor }', {}, user);
}

const callerOf = (token: string): Caller => ({ headers: { 'SVC-Token': token } });

describe('an authenticator app', () => {
  test('a user who has turned it on signs in with password and code, each code once', async () => {
    await allowFactors();
    const user = await createUser();
    const { code, recoveryCodes } = await enableTotp(user);
    expect(recoveryCodes).toHaveLength(10);
    const challenge = await challengeFor(user);
    expect(challenge).toMatchObject({ methods: ['TOTP', 'RECOVERY_CODE'], passkeyOptions: null });
    const answer = { token: challenge.token, code: code() };
    expect(await reasonOfSignIn({ answer: { ...answer, code: '000000' } })).toBe(WRONG_CODE);
    expect((await signIn({ answer })).data).toMatchObject({ createSession: { userId: user.id } });
    expect(await reasonOfSignIn({ answer })).toBe(WRONG_CODE);
    const again = { token: (await challengeFor(user)).token, code: answer.code };
    expect(await reasonOfSignIn({ answer: again })).toBe(WRONG_CODE);
    clock.advance(31_000);
    expect(await reasonOfSignIn({ answer: { ...again, code: code() } })).toBe('signed in');
  });

  test('a recovery code replaces a code once, also if many clients try it at the same time', async () => {
    await allowFactors();
    const user = await createUser();
    const { recoveryCodes } = await enableTotp(user);
    const challenges = await Promise.all([1, 2, 3, 4].map(() => challengeFor(user)));
    const code = ` ${recoveryCodes[0]!.toUpperCase()} `;
    const results = await Promise.all(challenges.map(({ token }) => reasonOfSignIn({ answer: { token, code } })));
    expect(results.sort()).toEqual([WRONG_CODE, WRONG_CODE, WRONG_CODE, 'signed in']);
    const { signInMethods } = await execute(METHODS, {}, user);
    expect(signInMethods).toMatchObject({ needsSecondFactor: true, hasTotp: true, recoveryCodesLeft: 9 });
    const { renewRecoveryCodes } = await execute('mutation { renewRecoveryCodes }', {}, user);
    const { token } = await challengeFor(user);
    expect(await reasonOfSignIn({ answer: { token, code: recoveryCodes[1]! } })).toBe(WRONG_CODE);
    expect(await reasonOfSignIn({ answer: { token, code: renewRecoveryCodes[0] } })).toBe('signed in');
  });

  test('turning it on ends the other sessions of the user, which were opened without it', async () => {
    await allowFactors();
    for (const turnOn of [enableTotp, enablePasskey]) {
      const user = await createUser();
      const { token } = (await signIn({ user: { login: user.login, password: user.password } })).data!.createSession;
      expect(await reasonOf('{ me { id } }', {}, callerOf(token))).toBeUndefined();
      await turnOn(user);
      expect(await reasonOf('{ me { id } }', {}, callerOf(token))).toBe('SESSION_MISSING');
      expect(await reasonOf('{ me { id } }', {}, user)).toBeUndefined();
    }
  });

  test('a challenge is refused after five minutes, in another application, and after a new password', async () => {
    await allowFactors();
    const user = await createUser();
    const { code } = await enableTotp(user);
    const old = await challengeFor(user);
    clock.advance(5 * MINUTE);
    expect(await reasonOfSignIn({ answer: { token: old.token, code: code() } })).toBe(WRONG_CODE);
    await sweep(running.now(), { ...RETENTION, sessionMinutes: 120, eventRetentionHours: 72 });
    expect(await db.signInChallenge.count({ where: { applicationId: APPLICATION.id, userId: user.id } })).toBe(0);
    const { token } = await challengeFor(user);
    expect(await reasonOfSignIn({ answer: { token: token.replace(/^./, 'f'), code: code() } })).toBe(WRONG_CODE);
    const update = 'mutation ($id: Int!) { updateUser(id: $id, input: { password: "password-2" }) { id } }';
    await execute(update, { id: user.id }, apiKey);
    expect(await reasonOfSignIn({ answer: { token, code: code() } })).toBe(WRONG_CODE);
  });

  test('codes cannot be guessed: an account accepts ten in a quarter of an hour, from all networks together', async () => {
    await allowFactors();
    const user = await createUser();
    const { code } = await enableTotp(user);
    const { token } = await challengeFor(user);
    const guesses: unknown[] = [];
    for (let guess = 0; guess < 11; guess++) guesses.push(await reasonOfSignIn({ answer: { token, code: '000000' } }));
    expect(guesses).toEqual([...Array(10).fill(WRONG_CODE), 'RATE_LIMITED']);
    expect(await reasonOfSignIn({ answer: { token, code: code() } })).toBe('RATE_LIMITED');
    clock.advance(16 * MINUTE);
    const { token: later } = await challengeFor(user);
    expect(await reasonOfSignIn({ answer: { token: later, code: code() } })).toBe('signed in');
  });

  test('REST asks for the second factor in the legacy style, and accepts the answer', async () => {
    await allowFactors();
    const user = await createUser();
    const { code } = await enableTotp(user);
    const first = signedParameters({ 'user[login]': user.login, 'user[password]': user.password });
    const asked = await rest('post', '/session.json', { json: first });
    expect(asked).toMatchObject({
      status: 401,
      body: {
        errors: ['A code of the authenticator app or a recovery code is required'],
        challenge: { methods: ['totp', 'recovery_code'], passkey_options: null },
      },
    });
    const { token } = asked.body.challenge;
    const second = signedParameters({ 'answer[token]': token, 'answer[code]': code() });
    const response = await fetch(`${running.url}/session.json`, { method: 'POST', body: new URLSearchParams(second) });
    expect([response.status, (await response.json()).session.user_id]).toEqual([201, user.id]);
  });

  test('it stays off without the setting, without a code, and for API keys on behalf of the user', async () => {
    await setApplication({ secondFactors: false });
    const user = await createUser();
    const create = 'mutation { createUserTotpSecret { secret } }';
    expect(await reasonOf(create, {}, user)).toBe('SECOND_FACTORS_OFF');
    await allowFactors();
    await execute(create, {}, user);
    expect(await reasonOf('mutation { enableUserTotp(code: "000000") }', {}, user)).toBe('CODE_WRONG');
    expect(await reasonOfSignIn({ user: { login: user.login, password: user.password } })).toBe('signed in');
    const acting = { headers: { ...apiKey.headers, 'On-Behalf-Of': String(user.id) } };
    expect(await reasonOf(create, {}, acting)).toBe('TOKEN_REQUIRED');
  });
});

describe('passkeys', () => {
  test('a user signs in with a passkey alone, also where a second factor is on', async () => {
    await allowFactors();
    const user = await createUser();
    const { authenticator, passkey } = await addPasskey(user);
    expect(passkey).toMatchObject({ name: 'phone', host: 'app.example.com' });
    await enableTotp(user);
    const { requestPasskeySignIn } = await execute(PASSKEY_SIGN_IN, { app: APPLICATION.id }, anonymous);
    expect(requestPasskeySignIn.passkeyOptions.allowCredentials ?? []).toEqual([]);
    const answer = {
      token: requestPasskeySignIn.token,
      passkey: authenticator.get(requestPasskeySignIn.passkeyOptions),
    };
    expect((await signIn({ answer })).data).toMatchObject({ createSession: { userId: user.id } });
    expect(await reasonOfSignIn({ answer })).toBe('PASSKEY_REFUSED');
  });

  test.each<[string, object]>([
    ['another origin', { origin: 'https://app.example.com.evil.example' }],
    ['another domain', { rpId: 'evil.example' }],
    ['another challenge', { challenge: 'AAAA' }],
    ['a person who was not verified', { isVerified: false }],
    ['the handle of another user', { userHandle: 'AAAA' }],
    ['no handle', { userHandle: null }],
    ['an unknown key', { hasOtherKey: true }],
    ['a counter that does not grow', { counter: 1 }],
  ])('a passkey is refused with %s', async (_name, deviation) => {
    await allowFactors();
    const user = await createUser();
    const { authenticator } = await addPasskey(user);
    const answer = async (change: object) => {
      const { requestPasskeySignIn } = await execute(PASSKEY_SIGN_IN, { app: APPLICATION.id }, anonymous);
      const { token, passkeyOptions } = requestPasskeySignIn;
      return reasonOfSignIn({ answer: { token, passkey: authenticator.get(passkeyOptions, change) } });
    };
    expect(await answer({})).toBe('signed in');
    expect(await answer(deviation)).toBe('PASSKEY_REFUSED');
  });

  test('a passkey answers as second factor, and is the only one until it is turned off', async () => {
    await allowFactors();
    const user = await createUser();
    const { authenticator, passkey } = await addPasskey(user);
    expect((await execute('mutation { enablePasskeyFactor }', {}, user)).enablePasskeyFactor).toHaveLength(10);
    const { token, methods, passkeyOptions } = await challengeFor(user);
    expect(methods).toEqual(['RECOVERY_CODE', 'PASSKEY']);
    expect(passkeyOptions.allowCredentials).toHaveLength(1);
    expect(await reasonOfSignIn({ answer: { token, passkey: authenticator.get(passkeyOptions) } })).toBe('signed in');
    const remove = 'mutation ($id: Int!) { deleteUserPasskey(id: $id) }';
    expect(await reasonOf(remove, { id: passkey.id }, user)).toBe('LAST_SECOND_FACTOR');
    await execute('mutation { disableSecondFactor }', {}, user);
    expect(await execute(remove, { id: passkey.id }, user)).toEqual({ deleteUserPasskey: true });
    expect(await reasonOfSignIn({ user: { login: user.login, password: user.password } })).toBe('signed in');
  });

  test('passkeys of others are unknown, and one credential belongs to one user', async () => {
    await allowFactors();
    const [alice, bob] = [await createUser(), await createUser()];
    const { authenticator, passkey } = await addPasskey(alice);
    const rename = 'mutation ($id: Int!) { updateUserPasskey(id: $id, name: "mine") { id } }';
    const remove = 'mutation ($id: Int!) { deleteUserPasskey(id: $id) }';
    for (const document of [rename, remove]) {
      expect(await reasonOf(document, { id: passkey.id }, bob)).toBe('PASSKEY_NOT_FOUND');
    }
    await execute(rename, { id: passkey.id }, alice);
    expect((await execute(METHODS, {}, alice)).signInMethods.passkeys).toMatchObject([{ name: 'mine' }]);
    const begun = await execute('mutation { requestUserPasskey { token passkeyOptions } }', {}, bob);
    const { token, passkeyOptions } = begun.requestUserPasskey;
    const stolen = { token, passkey: authenticator.create(passkeyOptions) };
    const add = `mutation ($token: String!, $passkey: PasskeyRegistrationInput!) {
      createUserPasskey(name: "x", token: $token, passkey: $passkey) { id } }`;
    expect(await reasonOf(add, stolen, alice)).toBe('PASSKEY_REJECTED');
  });

  test('origins are pages of one domain and Android apps, and none turns passkeys off', async () => {
    const origins = (passkeyOrigins: string[]) =>
      reasonOf(
        'mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { id } }',
        { input: { passkeyOrigins } },
        apiKey,
      );
    for (const wrong of [
      'http://app.example.com',
      'https://app.example.com/',
      'https://10.0.0.1',
      'app',
      'https://[::1]',
    ]) {
      expect([wrong, await origins([wrong])]).toEqual([wrong, 'NOT_AN_ORIGIN']);
    }
    expect(await origins(['https://example.com', 'https://evil.example'])).toBe('NOT_AN_ORIGIN');
    expect(await origins(['https://example.com', 'https://evilexample.com'])).toBe('NOT_AN_ORIGIN');
    const android = `android:apk-key-hash:${'a'.repeat(43)}`;
    expect(await origins(['https://example.com', 'https://app.example.com:8443', android])).toBeUndefined();
    expect(await origins(['http://localhost:5173'])).toBeUndefined();
    expect(await origins([])).toBeUndefined();
    expect(await reasonOf(PASSKEY_SIGN_IN, { app: APPLICATION.id }, anonymous)).toBe('PASSKEYS_OFF');
  });
});

describe('confirmation', () => {
  test('a user with a second factor confirms with it before changing credentials or deleting the account', async () => {
    await allowFactors();
    const user = await createUser();
    const { code } = await enableTotp(user);
    clock.advance(11 * MINUTE);
    const remove = 'mutation ($id: Int!) { deleteUser(id: $id) }';
    const mail =
      'mutation ($id: Int!, $old: String) { updateUser(id: $id, input: { email: "new@x.io", oldPassword: $old }) { id } }';
    const old = user.password;
    const refused = async () => [
      await reasonOf(remove, { id: user.id }, user),
      await reasonOf(mail, { id: user.id, old }, user),
      await reasonOf('mutation { renewRecoveryCodes }', {}, user),
      await reasonOf('mutation { disableSecondFactor }', {}, user),
    ];
    expect(await refused()).toEqual(Array(4).fill('CONFIRMATION_REQUIRED'));
    expect(await reasonOf(CONFIRM, { password: 'password-9' }, user)).toBe('WRONG_PASSWORD');
    expect(await reasonOf(CONFIRM, { password: user.password }, user)).toBe('CODE_REQUIRED');
    expect(await refused()).toEqual(Array(4).fill('CONFIRMATION_REQUIRED'));
    const { requestConfirmation } = await execute(REQUEST_CONFIRMATION, {}, user);
    const answer = { token: requestConfirmation.token, code: code() };
    const other = await openSession({ login: user.login, password: user.password }).catch(() => undefined);
    expect(other).toBeUndefined();
    await execute(CONFIRM, { answer }, user);
    expect(await execute(mail, { id: user.id, old }, user)).toMatchObject({ updateUser: { id: user.id } });
    expect(await execute(remove, { id: user.id }, user)).toEqual({ deleteUser: true });
  });

  test('a challenge of one session confirms no other session', async () => {
    await allowFactors();
    const user = await createUser();
    const { code } = await enableTotp(user);
    const signedIn = await signIn({ answer: { token: (await challengeFor(user)).token, code: code() } });
    const other = callerOf(signedIn.data!.createSession.token);
    clock.advance(11 * MINUTE);
    const { requestConfirmation } = await execute(REQUEST_CONFIRMATION, {}, user);
    const answer = { token: requestConfirmation.token, code: code() };
    expect(await reasonOf(CONFIRM, { answer }, other)).toBe(WRONG_CODE);
    expect(await reasonOf('mutation { disableSecondFactor }', {}, other)).toBe('CONFIRMATION_REQUIRED');
  });

  test('a user without a second factor confirms with the password, and may add a passkey again', async () => {
    await allowFactors();
    const user = await createUser();
    clock.advance(11 * MINUTE);
    const begin = 'mutation { requestUserPasskey { token } }';
    expect(await reasonOf(begin, {}, user)).toBe('CONFIRMATION_REQUIRED');
    const { confirmUser } = await execute(CONFIRM, { password: user.password }, user);
    expect(new Date(confirmUser).getTime() - clock.now()).toBeLessThanOrEqual(10 * MINUTE);
    expect(await reasonOf(begin, {}, user)).toBeUndefined();
  });
});

describe('policies', () => {
  test('a user whose role needs a second factor can only set one up until then', async () => {
    await allowFactors();
    const user = await createUser();
    await execute('mutation { defineRole(name: "editor", description: "") { name } }', {}, apiKey);
    await execute('mutation ($id: Int!) { assignRole(userId: $id, role: "editor") { id } }', { id: user.id }, apiKey);
    await setApplication({ secondFactorRoles: ['editor'] });
    const plain = await createUser();
    expect(await reasonOf('{ me { id } }', {}, plain)).toBeUndefined();
    expect(await reasonOf('{ me { id } }', {}, user)).toBe('SECOND_FACTOR_NEEDED');
    expect((await rest('get', '/session.json', { headers: user.headers })).status).toBe(403);
    expect((await execute(METHODS, {}, user)).signInMethods).toMatchObject({ isSecondFactorDemanded: true });
    const { code } = await enableTotp(user);
    expect(await reasonOf('{ me { id } }', {}, user)).toBeUndefined();
    const { token } = await challengeFor(user);
    const { data } = await signIn({ answer: { token, code: code() } });
    const signedIn = callerOf((data as { createSession: { token: string } }).createSession.token);
    expect(await reasonOf('{ me { id } }', {}, signedIn)).toBeUndefined();
    await execute('mutation { disableSecondFactor }', {}, signedIn);
    expect(await reasonOf('{ me { id } }', {}, signedIn)).toBe('SECOND_FACTOR_NEEDED');
    await setApplication({ secondFactorRoles: [] });
  });

  test('an API key reads how a user signs in, and resets the second factor of the user, who is notified', async () => {
    await allowFactors();
    const user = await createUser({ email: 'lost@x.io' });
    const { passkey } = await addPasskey(user);
    await enableTotp(user);
    const found = `query ($id: Int!) { userSignInMethods(userId: $id) {
      hasPassword needsSecondFactor recoveryCodesLeft passkeys { id name host } identities { issuer } } }`;
    expect((await execute(found, { id: user.id }, apiKey)).userSignInMethods).toEqual({
      ...{ hasPassword: true, needsSecondFactor: true, recoveryCodesLeft: 10, passkeys: [passkey], identities: [] },
    });
    for (const id of [0, 2 ** 31 - 1]) expect(await reasonOf(found, { id }, apiKey)).toBe('USER_NOT_FOUND');
    const reset = 'mutation ($id: Int!) { resetSecondFactor(userId: $id) }';
    expect(await reasonOf(reset, { id: 2 ** 31 - 1 }, apiKey)).toBe('USER_NOT_FOUND');
    const before = (await mailsTo('lost@x.io')).length;
    expect(await execute(reset, { id: user.id }, apiKey)).toEqual({ resetSecondFactor: true });
    expect((await execute(METHODS, {}, user)).signInMethods).toMatchObject({
      ...{ needsSecondFactor: false, hasTotp: false, recoveryCodesLeft: 0, passkeys: [] },
    });
    expect((await mailsTo('lost@x.io')).slice(before).join()).toContain('second factor');
    expect(await reasonOfSignIn({ user: { login: user.login, password: user.password } })).toBe('signed in');
  });
});
