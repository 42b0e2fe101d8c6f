import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { sign } from '../../../src/lib/signature.ts';
import { storeIdentityProvider } from '../../../src/resolvers/sessions/identity-providers.ts';
import { APPLICATION, ENCRYPTER, running, useApp } from '../../support/app/app.ts';
import { type RestAnswer, rest } from '../../support/clients/rest.ts';
import { type Answer, answerJson, startProvider } from '../../support/fakes/provider.ts';
import { createUser, openSession, signedParameters } from '../../support/fixtures/users.ts';

useApp();

const BAD = { errors: ['Bad Authentication data'] };

function post(fields: Record<string, string>): Promise<RestAnswer> {
  return rest('POST', '/session.json', { form: new URLSearchParams(signedParameters(fields)).toString() });
}

function user(id: number) {
  return db.user.findUniqueOrThrow({ where: { applicationId_id: { applicationId: APPLICATION.id, id } } });
}

/** A Graph API on which `FT<id>` is the token of the user with the id, and `FT` that of user 1. */
const graphApi: Answer = (_request, response, { pathname, searchParams }) => {
  const isInspection = pathname === '/debug_token';
  const [match, digits] = /^FT(\d*)$/.exec(searchParams.get(isInspection ? 'input_token' : 'access_token')!) ?? [];
  const id = match && (digits || '1');
  if (!id) answerJson(response, isInspection ? { data: { is_valid: false } } : {}, isInspection ? 200 : 400);
  else if (!isInspection) answerJson(response, { id, name: `Ann ${id}` });
  else answerJson(response, { data: { app_id: '12', is_valid: true, expires_at: 0, user_id: id } });
};

async function useFacebook(answer: Answer = graphApi, applicationId = APPLICATION.id): Promise<void> {
  const { url } = await startProvider(answer);
  await storeIdentityProvider(
    { applicationId, facebook: { appId: '12', appSecret: 'fs' }, endpoint: url },
    { encrypter: ENCRYPTER, now: running.now() },
  );
}

function facebook(id: number | string): Record<string, string> {
  return { 'keys[secret]': 'S', 'keys[token]': `FT${id}`, provider: 'facebook' };
}

/** The request as a legacy client sends it: raw brackets, sorted names. */
function wireSample(nonce: number): Promise<RestAnswer> {
  const pairs = [
    ['application_id', '92'],
    ['auth_key', 'AUTHKEY'],
    ['keys[secret]', 'S'],
    ['keys[token]', 'FT'],
    ['nonce', String(nonce)],
    ['provider', 'facebook'],
    ['timestamp', '1795196819'],
  ] as const;
  const signature = sign(pairs, APPLICATION.authSecret, 'sha1');
  const form =
    `application_id=92&auth_key=AUTHKEY&keys[secret]=S&keys[token]=FT&nonce=${nonce}&provider=facebook` +
    `&signature=${signature}&timestamp=1795196819`;
  return rest('POST', '/session.json', { form });
}

