import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { multipart } from '../../support/clients/raw-http.ts';
import { openSession } from '../../support/fixtures/users.ts';
import { AT, json, outcome, replay, useSampleUsers } from '../../support/fixtures/wire-samples.ts';

useApp();
useSampleUsers();

describe('wire samples of sessions', () => {
  test('the samples open an application session', async () => {
    const answer = await replay('POST', '/session.json', 'F', 'KEYS&nonce=7604&signature=SIG&timestamp=1795196819');
    expect(outcome(answer)).toEqual([
      201,
      {
        session: {
          _id: String(json(answer).session.id),
          application_id: 92,
          created_at: AT,
          id: expect.any(Number),
          nonce: 7604,
          token: expect.stringMatching(/^[0-9a-f]{40}$/),
          ts: 1_795_196_819,
          updated_at: AT,
          user_id: 0,
        },
      },
    ]);
    expect(answer.headers['svc-token-expirationdate']).toBe('2026-11-20 19:46:59 UTC');
  });

  const ODD = (signature: string) =>
    `KEYS&nonce=170&signature=${signature}&timestamp=1795196819&user[login]=bo%20b%2B%26%3D%25%C3%A9&user[password]=p%40ss%20w%C3%B6rd%2F%2B`;
  const SIGNATURE = '5e7c47750e212fb1767c1cc2291796100df6d971';

  test('the samples sign in with a login that needs every escape', async () => {
    const wrong = await replay('POST', '/session.json', 'F', ODD(`4${SIGNATURE.slice(1)}`));
    expect(outcome(wrong)).toEqual([422, { errors: { base: ['Unexpected signature'] } }]);
    const right = await replay('POST', '/session.json', 'F', ODD(SIGNATURE));
    expect(outcome(right)).toEqual([401, '']);
  });

  test('the samples sign in by e-mail, also with an expired token', async () => {
    const body = (nonce: number) =>
      `KEYS&nonce=${nonce}&signature=SIG&timestamp=1795196819&user[email]=a%2Bb%40x.io&user[password]=12345678`;
    const expired = await openSession();
    await db.session.updateMany({
      where: { userId: null },
      data: { updatedAt: new Date(SAMPLE_TIME.getTime() - 7_200_000) },
    });
    for (const headers of [{ 'SVC-Token': expired.token }, {}] as Record<string, string>[]) {
      const answer = await replay('POST', '/session.json', 'F', body('SVC-Token' in headers ? 171 : 172), headers);
      expect([answer.status, json(answer).session.user_id]).toEqual([201, 7]);
    }
  });

  test('the samples sign in with a provider that is not configured', async () => {
    const body = 'KEYS&keys[secret]=S&keys[token]=FT&nonce=918&provider=facebook&signature=SIG&timestamp=1795196819';
    expect(outcome(await replay('POST', '/session.json', 'F', body))).toEqual([
      422,
      { errors: ['Bad Authentication data'] },
    ]);
  });

  test('the samples omit the signature', async () => {
    const body = '{"application_id":92,"auth_key":"AUTHKEY","user":{"login":"bob","password":"12345678"}}';
    expect(outcome(await replay('POST', '/session.json', 'J', body))).toEqual([
      422,
      { errors: { base: ['Unexpected signature'] } },
    ]);
  });

  test('the samples show sessions and end them by empty form and multipart requests', async () => {
    expect((await replay('GET', '/session.json')).status).toBe(200);
    const ends: ['F' | 'M', string | undefined][] = [
      ['F', undefined],
      ['M', undefined],
      ['M', '--B--\r\n'],
      ['M', multipart({ x: '1' })],
    ];
    for (const [type, body] of ends) {
      const { headers } = await openSession();
      expect(outcome(await replay('DELETE', '/session.json', type, body, headers))).toEqual([200, '']);
    }
  });
});

describe('wire samples of users', () => {
  test('the samples sign up', async () => {
    const answer = await replay(
      'POST',
      '/users.json',
      'F',
      'user[custom_data]=%7B%22x%22%3A1%7D&user[external_user_id]=77&user[full_name]=Bob%20%26%20Co&user[login]=bob&user[password]=12345678&user[tag_list]=a%2Cb',
    );
    expect(outcome(answer)).toEqual([
      201,
      {
        user: {
          id: 101,
          full_name: 'Bob & Co',
          email: null,
          login: 'bob',
          phone: null,
          website: null,
          created_at: AT,
          updated_at: AT,
          last_request_at: null,
          external_user_id: 77,
          facebook_id: null,
          twitter_id: null,
          blob_id: null,
          custom_data: '{"x":1}',
          parents_contacts: '',
          age_over16: false,
          allow_statistics_analysis: false,
          allow_sales_activities: false,
          user_tags: 'a,b',
        },
      },
    ]);
  });

  test('the samples show users', async () => {
    const answer = await replay('GET', '/users/7.json?');
    expect(json(answer).user).toMatchObject({ id: 7, login: 'user-7', email: 'a+b@x.io', last_request_at: AT });
  });
});

describe('wire samples of the password reset', () => {
  test('the samples request a reset with an escaped address', async () => {
    const answer = await replay('GET', '/users/password/reset.json?email=a%2Bb%40x.io');
    expect(outcome(answer)).toEqual([200, '']);
  });
});

describe('wire samples of login and logout', () => {
  test('login and logout keep the token', async () => {
    const { headers } = await openSession();
    const answer = await replay('POST', '/login.json', 'F', 'login=bob&password=12345678', headers);
    expect([answer.status, json(answer).user]).toMatchObject([200, { id: 101, login: 'bob', last_request_at: AT }]);
    const owner = async () => json(await replay('GET', '/session.json', undefined, undefined, headers)).session.user_id;
    expect(await owner()).toBe(101);
    expect(outcome(await replay('DELETE', '/login.json', undefined, undefined, headers))).toEqual([200, '']);
    expect(await owner()).toBe(0);
  });
});
