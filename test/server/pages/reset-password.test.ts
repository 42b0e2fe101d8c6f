import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { clock, running, useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { FORM, type RawResponse, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { linkIn, mailsTo, tokenIn } from '../../support/fixtures/mails.ts';
import { apiKey, createUser, openSession, type TestUser } from '../../support/fixtures/users.ts';

useApp();

afterEach(() => clock.reset());

const DEAD = "This link can't be used";
let number = 0;

async function mailedUser(): Promise<TestUser & { link: string; token: string }> {
  const email = `page${++number}@x.io`;
  const user = await createUser({ email });
  await rest('GET', `/users/password/reset.json?email=${email}`, { as: apiKey });
  const [mail] = await mailsTo(email);
  return { ...user, link: linkIn(mail!), token: tokenIn(mail!) };
}

const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  rawRequest('POST', '/reset-password', {
    headers: { 'Content-Type': FORM, ...headers },
    body: new URLSearchParams(fields).toString(),
  });

function alerts({ text }: RawResponse): string[] {
  const [, lines] = /<div id="problems" role="alert">(.*?)<\/div>/.exec(text) ?? [];
  return [...(lines ?? '').matchAll(/<p>(.*?)<\/p>/g)].map((match) => match[1]!);
}

const titleOf = ({ text }: RawResponse) => /<title>(.*?)<\/title>/.exec(text)![1];

function expectSafe({ headers, text }: RawResponse): void {
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
  });
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  for (const tag of ['script', 'style']) {
    const parts = [...text.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))];
    expect(parts.length).toBe(1);
    const hash = createHash('sha256').update(parts[0]![1]!).digest('base64');
    expect(policy).toContain(`${tag}-src 'sha256-${hash}'`);
  }
  expect(text).not.toMatch(/\son\w+=|\sstyle=|javascript:|https?:\/\//);
}

describe('GET /reset-password', () => {
  test('GET shows the form for a link and does not use the link up', async () => {
    const { link, token } = await mailedUser();
    const path = link.slice(running.url.length);
    for (const target of [path, path, `${path}&utm_source=mail`]) {
      const page = await rawRequest('GET', target);
      expect(page.status).toBe(200);
      expectSafe(page);
      expect(page.text).toContain(`<input type="hidden" name="reset_token" value="${token}">`);
      expect(page.text).toContain('<label for="password">New password</label>');
      expect(page.text).toMatch(/<input type="password" id="password" name="password" autocomplete="new-password"/);
      expect(page.text).toContain('<html lang="en">');
      expect(alerts(page)).toEqual([]);
    }
    expect((await post({ reset_token: token, password: 'new-secret' })).status).toBe(200);
  });

  test('the form names the account and the application, also for password managers', async () => {
    const { link, login } = await mailedUser();
    const { text } = await rawRequest('GET', link.slice(running.url.length));
    expect(text).toContain(`<p>Account <strong>${login}</strong> of test</p>`);
    expect(text).toContain(`<input type="text" autocomplete="username" value="${login}" readonly hidden>`);
  });

  test('a link that was used, has expired or was made up is reported at once', async () => {
    const used = await mailedUser();
    const pathOf = ({ link }: { link: string }) => link.slice(running.url.length);
    await post({ reset_token: used.token, password: 'new-secret' });
    expect(titleOf(await rawRequest('GET', pathOf(used)))).toBe(DEAD);
    expect(titleOf(await rawRequest('GET', `/reset-password?reset_token=0000005c${'0'.repeat(32)}`))).toBe(DEAD);
    const old = await mailedUser();
    clock.reset(3_600_000);
    expect(titleOf(await rawRequest('GET', pathOf(old)))).toBe(DEAD);
  });

  test('HEAD responds like GET without the body', async () => {
    const get = await rawRequest('GET', '/reset-password');
    const head = await rawRequest('HEAD', '/reset-password');
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      200,
      '',
      String(Buffer.byteLength(get.text)),
    ]);
  });

  test.each([
    '',
    '?reset_token=',
    '?reset_token=x',
    `?reset_token=${encodeURIComponent('"><script>alert(1)</script>')}`,
    `?token=0000005c${'0'.repeat(32)}`,
    '?%',
    '?reset_token=%ff',
  ])('GET with an invalid token (%s) shows no form and does not repeat the token', async (query) => {
    const page = await rawRequest('GET', `/reset-password${query}`);
    expect([page.status, titleOf(page)]).toEqual([200, DEAD]);
    expect(page.text).not.toContain('<form');
    expect(page.text).not.toContain('alert(1)');
    expectSafe(page);
  });

  test('other methods and paths respond like REST', async () => {
    for (const [method, path] of [
      ['PUT', '/reset-password'],
      ['DELETE', '/reset-password'],
      ['GET', '/reset-password/x'],
    ] as const) {
      expect((await rawRequest(method, path)).status).toBe(404);
    }
    expect((await rawRequest('OPTIONS', '/reset-password')).status).toBe(200);
  });
});