describe('sign-in with Facebook', () => {
  test('a sign-in works in the wire format of legacy clients', async () => {
    await db.identityProvider.deleteMany();
    const refused = await wireSample(917);
    expect([refused.status, refused.body]).toEqual([422, BAD]);

    await useFacebook();
    const { status, body } = await wireSample(918);
    expect(status).toBe(201);
    expect(body.session).toEqual({
      _id: String(body.session.id),
      application_id: 92,
      created_at: '2026-11-20T17:46:59Z',
      id: expect.any(Number),
      nonce: 918,
      token: expect.stringMatching(/^[0-9a-f]{40}$/),
      ts: 1795196819,
      updated_at: '2026-11-20T17:46:59Z',
      user_id: expect.any(Number),
    });
    expect((await user(body.session.user_id)).facebookId).toBe('1');
  });

  test('a sign-in is rejected while the application has not configured Facebook', async () => {
    await db.identityProvider.deleteMany();
    const before = await db.session.count();
    const { status, body } = await post(facebook(1));
    expect([status, body]).toEqual([422, BAD]);
    expect(await db.session.count()).toBe(before);
  });

  test('a sign-in opens a user session and creates the user on first use', async () => {
    await useFacebook();
    const first = await post(facebook(77));
    expect(first.status).toBe(201);
    const { session } = first.body;
    expect(session).toMatchObject({ application_id: 92, user_id: expect.any(Number) });
    expect(await user(session.user_id)).toMatchObject({
      facebookId: '77',
      twitterId: null,
      fullName: 'Ann 77',
      login: null,
      email: null,
      phone: null,
      passwordHash: null,
    });
    const me = await rest('GET', `/users/${session.user_id}.json`, { headers: { 'SVC-Token': session.token } });
    expect(me.body.user).toMatchObject({ id: session.user_id, facebook_id: '77', full_name: 'Ann 77', login: null });

    const again = await post(facebook(77));
    expect(again.body.session.user_id).toBe(session.user_id);
  });

  test('a sign-in finds an existing user with the account and changes nothing', async () => {
    await useFacebook();
    const ann = await createUser({ facebook_id: '78', full_name: 'Ann' });
    const before = await user(ann.id);
    const { body } = await post(facebook(78));
    expect(body.session.user_id).toBe(ann.id);
    const { lastRequestAt: _, ...after } = await user(ann.id);
    expect(after).toEqual((({ lastRequestAt: _, ...rest }) => rest)(before));
  });

  test('concurrent first sign-ins create one user', async () => {
    const held: (() => void)[] = [];
    await useFacebook((request, response, url) => {
      const answer = () => graphApi(request, response, url);
      if (url.pathname !== '/me') return answer();
      // Facebook responds only after all requests have arrived.
      if (held.push(answer) === 30) for (const release of held) release();
    });
    const answers = await Promise.all(Array.from({ length: 30 }, () => post(facebook(79))));
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(201));
    expect(new Set(answers.map(({ body }) => body.session.user_id)).size).toBe(1);
    expect(await db.user.count({ where: { facebookId: '79' } })).toBe(1);
  });

  test('the same account is a different user in another application with other settings', async () => {
    await useFacebook();
    const at = running.now();
    const other = await db.application.create({
      data: { name: 'other', authKey: 'OTHER', authSecret: 'other', createdAt: at, updatedAt: at },
    });
    await useFacebook((_request, response) => answerJson(response, {}, 400), other.id);
    expect((await post(facebook(80))).status).toBe(201);
    expect(await db.user.count({ where: { applicationId: other.id } })).toBe(0);
    await db.application.delete({ where: { id: other.id } });
  });

  test.each<[string, Record<string, string>]>([
    ['an unknown token', facebook('x')],
    ['no token', { provider: 'facebook', 'keys[secret]': 'S' }],
    ['an empty token', { provider: 'facebook', 'keys[token]': '' }],
    ['an object as token', { provider: 'facebook', 'keys[token][ne]': '1' }],
    ['an unknown provider', { provider: 'google', 'keys[token]': 'FT1' }],
    ['the provider in upper case', { provider: 'FACEBOOK', 'keys[token]': 'FT1' }],
    ['a method name as provider', { provider: 'toString', 'keys[token]': 'FT1' }],
    ['an empty provider', { provider: '', 'keys[token]': 'FT1' }],
    ['a provider that is not configured', { provider: 'twitter', 'keys[token]': 'FT1', 'keys[secret]': 'S' }],
  ])('a sign-in with %s is rejected and opens no session', async (_name, fields) => {
    await useFacebook();
    const before = await Promise.all([db.user.count(), db.session.count()]);
    const { status, body } = await post(fields);
    expect([status, body]).toEqual([422, BAD]);
    expect(await Promise.all([db.user.count(), db.session.count()])).toEqual(before);
  });

  test('Facebook receives no request before the signature is verified', async () => {
    let calls = 0;
    await useFacebook((_request, response) => {
      calls++;
      answerJson(response, {}, 400);
    });
    const form = new URLSearchParams({ ...signedParameters(facebook(81)), 'keys[token]': 'FT82' }).toString();
    const { status, body } = await rest('POST', '/session.json', { form });
    expect([status, body]).toEqual([422, { errors: { base: ['Unexpected signature'] } }]);
    expect(calls).toBe(0);
  });

  test('a sign-in is rejected without an internal error while Facebook is down', async () => {
    await useFacebook((_request, response) => answerJson(response, {}, 503));
    const { status, body } = await post(facebook(77));
    expect([status, body]).toEqual([422, BAD]);
  });
});

