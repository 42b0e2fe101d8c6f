import { randomBytes } from 'node:crypto';
import { TOTP } from 'otpauth';
import { beforeAll, describe, expect, test } from 'vitest';
import { createSetupLink } from '../../../src/administration/administrators/links.ts';
import { db } from '../../../src/db/client.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { Encrypter } from '../../../src/platform/encryption/encrypter.ts';
import { clock, running, useApp } from '../../support/app/app.ts';
import { until } from '../../support/app/until.ts';
import {
  cookieOf,
  errorIn,
  fromConsole,
  inConsole,
  PASSWORD,
  signedInAdministrator,
} from '../../support/fixtures/administrators.ts';
import { linkIn, mailsTo } from '../../support/fixtures/mails.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';

useApp();

const ACCEPT = `mutation ($token: String!, $input: AcceptAdministratorLinkInput!) {
  acceptAdministratorLink(token: $token, input: $input) { id email name roles { applicationId role } }
}`;
const SIGN_IN = `mutation ($email: String!, $password: String!, $code: String) {
  signInAdministrator(email: $email, password: $password, code: $code) { id email confirmedUntil }
}`;
const CONFIRM = `mutation ($password: String!, $code: String) {
  confirmAdministrator(password: $password, code: $code) { confirmedUntil }
}`;
const LINK = 'query ($token: String!) { administratorLink(token: $token) { purpose email hasTotp } }';
const ME = '{ administrator { email } }';

const OWNER = 'ada@example.com';

async function setupToken(): Promise<string> {
  const url = await createSetupLink(running.app.services);
  expect(url).toMatch(new RegExp(`^${running.url}/console/welcome#[\\w-]{43}$`));
  return url!.split('#')[1]!;
}

const accept = (token: string, input: object) => fromConsole(ACCEPT, { token, input });
const signIn = (credentials: object) => fromConsole(SIGN_IN, { ...credentials });
const me = async (cookie: string) => (await fromConsole(ME, {}, inConsole(cookie, 'none'))).data.administrator;

describe('the first administrator', () => {
  test('a setup link expires after 15 minutes', async () => {
    const token = await setupToken();
    clock.advance(15 * MINUTE);
    expect((await fromConsole(LINK, { token })).data).toEqual({ administratorLink: null });
    expect(errorIn(await accept(token, { email: OWNER, password: PASSWORD }))).toEqual({
      message: 'Token is invalid, has expired or was used already',
      code: 'UNPROCESSABLE',
    });
  });

  test('invalid account data is refused and leaves the link valid', async () => {
    const token = await setupToken();
    for (const [input, message] of [
      [{ password: PASSWORD }, "Email can't be blank"],
      [{ email: 'no address', password: PASSWORD }, 'Email should look like an email address'],
      [{ email: OWNER, password: 'short' }, 'Password should have 12 to 128 characters'],
      [{ email: OWNER, password: OWNER }, 'Password should differ from the email address'],
      [{ email: OWNER, name: ' ', password: PASSWORD }, "Name can't be blank"],
    ] as const) {
      expect(errorIn(await accept(token, input))).toEqual({ message, code: 'UNPROCESSABLE' });
    }
    expect((await fromConsole(LINK, { token })).data.administratorLink).toMatchObject({ purpose: 'SETUP' });
  });

  test('a setup link creates one owner of all applications, however often it is used at the same time', async () => {
    const [token, other] = [await setupToken(), await setupToken()];
    const inputs = [1, 2, 3].map((number) => ({ email: `ada${number}@example.com`, password: PASSWORD }));
    const answers = await Promise.all(inputs.map((input, index) => accept(index === 2 ? other : token, input)));
    const created = answers.filter(({ data }) => data);
    expect(created.map(({ data }) => data.acceptAdministratorLink)).toEqual([
      expect.objectContaining({ roles: [{ applicationId: null, role: 'OWNER' }] }),
    ]);
    expect(await db.administrator.count()).toBe(1);
    expect(await createSetupLink(running.app.services)).toBeUndefined();
    await db.administrator.updateMany({ data: { email: OWNER } });
  });
});

