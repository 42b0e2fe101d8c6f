import { afterEach, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { sweep } from '../../../src/jobs/sweep.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { startAnother } from '../../support/app/other-apps.ts';
import { rest } from '../../support/clients/rest.ts';
import { closeSockets, connect } from '../../support/clients/websocket.ts';
import { execute, reasonOf } from '../../support/fixtures/chat.ts';
import { mailsTo } from '../../support/fixtures/mails.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';
import { anonymous, apiKey, type Caller, createUser, openSession } from '../../support/fixtures/users.ts';

useApp();

afterEach(async () => {
  clock.reset();
  await closeSockets();
});

const MINUTE = 60_000;
const SET = 'mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { id } }';
const REQUEST = `mutation ($app: Int!, $email: String!, $language: String) {
  requestSignInCode(applicationId: $app, email: $email, language: $language) { token expiresAt }
}`;
const CREATE = 'mutation ($input: CreateSessionInput!) { createSession(input: $input) { userId token } }';
const VERIFY = 'mutation ($token: String!, $code: String) { verifyEmail(token: $token, code: $code) }';
const ASK = 'mutation { requestEmailVerification { token } }';
const ME = '{ me { id email emailVerified isGuest } }';

const set = (input: object) => execute(SET, { input }, apiKey);

let number = 0;
const newAddress = () => `coded${++number}@x.io`;

/** Mails are sent after the response. */
async function codeFor(email: string, count = 1): Promise<string> {
  await expect.poll(async () => (await mailsTo(email)).length).toBe(count);
  return /^\d{6}$/m.exec((await mailsTo(email)).at(-1)!)![0];
}

async function request(email: string): Promise<string> {
  return (await execute(REQUEST, { app: APPLICATION.id, email }, anonymous)).requestSignInCode.token;
}

const inputOf = (token: string, code: string) => ({
  input: { applicationId: APPLICATION.id, emailCode: { token, code } },
});

async function signIn(token: string, code: string): Promise<Caller & { userId: number }> {
  const { createSession } = await execute(CREATE, inputOf(token, code), anonymous);
  return { userId: createSession.userId, headers: { 'SVC-Token': createSession.token } };
}

/** API keys, which create the users of tests, prove their addresses. */
async function createUnverified(email: string) {
  const user = await createUser({ email });
  await db.user.updateMany({ where: { id: user.id }, data: { verifiedEmail: null } });
  return user;
}

const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe('sign-in by a mailed code', () => {
  test('a user with a verified address signs in once, and only with the token of the request', async () => {
    await set({ publicSignIn: true, emailSignIn: 'USERS' });
    const email = newAddress();
    const user = await createUser({ email });
    const token = await request(email.toUpperCase());
    const code = await codeFor(email);
    const foreign = await request(newAddress());
    expect(await reasonOf(CREATE, inputOf(foreign, code), anonymous)).toBe('SIGN_IN_CODE_WRONG');
    expect(await reasonOf(CREATE, inputOf(token, other(code)), anonymous)).toBe('SIGN_IN_CODE_WRONG');
    const session = await signIn(token, code);
    expect(session.userId).toBe(user.id);
    expect((await execute(ME, {}, session)).me.emailVerified).toBe(true);
    expect(await reasonOf(CREATE, inputOf(token, code), anonymous)).toBe('SIGN_IN_CODE_WRONG');
    await openSession({ login: user.login, password: user.password });
  });

  test('a code permits five guesses, also at once', async () => {
    const email = newAddress();
    await createUser({ email });
    const token = await request(email);
    const code = await codeFor(email);
    const guesses = Array.from({ length: 8 }, () => reasonOf(CREATE, inputOf(token, other(code)), anonymous));
    expect(new Set(await Promise.all(guesses))).toEqual(new Set(['SIGN_IN_CODE_WRONG']));
    expect(await reasonOf(CREATE, inputOf(token, code), anonymous)).toBe('SIGN_IN_CODE_WRONG');
    const where = { applicationId: APPLICATION.id, email };
    expect((await db.mailedCode.findFirstOrThrow({ where })).attempts).toBe(5);
  });

  test('a code expires after 15 minutes', async () => {
    const email = newAddress();
    await createUser({ email });
    const token = await request(email);
    const code = await codeFor(email);
    clock.advance(15 * MINUTE);
    expect(await reasonOf(CREATE, inputOf(token, code), anonymous)).toBe('SIGN_IN_CODE_WRONG');
  });

  test('one of two concurrent sign-ins with a code succeeds', async () => {
    const email = newAddress();
    await createUser({ email });
    const token = await request(email);
    const code = await codeFor(email);
    const reasons = await Promise.all([1, 2, 3].map(() => reasonOf(CREATE, inputOf(token, code), anonymous)));
    expect(reasons.filter((reason) => reason === undefined)).toHaveLength(1);
  });

  test('an unverified address is taken over by the person who receives its mails', async () => {
    const email = newAddress();
    const squatter = await createUnverified(email);
    const token = await request(email);
    const session = await signIn(token, await codeFor(email));
    expect(session.userId).toBe(squatter.id);
    expect(await reasonOf(ME, {}, squatter)).toBe('SESSION_MISSING');
    await expect(openSession({ login: squatter.login, password: squatter.password })).rejects.toThrow();
  });

  test('an unknown address signs up only if the application permits it, and the response is the same', async () => {
    const email = newAddress();
    const silent = await execute(REQUEST, { app: APPLICATION.id, email }, anonymous);
    expect(silent.requestSignInCode.token).toMatch(/^[0-9a-f]{40}$/);
    await set({ emailSignIn: 'SIGN_UP' });
    clock.advance(MINUTE);
    const token = await request(email);
    const session = await signIn(token, await codeFor(email));
    expect((await execute(ME, {}, session)).me).toMatchObject({ email, emailVerified: true, isGuest: false });
    await set({ emailSignIn: 'USERS' });
  });

  test('an address receives one mail per minute and network, silently', async () => {
    const email = newAddress();
    await createUser({ email });
    const [first, second] = [await request(email), await request(email)];
    const code = await codeFor(email);
    expect(await reasonOf(CREATE, inputOf(second, code), anonymous)).toBe('SIGN_IN_CODE_WRONG');
    await signIn(first, code);
    clock.advance(MINUTE);
    await request(email);
    await codeFor(email, 2);
  });

  test('a signed request includes the code, and REST accepts it', async () => {
    const email = newAddress();
    const user = await createUser({ email });
    const session = await openSession();
    const token = await request(email);
    const code = await codeFor(email);
    const login = 'mutation ($input: LoginUserInput!) { loginUser(input: $input) { id } }';
    expect(await reasonOf(login, { input: { emailCode: { token } } }, session)).toBe('SIGN_IN_CODE_WRONG');
    expect((await execute(login, { input: { emailCode: { token, code } } }, session)).loginUser.id).toBe(user.id);
  });

  test('mails have the texts of the application for the language', async () => {
    const template = `mutation ($language: String, $text: String!) {
      updateMailTemplate(input: { kind: SIGN_IN_CODE, language: $language, subject: "s", text: $text }) { language }
    }`;
    await execute(template, { language: 'de', text: 'Ihr Code:\n{{code}}\n' }, apiKey);
    expect(await reasonOf(template, { language: 'x', text: '{{code}}' }, apiKey)).toBe('NOT_A_LANGUAGE');
    expect(await reasonOf(template, { text: 'no code' }, apiKey)).toBe('LINK_MISSING');
    expect(await reasonOf(template, { text: 'see https://evil.example/{{code}}' }, apiKey)).toBe('LINK_NOT_A_WORD');
    const email = newAddress();
    await createUser({ email });
    await execute(REQUEST, { app: APPLICATION.id, email, language: 'de-AT' }, anonymous);
    await codeFor(email);
    expect((await mailsTo(email))[0]).toContain('Ihr Code:');
    const kinds = '{ mailTemplates { kind language isDefault } }';
    expect((await execute(kinds, {}, apiKey)).mailTemplates).toContainEqual({
      kind: 'SIGN_IN_CODE',
      language: 'de',
      isDefault: false,
    });
  });

  test('without the setting, no code can be requested or used', async () => {
    await set({ emailSignIn: 'OFF' });
    expect(await reasonOf(REQUEST, { app: APPLICATION.id, email: 'a@x.io' }, anonymous)).toBe('EMAIL_SIGN_IN_OFF');
    expect(await reasonOf(REQUEST, { app: 999_999, email: 'a@x.io' }, anonymous)).toBe('EMAIL_SIGN_IN_OFF');
    expect(await reasonOf(CREATE, inputOf('0'.repeat(40), '123456'), anonymous)).toBe('EMAIL_SIGN_IN_OFF');
  });
});

describe('verification of addresses', () => {
  test('a user verifies the address by code or by link', async () => {
    for (const by of ['code', 'link']) {
      const email = newAddress();
      const user = await createUnverified(email);
      const { token } = (await execute(ASK, {}, user)).requestEmailVerification;
      const code = await codeFor(email);
      const link = /\/verify-email\?token=([0-9a-f]{40})/.exec((await mailsTo(email))[0]!)![1]!;
      expect(await reasonOf(VERIFY, { token }, anonymous)).toBe('CODE_INVALID');
      expect(await reasonOf(VERIFY, { token: link, code }, anonymous)).toBe('CODE_INVALID');
      expect(await reasonOf(VERIFY, { token, code: other(code) }, anonymous)).toBe('CODE_INVALID');
      expect((await execute(ME, {}, user)).me.emailVerified).toBe(false);
      await execute(VERIFY, by === 'code' ? { token, code } : { token: link }, anonymous);
      expect((await execute(ME, {}, user)).me.emailVerified).toBe(true);
      expect(await reasonOf(VERIFY, { token: link }, anonymous)).toBe('CODE_INVALID');
      expect(await reasonOf(ASK, {}, user)).toBe('EMAIL_ALREADY_VERIFIED');
    }
  });

  test('a link does not verify an address that the user has changed since', async () => {
    const email = newAddress();
    const user = await createUnverified(email);
    const { token } = (await execute(ASK, {}, user)).requestEmailVerification;
    const code = await codeFor(email);
    await rest('PUT', `/users/${user.id}.json`, { as: user, json: { user: { email: newAddress() } } });
    expect(await reasonOf(VERIFY, { token, code }, anonymous)).toBe('CODE_INVALID');
    expect(await reasonOf(ASK, {}, await createUser())).toBe('EMAIL_MISSING');
  });

  test('with verifyEmails, new addresses are sent a code without request', async () => {
    await set({ verifyEmails: true });
    const [first, second] = [newAddress(), newAddress()];
    const signUp = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }';
    const input = { login: 'signs-up', password: 'correct-horse', email: first };
    const { createUser: user } = await execute(signUp, { input }, await openSession());
    const session = await openSession({ login: 'signs-up', password: 'correct-horse' });
    await codeFor(first);
    await rest('PUT', `/users/${user.id}.json`, { as: session, json: { user: { email: second } } });
    await codeFor(second);
    await set({ verifyEmails: false });
  });

  test('with verifyEmails, a network cannot sign up many strangers to mail them', async () => {
    await set({ verifyEmails: true });
    const limited = await startAnother({ limits: { mail: { quota: 2, windowSeconds: 60 } } });
    const signUp = (email: string) =>
      fetch(`${limited.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...session.headers },
        body: JSON.stringify({
          query: `mutation { createUser(input: { login: "${email.split('@')[0]}", password: "correct-horse", email: "${email}" }) { id } }`,
        }),
      }).then((response) => response.json());
    const session = await openSession();
    const reasons = [];
    for (const _one of [1, 2, 3]) reasons.push((await signUp(newAddress())).errors?.[0]?.extensions.reason);
    expect(reasons).toEqual([undefined, undefined, 'RATE_LIMITED']);
    await limited.stop();
    await set({ verifyEmails: false });
  });

  test('the page of the link verifies the address only when its button is pressed', async () => {
    const email = newAddress();
    const user = await createUnverified(email);
    await execute(ASK, {}, user);
    await codeFor(email);
    const link = /http\S+\/verify-email\?token=[0-9a-f]{40}/.exec((await mailsTo(email))[0]!)![0];
    const page = await fetch(link);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(email)]);
    expect((await execute(ME, {}, user)).me.emailVerified).toBe(false);
    const token = new URL(link).searchParams.get('token')!;
    const done = await fetch(link.split('?')[0]!, { method: 'POST', body: new URLSearchParams({ token }) });
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('confirmed')]);
    expect((await execute(ME, {}, user)).me.emailVerified).toBe(true);
    const again = await fetch(link.split('?')[0]!, { method: 'POST', body: new URLSearchParams({ token }) });
    expect(again.status).toBe(422);
  });

  test('codes are deleted after a day', async () => {
    clock.advance(25 * 60 * MINUTE);
    await sweep(running.app.services.now(), RETENTION);
    expect(await db.mailedCode.count()).toBe(0);
  });
});

describe('sessions of a user', () => {
  const LIST = '{ sessions { id device network isCurrent } }';

  test('a user lists sessions with their devices, and ends one or all others', async () => {
    const user = await createUser();
    const second = await openSession({ login: user.login, password: user.password });
    const third = await openSession({ login: user.login, password: user.password });
    const { sessions } = await execute(LIST, {}, second);
    expect(sessions).toHaveLength(3);
    expect(sessions.filter((one: { isCurrent: boolean }) => one.isCurrent)).toHaveLength(1);
    expect(sessions[0]).toMatchObject({ device: expect.any(String), network: '127.0.0.1' });
    const socket = await connect(third);
    const own = (await execute(LIST, {}, third)).sessions.find((one: { isCurrent: boolean }) => one.isCurrent);
    const end = 'mutation ($id: Int!) { endSession(id: $id) }';
    expect(await reasonOf(end, { id: own.id }, await createUser())).toBe('SESSION_NOT_FOUND');
    await execute(end, { id: own.id }, second);
    expect((await socket.closed).code).toBe(4403);
    expect(await reasonOf(LIST, {}, third)).toBe('SESSION_MISSING');
    expect((await execute('mutation { endOtherSessions }', {}, second)).endOtherSessions).toBe(1);
    expect((await execute(LIST, {}, second)).sessions).toHaveLength(1);
  });

  test('a session ends maxSessionMinutes after the sign-in, however often it is used', async () => {
    const user = await createUser();
    await set({ maxSessionMinutes: 90 });
    const { sessions } = await execute('{ sessions { expiresAt createdAt } }', {}, user);
    expect(Date.parse(sessions[0].expiresAt) - Date.parse(sessions[0].createdAt)).toBe(90 * MINUTE);
    clock.advance(60 * MINUTE);
    await execute(ME, {}, user);
    clock.advance(30 * MINUTE);
    expect(await reasonOf(ME, {}, user)).toBe('SESSION_MISSING');
    await set({ maxSessionMinutes: null });
  });

  test('a sign-in on a new device is mailed to a verified address', async () => {
    await set({ deviceMails: true });
    const email = newAddress();
    const { id, login, password } = await createUser({ email });
    await db.user.updateMany({ where: { id }, data: { lastRequestAt: new Date() } });
    await db.session.updateMany({ where: { userId: id }, data: { device: 'Lynx on Amiga' } });
    await openSession({ login, password });
    await expect.poll(async () => (await mailsTo(email)).length).toBe(1);
    expect((await mailsTo(email))[0]).toContain('127.0.0.1');
    await set({ deviceMails: false });
  });
});

describe('guests', () => {
  const GUEST = 'mutation ($input: CreateSessionInput!) { createGuestSession(input: $input) { userId token } }';
  const input = { applicationId: APPLICATION.id };

  async function createGuest(): Promise<Caller & { id: number }> {
    const { createGuestSession } = await execute(GUEST, { input }, anonymous);
    return { id: createGuestSession.userId, headers: { 'SVC-Token': createGuestSession.token } };
  }

  test('a guest keeps everything when getting a password, long after the sign-in', async () => {
    expect(await reasonOf(GUEST, { input }, anonymous)).toBe('GUESTS_OFF');
    await set({ guestDays: 7 });
    const guest = await createGuest();
    expect((await execute(ME, {}, guest)).me).toMatchObject({ id: guest.id, isGuest: true });
    clock.advance(30 * MINUTE);
    const upgrade = `mutation ($id: Int!) {
      updateUser(id: $id, input: { login: "ex-guest", password: "correct-horse" }) { isGuest }
    }`;
    expect((await execute(upgrade, { id: guest.id }, guest)).updateUser.isGuest).toBe(false);
    const session = await openSession({ login: 'ex-guest', password: 'correct-horse' });
    expect((await execute(ME, {}, session)).me.id).toBe(guest.id);
  });

  test('guests are deleted after guestDays without request, and users are not', async () => {
    const [guest, idle, user] = [await createGuest(), await createGuest(), await createUser()];
    clock.advance(4 * 24 * 60 * MINUTE);
    await db.session.updateMany({ data: { updatedAt: running.app.services.now() } });
    await execute(ME, {}, guest);
    await running.app.services.sessionClock.flush();
    clock.advance(4 * 24 * 60 * MINUTE);
    await sweep(running.app.services.now(), { ...RETENTION, sessionMinutes: 20_000, eventRetentionHours: 24 });
    const left = await db.user.findMany({ where: { id: { in: [guest.id, idle.id, user.id] } } });
    expect(left.map(({ id }) => id).sort()).toEqual([guest.id, user.id].sort());
    await set({ guestDays: null });
  });
});