describe('sign-in by phone', async () => {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' };

  async function useFirebase(): Promise<void> {
    const { url } = await startProvider((_request, response) => answerJson(response, { keys: [jwk] }));
    await storeIdentityProvider(
      { applicationId: APPLICATION.id, firebasePhone: { projectId: 'ours' }, endpoint: url },
      { encrypter: ENCRYPTER, now: running.now() },
    );
  }

  async function phone(number: string, project = 'ours'): Promise<Record<string, string>> {
    const at = Math.floor(running.now().getTime() / 1000);
    const token = await new SignJWT({
      auth_time: at,
      phone_number: number,
      firebase: { sign_in_provider: 'phone' },
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .setIssuer(`https://securetoken.google.com/${project}`)
      .setAudience(project)
      .setSubject('someone')
      .setIssuedAt(at)
      .setExpirationTime(at + 3600)
      .sign(privateKey);
    return {
      provider: 'firebase_phone',
      'firebase_phone[access_token]': token,
      'firebase_phone[project_id]': project,
    };
  }

  test('the first sign-in creates the user and later ones find them', async () => {
    await useFirebase();
    const first = await post(await phone('+15551230001'));
    expect(first.status).toBe(201);
    const again = await post(await phone('+15551230001'));
    expect(again.body.session.user_id).toBe(first.body.session.user_id);
    const created = await user(first.body.session.user_id);
    expect(created).toMatchObject({ phone: '+15551230001', fullName: null, login: null, passwordHash: null });
  });

  test('a login with an existing session works like a new session', async () => {
    await useFirebase();
    const { token, headers } = await openSession();
    const form = new URLSearchParams(await phone('+15551230005')).toString();
    const { status, body } = await rest('POST', '/login.json', { form, headers });
    expect([status, body.user.phone]).toEqual([200, '+15551230005']);
    const shown = await rest('GET', '/session.json', { headers });
    expect(shown.body.session).toMatchObject({ token, user_id: body.user.id });

    const theirs = new URLSearchParams(await phone('+15551230005', 'theirs')).toString();
    const refused = await rest('POST', '/login.json', { form: theirs, headers });
    expect([refused.status, refused.body]).toEqual([422, BAD]);
    expect((await rest('GET', '/session.json', { headers })).body.session.user_id).toBe(body.user.id);
  });

  test('a sign-in finds the oldest user with the phone', async () => {
    await useFirebase();
    const oldest = await createUser({ phone: '+15551230002' });
    await createUser({ phone: '+15551230002' });
    const { body } = await post(await phone('+15551230002'));
    expect(body.session.user_id).toBe(oldest.id);
  });

  test('concurrent first sign-ins create one user', async () => {
    await useFirebase();
    const asked = await Promise.all(Array.from({ length: 30 }, () => phone('+15551230003')));
    const answers = await Promise.all(asked.map(post));
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(201));
    expect(await db.user.count({ where: { phone: '+15551230003' } })).toBe(1);
  });

  test('a sign-in is rejected for another project and without configuration', async () => {
    await useFirebase();
    const { 'firebase_phone[project_id]': _, ...without } = await phone('+15551230004');
    const ours = await phone('+15551230004');
    const wrong = [
      await phone('+15551230004', 'theirs'),
      { ...(await phone('+15551230004', 'theirs')), 'firebase_phone[project_id]': 'ours' },
      { ...ours, 'firebase_phone[project_id]': 'theirs' },
      without,
    ];
    for (const fields of wrong) expect((await post(fields)).body).toEqual(BAD);
    expect(await db.user.count({ where: { phone: '+15551230004' } })).toBe(0);
  });
});
