import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { sql } from '../../support/app/sql.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { expectCommonHeaders, FORM, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import {
  NO_SESSION,
  ONE_CREDENTIAL,
  ONLY_WITH_KEY,
  TOKEN_REQUIRED,
  UNAUTHORIZED,
} from '../../support/fixtures/error-bodies.ts';
import { linkIn, mailsTo, tokenIn, writtenMails } from '../../support/fixtures/mails.ts';
import { apiKey, type Caller, createUser, onBehalfOf, openSession } from '../../support/fixtures/users.ts';

useApp();

const MALFORMED = { errors: { id: ['Email should look like an email address.'] } };
const SWITCHED_OFF = { errors: { base: ['Password reset is turned off'] } };
const PATH = '/users/password/reset.json';

const callers: Record<string, Caller> = { key: apiKey };
const reset = (email: string, as: Caller = apiKey) => rest('GET', `${PATH}?email=${encodeURIComponent(email)}`, { as });

beforeAll(async () => {
  const alice = await createUser({ email: 'alice@x.io' });
  await createUser({ email: 'a+b@x.io' });
  callers.alice = alice;
  callers['key for alice'] = onBehalfOf(alice);
  callers.application = await openSession();
  callers.other = (await createTenant(0)).key;
});

afterEach(() => clock.reset());

describe('GET /users/password/reset', () => {
  testScenarios(() => ({ callers, values: { long: `${'a'.repeat(250)}@x.io` } }), [
    ['a known address', 'application', 'GET', `${PATH}?email=a%2Bb%40x.io`, undefined, 200, ''],
    ['a second time at once', 'application', 'GET', `${PATH}?email=a%2Bb%40x.io`, undefined, 200, ''],
    ['in any letter case', 'alice', 'GET', `${PATH}?email=Alice%40X.io`, undefined, 200, ''],
    ['as an API key', 'key', 'GET', `${PATH}?email=alice@x.io`, undefined, 200, ''],
    ['as an API key for a user', 'key for alice', 'GET', `${PATH}?email=alice@x.io`, undefined, 200, ''],
    ['in the body', 'key', 'GET', PATH, { email: 'alice@x.io' }, 200, ''],
    ['in a form', 'key', 'GET', PATH, 'email=alice%40x.io', 200, ''],
    ['without suffix, with a slash', 'key', 'GET', '/users/password/reset/?email=alice@x.io', undefined, 200, ''],
    ['a blank behind it', 'key', 'GET', `${PATH}?email=alice@x.io%20`, undefined, 200, ''],
    ['an unknown address', 'key', 'GET', `${PATH}?email=nobody@x.io`, undefined, 404, 'null'],
    ['an address of another application', 'other', 'GET', `${PATH}?email=alice@x.io`, undefined, 404, 'null'],
    ['a plus that is a blank', 'key', 'GET', `${PATH}?email=a+b@x.io`, undefined, 422, MALFORMED],
    ['no address', 'key', 'GET', PATH, undefined, 422, MALFORMED],
    ['an empty address', 'key', 'GET', `${PATH}?email=`, undefined, 422, MALFORMED],
    ['no domain', 'key', 'GET', `${PATH}?email=alice`, undefined, 422, MALFORMED],
    ['no top domain', 'key', 'GET', `${PATH}?email=alice@x`, undefined, 422, MALFORMED],
    ['two addresses', 'key', 'GET', `${PATH}?email=alice@x.io,b@x.io`, undefined, 422, MALFORMED],
    ['a line break', 'key', 'GET', `${PATH}?email=alice@x.io%0d%0aBcc:b@x.io`, undefined, 422, MALFORMED],
    ['too long an address', 'key', 'GET', `${PATH}?email={long}`, undefined, 422, MALFORMED],
    ['an object', 'key', 'GET', `${PATH}?email[$ne]=x`, undefined, 422, MALFORMED],
    ['a list', 'key', 'GET', PATH, { email: ['alice@x.io'] }, 422, MALFORMED],
    ['a number', 'key', 'GET', PATH, { email: 7 }, 422, MALFORMED],
    ['null', 'key', 'GET', PATH, { email: null }, 422, MALFORMED],
    ['no credential', 'anonymous', 'GET', `${PATH}?email=alice@x.io`, undefined, 401, TOKEN_REQUIRED],
    ['a wrong token', 'anonymous', 'GET', PATH, undefined, 401, NO_SESSION, { 'SVC-Token': 'x' }],
    ['a wrong key', 'anonymous', 'GET', PATH, undefined, 401, UNAUTHORIZED, { Authorization: 'ApiKey x' }],
    ['two credentials', 'key', 'GET', PATH, undefined, 400, ONE_CREDENTIAL, { 'SVC-Token': 'x' }],
    ['On-Behalf-Of alone', 'alice', 'GET', PATH, undefined, 400, ONLY_WITH_KEY, { 'On-Behalf-Of': '1' }],
  ] satisfies Scenario[]);

  test('the XML responses are empty, or contain the error text', async () => {
    const { token } = await openSession();
    const outcome = async (email: string) => {
      const { status, text } = await rawRequest('GET', `/users/password/reset.xml?email=${email}&token=${token}`);
      return [status, text.replace('<?xml version="1.0" encoding="UTF-8"?>', '')];
    };
    expect(await outcome('alice@x.io')).toEqual([200, '']);
    expect(await outcome('nobody@x.io')).toEqual([404, '<errors/>']);
    expect(await outcome('x')).toEqual([
      422,
      '<errors><error>Email should look like an email address.</error></errors>',
    ]);
  });

  test('an application can turn the password reset off', async () => {
    const turn = (passwordReset: boolean) =>
      db.application.update({ where: { id: APPLICATION.id }, data: { passwordReset } });
    await turn(false);
    try {
      const before = (await writtenMails()).length;
      for (const email of ['alice@x.io', 'nobody@x.io']) {
        const answer = await rawRequest('GET', `${PATH}?email=${email}`, { as: apiKey });
        expect([answer.status, JSON.parse(answer.text)]).toEqual([401, SWITCHED_OFF]);
        expectCommonHeaders(answer);
      }
      expect((await reset('x')).body).toEqual(MALFORMED);
      expect((await writtenMails()).length).toBe(before);
    } finally {
      await turn(true);
    }
    expect((await reset('alice@x.io')).status).toBe(200);
  });
});