describe('the cookie', () => {
  let cookie: string;
  beforeAll(async () => {
    cookie = cookieOf(await signIn({ email: OWNER.toUpperCase(), password: PASSWORD }));
  });

  test('is hidden from scripts and other sites', async () => {
    const { setCookie } = await signIn({ email: OWNER, password: PASSWORD });
    expect(setCookie).toEqual([
      expect.stringMatching(/^atrium-administrator=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
  });

  test('is bound to the host and TLS on https', async () => {
    const secure = { headers: { Origin: running.url.replace('http:', 'https:'), Application: 'none' } };
    const { setCookie } = await fromConsole(SIGN_IN, { email: OWNER, password: PASSWORD }, secure);
    expect(setCookie[0]).toMatch(/^__Host-atrium-administrator=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    expect(cookieOf({ setCookie } as never)).not.toContain(cookie);
  });

  test('identifies the administrator', async () => {
    expect(await me(cookie)).toEqual({ email: OWNER });
  });

  test.each([
    ['a page of another site', { Origin: 'https://evil.example' }],
    ['a page of another port', { Origin: 'http://127.0.0.1:1' }],
    ['an opaque origin', { Origin: 'null' }],
    ['a request without origin', { Origin: '' }],
    ['a request without the header Application', { Application: '' }],
  ])('is ignored in %s', async (_name, headers) => {
    const as = { headers: { ...inConsole(cookie, 'none').headers, ...headers } };
    expect((await fromConsole(ME, {}, as)).data).toEqual({ administrator: null });
    const { setCookie } = await fromConsole(SIGN_IN, { email: OWNER, password: PASSWORD }, as);
    expect(setCookie).toEqual([]);
  });

  test('is ignored in GET requests', async () => {
    const response = await fetch(`${running.url}/graphql?query=${encodeURIComponent(ME)}`, {
      headers: { Accept: 'application/json', ...inConsole(cookie, 'none').headers },
    });
    expect(await response.json()).toEqual({ data: { administrator: null } });
  });

  test('is ignored by REST', async () => {
    const response = await fetch(`${running.url}/users.json`, { headers: inConsole(cookie).headers });
    expect(response.status).toBe(401);
  });

  test('does not replace explicit credentials', async () => {
    const as = { headers: { ...inConsole(cookie).headers, Authorization: 'ApiKey wrong' } };
    expect(errorIn(await fromConsole('{ application { id } }', {}, as))).toEqual({
      message: 'Unauthorized',
      code: 'UNAUTHENTICATED',
    });
  });

  test('ends after 30 minutes without a request, and requests extend it', async () => {
    const mine = cookieOf(await signIn({ email: OWNER, password: PASSWORD }));
    for (let request = 0; request < 3; request++) {
      clock.advance(29 * MINUTE);
      expect(await me(mine)).toEqual({ email: OWNER });
    }
    clock.advance(30 * MINUTE);
    expect(await me(mine)).toBeNull();
    expect(errorIn(await fromConsole('{ administrators { id } }', {}, inConsole(mine, 'none')))).toEqual({
      message: 'Sign in to the console',
      code: 'UNAUTHENTICATED',
    });
  });

  test('ends 12 hours after the sign-in', async () => {
    const mine = cookieOf(await signIn({ email: OWNER, password: PASSWORD }));
    for (let request = 0; request < 24; request++) {
      clock.advance(29 * MINUTE + 59_000);
      expect(await me(mine)).toEqual({ email: OWNER });
    }
    clock.advance(MINUTE);
    expect(await me(mine)).toBeNull();
  });

  test('is removed by signing out, which ends the session', async () => {
    const mine = cookieOf(await signIn({ email: OWNER, password: PASSWORD }));
    const { setCookie } = await fromConsole('mutation { signOutAdministrator }', {}, inConsole(mine, 'none'));
    expect(setCookie[0]).toMatch(/^atrium-administrator=; Max-Age=0; /);
    expect(await me(mine)).toBeNull();
  });
});

test.each([
  ['a wrong password', { email: OWNER, password: 'wrong horse battery' }],
  ['an unknown address', { email: 'nobody@example.com', password: PASSWORD }],
])('signing in with %s fails without revealing which part is wrong', async (_name, credentials) => {
  const answer = await signIn(credentials);
  expect(errorIn(answer)).toEqual({ message: 'Wrong email address, password or code', code: 'UNAUTHENTICATED' });
  expect(answer.setCookie).toEqual([]);
});

describe('TOTP', () => {
  const START = 'mutation { createTotpSecret { secret uri } }';
  const ENABLE = 'mutation ($code: String!) { enableTotp(code: $code) }';
  const credentials = { email: OWNER, password: PASSWORD };
  const WRONG = { message: 'Wrong email address, password or code', code: 'UNAUTHENTICATED' };
  let totp: TOTP;
  let recoveryCodes: string[];
  const codeNow = () => totp.generate({ timestamp: clock.now() });

  test('begins with the first code of the app and returns recovery codes', async () => {
    const as = inConsole(cookieOf(await signIn(credentials)), 'none');
    const { createTotpSecret } = (await fromConsole(START, {}, as)).data;
    expect(createTotpSecret.uri).toContain(`otpauth://totp/Atrium:${encodeURIComponent(OWNER)}?`);
    totp = new TOTP({ secret: createTotpSecret.secret });
    expect(errorIn(await fromConsole(ENABLE, { code: '000000' }, as))).toMatchObject({ code: 'UNPROCESSABLE' });
    expect(errorIn(await signIn(credentials))).toBeUndefined();
    recoveryCodes = (await fromConsole(ENABLE, { code: codeNow() }, as)).data.enableTotp;
    expect(new Set(recoveryCodes).size).toBe(10);
    expect(errorIn(await fromConsole(START, {}, as))).toMatchObject({ code: 'UNPROCESSABLE' });
    const { encryptedTotp } = await db.administrator.findUniqueOrThrow({ where: { email: OWNER } });
    expect(encryptedTotp).not.toContain(createTotpSecret.secret);
  });

  test('signing in then requires a code, each of which works once', async () => {
    expect(errorIn(await signIn(credentials))).toMatchObject({ code: 'CODE_REQUIRED' });
    expect(errorIn(await signIn({ ...credentials, password: 'wrong horse battery' }))).toEqual(WRONG);
    expect(errorIn(await signIn({ ...credentials, code: codeNow() }))).toEqual(WRONG); // used by enableTotp
    clock.advance(MINUTE);
    const code = codeNow();
    const answers = await Promise.all([1, 2, 3].map(() => signIn({ ...credentials, code })));
    expect(answers.filter(({ data }) => data).length).toBe(1);
    clock.advance(2 * MINUTE);
    expect(errorIn(await signIn({ ...credentials, code }))).toEqual(WRONG);
  });

  test('a recovery code replaces a code of the app once', async () => {
    const [code] = recoveryCodes;
    expect(errorIn(await signIn({ ...credentials, code: code!.toUpperCase() }))).toBeUndefined();
    expect(errorIn(await signIn({ ...credentials, code }))).toEqual(WRONG);
  });

  test('a recovery code works after the encryption key was lost', async () => {
    const { id, encryptedTotp } = await db.administrator.findUniqueOrThrow({ where: { email: OWNER } });
    const other = new Encrypter(randomBytes(32)).encrypt('secret', `totp ${id}`);
    await db.administrator.update({ where: { id }, data: { encryptedTotp: other } });
    expect(errorIn(await signIn({ ...credentials, code: '123456' }))).toMatchObject({
      code: 'UNPROCESSABLE',
      message: expect.stringContaining('ENCRYPTION_KEY has changed; use a recovery code'),
    });
    expect(errorIn(await signIn({ ...credentials, code: recoveryCodes[3]! }))).toBeUndefined();
    await db.administrator.update({ where: { id }, data: { encryptedTotp } });
  });

  test('a link to set a new password does not replace the code', async () => {
    await fromConsole(`mutation { requestAdministratorLink(email: "${OWNER}") }`);
    const sent = async () => (await mailsTo(OWNER)).find((mail) => mail.includes('Set a new password'));
    await until(async () => (await sent()) !== undefined);
    const token = linkIn((await sent())!).split('#')[1]!;
    expect((await fromConsole(LINK, { token })).data.administratorLink).toEqual({
      purpose: 'PASSWORD_RESET',
      email: OWNER,
      hasTotp: true,
    });
    expect(errorIn(await accept(token, { password: 'another horse battery' }))).toMatchObject({
      code: 'CODE_REQUIRED',
    });
    const answer = await accept(token, { password: PASSWORD, code: recoveryCodes[1]! });
    expect(errorIn(answer)).toBeUndefined();
    expect(await me(cookieOf(answer))).toEqual({ email: OWNER });
    expect((await fromConsole(LINK, { token })).data.administratorLink).toBeNull();
  });

  test('allows ten wrong codes in 15 minutes, from all networks together', async () => {
    clock.advance(MINUTE);
    const wrong = Array.from({ length: 15 }, () => signIn({ ...credentials, code: 'wrong-code' }));
    const codes = (await Promise.all(wrong)).map((answer) => errorIn(answer)!.code);
    expect(codes.filter((code) => code === 'UNAUTHENTICATED')).toHaveLength(10);
    expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(5);
    const refused = await signIn({ ...credentials, code: codeNow() });
    expect(refused.errors![0]).toMatchObject({ extensions: { code: 'RATE_LIMITED', retryAfter: 15 * 60 } });
    expect(errorIn(await signIn({ ...credentials, password: 'wrong horse battery' }))).toEqual(WRONG);
    clock.advance(15 * MINUTE);
    expect(errorIn(await signIn({ ...credentials, code: codeNow() }))).toBeUndefined();
    clock.advance(MINUTE);
    for (let nth = 0; nth < 9; nth++) await signIn({ ...credentials, code: 'wrong-code' });
    expect(errorIn(await signIn({ ...credentials, code: codeNow() }))).toBeUndefined();
    expect(errorIn(await signIn({ ...credentials, code: 'wrong-code' }))).toEqual(WRONG);
  });

  test('ends with a confirmed request', async () => {
    const as = inConsole(cookieOf(await signIn({ ...credentials, code: recoveryCodes[2]! })), 'none');
    expect((await fromConsole('mutation { disableTotp }', {}, as)).data).toEqual({ disableTotp: true });
    expect(errorIn(await signIn(credentials))).toBeUndefined();
  });
});

describe('links to set a new password', () => {
  test('requests for unknown addresses succeed without a mail, and repeated ones send one mail a minute', async () => {
    const before = (await mailsTo(OWNER)).length;
    clock.advance(2 * MINUTE);
    for (const email of ['nobody@example.com', OWNER, OWNER]) {
      const { data } = await fromConsole('mutation ($email: String!) { requestAdministratorLink(email: $email) }', {
        email,
      });
      expect(data).toEqual({ requestAdministratorLink: true });
    }
    await until(async () => (await mailsTo(OWNER)).length === before + 1);
    expect(await mailsTo('nobody@example.com')).toEqual([]);
  });

  test('end all sessions of the administrator', async () => {
    const mine = cookieOf(await signIn({ email: OWNER, password: PASSWORD }));
    clock.advance(2 * MINUTE);
    const before = (await mailsTo(OWNER)).length;
    await fromConsole(`mutation { requestAdministratorLink(email: "${OWNER}") }`);
    await until(async () => (await mailsTo(OWNER)).length === before + 1);
    const token = linkIn((await mailsTo(OWNER)).at(-1)!).split('#')[1]!;
    expect(errorIn(await accept(token, { password: PASSWORD }))).toBeUndefined();
    expect(await me(mine)).toBeNull();
  });
});

describe('confirmation', () => {
  test('deletions require a sign-in or confirmation within 15 minutes', async () => {
    const mine = cookieOf(await signIn({ email: OWNER, password: PASSWORD }));
    const as = inConsole(mine, 'none');
    const remove = () => fromConsole('mutation { deleteAdministrator(id: 2147483647) }', {}, as);
    expect(errorIn(await remove())).toMatchObject({ code: 'NOT_FOUND' });
    clock.advance(15 * MINUTE);
    expect(errorIn(await remove())).toEqual({
      message: 'Confirm with your password or a passkey to continue',
      code: 'CONFIRMATION_REQUIRED',
    });
    expect(errorIn(await fromConsole(CONFIRM, { password: 'wrong horse battery' }, as))).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    expect(errorIn(await fromConsole(CONFIRM, { password: PASSWORD }, as))).toBeUndefined();
    expect(errorIn(await remove())).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('a changed password ends the other sessions', async () => {
    const [mine, other] = [1, 2].map(() => signIn({ email: OWNER, password: PASSWORD }));
    const [cookie, otherCookie] = [cookieOf(await mine!), cookieOf(await other!)];
    const change = 'mutation ($password: String!) { changeAdministratorPassword(password: $password) }';
    expect(errorIn(await fromConsole(change, { password: 'short' }, inConsole(cookie, 'none')))).toMatchObject({
      code: 'UNPROCESSABLE',
    });
    const next = 'another horse battery';
    expect(errorIn(await fromConsole(change, { password: next }, inConsole(cookie, 'none')))).toBeUndefined();
    expect(await me(cookie)).toEqual({ email: OWNER });
    expect(await me(otherCookie)).toBeNull();
    expect(errorIn(await signIn({ email: OWNER, password: PASSWORD }))).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(errorIn(await signIn({ email: OWNER, password: next }))).toBeUndefined();
  });
});

test('expired sessions and links are swept', async () => {
  const { sweep } = await import('../../../src/jobs/sweep.ts');
  await signedInAdministrator('viewer');
  expect(await db.administratorSession.count()).toBeGreaterThan(0);
  clock.advance(8 * 24 * 60 * MINUTE);
  await sweep(running.now(), RETENTION);
  expect([await db.administratorSession.count(), await db.administratorLink.count()]).toEqual([0, 0]);
});