describe('POST /reset-password, as a browser without JavaScript sends it', () => {
  test('POST sets the password', async () => {
    const user = await mailedUser();
    const page = await post({ reset_token: user.token, password: 'p+w%&="<1>' });
    expect([page.status, titleOf(page)]).toEqual([200, 'Your password is set']);
    expect(page.text).not.toContain('<form');
    expectSafe(page);
    await openSession({ login: user.login, password: 'p+w%&="<1>' });
    await expect(openSession(user)).rejects.toThrow('401');
    expect((await rest('GET', '/session.json', { as: user })).status).toBe(401);
  });

  test('POST reports an invalid password and keeps the link valid', async () => {
    const user = await mailedUser();
    const blank = await post({ reset_token: user.token, password: 'a b' });
    expect([blank.status, titleOf(blank)]).toEqual([422, 'Error: Set a new password']);
    expect(alerts(blank)).toEqual([
      'Password should contain alphanumeric and punctuation characters only',
      'Password is too short (minimum is 8 characters)',
    ]);
    expect(blank.text).toContain('aria-invalid="true"');
    expect(blank.text).not.toContain('a b"');
    expect(blank.text).toContain(`value="${user.token}"`);
    expectSafe(blank);
    expect(alerts(await post({ reset_token: user.token })).length).toBe(2);
    expect(alerts(await post({ reset_token: user.token, password: 'x'.repeat(41) }))).toEqual([
      'Password is too long (maximum is 40 characters)',
    ]);
    expect((await post({ reset_token: user.token, password: 'new-secret' })).status).toBe(200);
  });

  test('POST reports a used, expired or unknown link', async () => {
    const used = await mailedUser();
    await post({ reset_token: used.token, password: 'new-secret' });
    const old = await mailedUser();
    clock.reset(3_600_000);
    for (const fields of [
      { reset_token: used.token, password: 'new-secret' },
      { reset_token: old.token, password: 'new-secret' },
      { reset_token: '"><script>alert(1)</script>', password: 'new-secret' },
      { 'reset_token[x]': 'y', password: 'new-secret' },
      { password: 'new-secret' },
      {},
    ] as Record<string, string>[]) {
      const page = await post(fields);
      expect([page.status, titleOf(page)]).toEqual([422, DEAD]);
      expect(page.text).not.toContain('alert(1)');
      expectSafe(page);
    }
  });

  test('a forged Host header has no effect', async () => {
    const { token } = await mailedUser();
    const page = await post(
      { reset_token: token, password: 'a' },
      { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' },
    );
    expect(page.text).not.toContain('evil');
    expect(page.text).toContain('action="reset-password"');
  });

  test('a body that is not a form is rejected with a page', async () => {
    const { token } = await mailedUser();
    const large = await rawRequest('POST', '/reset-password', {
      headers: { 'Content-Type': FORM },
      body: 'x'.repeat(20_000),
    });
    expect([large.status, titleOf(large)]).toEqual([413, 'Error']);
    expect(large.text).toContain('Request body is too large');
    const broken = await rawRequest('POST', '/reset-password', {
      headers: { 'Content-Type': FORM },
      body: 'password=%ff',
    });
    expect(broken.status).toBe(400);
    expect((await post({ reset_token: token, password: 'with-a-\0-nul' })).status).toBe(400);
    for (const page of [large, broken]) expectSafe(page);
  });

  test('row 33: an internal error reveals nothing of its cause, and the link remains valid', async () => {
    const { token } = await mailedUser();
    await sql('ALTER TABLE password_resets RENAME TO password_resets_gone');
    const page = await post({ reset_token: token, password: 'new-secret' });
    await sql('ALTER TABLE password_resets_gone RENAME TO password_resets');
    expect([page.status, alerts(page)]).toEqual([500, ['Internal server error']]);
    expect((await post({ reset_token: token, password: 'new-secret' })).status).toBe(200);
  });
});