describe('the reset mail', () => {
  test('the mail goes to the stored address, and its link sets a new password', async () => {
    const user = await createUser({ email: 'Dora@X.io' });
    expect((await reset('DORA@x.IO')).status).toBe(200);
    const [mail, ...others] = await mailsTo('dora@x.io');
    expect(others).toEqual([]);
    expect(mail).toContain('From: Atrium <no-reply@example.org>\r\n');
    expect(linkIn(mail!)).toMatch(new RegExp(`^${running.url}/reset-password\\?reset_token=0000005c[0-9a-f]{32}$`));
    const { data } = await graphql(
      'mutation ($token: String!) { resetPassword(token: $token, password: "new-secret") }',
      {
        token: tokenIn(mail!),
      },
    );
    expect(data).toEqual({ resetPassword: true });
    await openSession({ login: user.login, password: 'new-secret' });
    await expect(openSession(user)).rejects.toThrow('401');
  });

  test('one mail per minute is sent to an address, also for concurrent requests', async () => {
    await createUser({ email: 'erin@x.io' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => reset('erin@x.io')));
    expect(answers.map(({ status, text }) => `${status}${text}`)).toEqual(Array(20).fill('200'));
    expect((await mailsTo('erin@x.io')).length).toBe(1);
    clock.reset(59_999);
    await reset('erin@x.io');
    expect((await mailsTo('erin@x.io')).length).toBe(1);
    clock.reset(60_000);
    await reset('erin@x.io');
    const mails = await mailsTo('erin@x.io');
    expect(mails.length).toBe(2);
    expect(tokenIn(mails[0]!)).not.toBe(tokenIn(mails[1]!));
  });

  test('row 23: the link uses the configured URL and ignores the request headers', async () => {
    await createUser({ email: 'frank@x.io' });
    const answer = await rawRequest('GET', `${PATH}?email=frank@x.io`, {
      as: apiKey,
      headers: {
        Host: 'evil.example',
        'X-Forwarded-Host': 'evil.example',
        'X-Forwarded-Proto': 'https',
        Forwarded: 'host=evil.example',
        Origin: 'https://evil.example',
        Referer: 'https://evil.example/',
      },
    });
    expect(answer.status).toBe(200);
    const [mail] = await mailsTo('frank@x.io');
    expect(mail).not.toContain('evil');
    expect(linkIn(mail!).startsWith(`${running.url}/reset-password?`)).toBe(true);
  });

  test('the text names the application, and the account if its address is proven', async () => {
    await createUser({ email: 'heidi@x.io', login: 'heidi-1' });
    await sql("UPDATE users SET verified_email = email WHERE email = 'heidi@x.io'");
    await reset('heidi@x.io');
    const [mail] = await mailsTo('heidi@x.io');
    expect(mail).toContain('the account heidi-1 of test.');
  });

  test('row 24: the database holds no token, and the text contains nothing about an unproven user', async () => {
    const name = 'Visit http://evil.example now';
    await createUser({ email: 'grace@x.io', full_name: name, login: 'evil.example' });
    await sql("UPDATE users SET verified_email = NULL WHERE email = 'grace@x.io'");
    await reset('grace@x.io');
    const [mail] = await mailsTo('grace@x.io');
    expect(mail).not.toContain('evil');
    const rows = await sql<{ token_hash: string }>('SELECT * FROM password_resets');
    expect(JSON.stringify(rows)).not.toContain(tokenIn(mail!));
    expect(rows.at(-1)!.token_hash).toMatch(/^[0-9a-f]{64}$/);
  });

  test('a body that breaks off within the address sends no mail', async () => {
    const before = (await writtenMails()).length;
    const answer = await rawRequest('GET', PATH, {
      as: apiKey,
      headers: { 'Content-Type': FORM },
      body: 'email=alice%40x.io%00',
    });
    expect(answer.status).toBe(400);
    expect((await writtenMails()).length).toBe(before);
  });
});
