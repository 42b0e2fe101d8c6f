import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { db } from '../../src/db/client.ts';
import { storeIdentityProvider } from '../../src/resolvers/identity-providers.ts';
import { APPLICATION, running, SEALER, useApp } from '../support/app.ts';
import { ask } from '../support/chat.ts';
import { codeOf, GRAPHQL_DOORS } from '../support/doors-of-graphql.ts';
import { graphql } from '../support/graphql.ts';
import { linkIn, mailsTo, tokenIn } from '../support/mails.ts';
import { answerJson, startProvider } from '../support/provider.ts';
import { rest } from '../support/rest.ts';
import { connect } from '../support/sockets.ts';
import { statementsOf } from '../support/sql.ts';
import { apiKey, type Caller, createUser, onBehalfOf, openSession, signedParameters } from '../support/users.ts';

useApp();

const pair = await generateKeyPair('RS256', { extractable: true });
const stranger = await generateKeyPair('RS256', { extractable: true });
const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'RS256' };
const BAD = { errors: ['Bad Authentication data'] };

beforeEach(async () => {
  const { url } = await startProvider((_request, response) => answerJson(response, { keys: [jwk] }));
  const firebasePhone = { projectId: 'ours' };
  await storeIdentityProvider(
    { applicationId: APPLICATION.id, firebasePhone, endpoint: url },
    { sealer: SEALER, now: running.now() },
  );
});

interface Told {
  issuer?: string;
  audience?: string;
  expires?: number;
  signedBy?: typeof pair;
}

/** What Firebase gives a phone's owner, or what somebody would like to pass for it. */
function tokenOf(phone: string, { issuer = 'ours', audience = 'ours', expires = 3600, signedBy = pair }: Told = {}) {
  const at = Math.floor(running.now().getTime() / 1000);
  return new SignJWT({ auth_time: at, phone_number: phone, firebase: { sign_in_provider: 'phone' } })
    .setProtectedHeader({ alg: 'RS256', kid: 'k' })
    .setIssuer(`https://securetoken.google.com/${issuer}`)
    .setAudience(audience)
    .setSubject('someone')
    .setIssuedAt(at)
    .setExpirationTime(at + expires)
    .sign(signedBy.privateKey);
}

const proofOf = (accessToken: string, projectId = 'ours') => ({
  provider: 'firebase_phone',
  'firebase_phone[access_token]': accessToken,
  'firebase_phone[project_id]': projectId,
});

async function signInBy(phone: string): Promise<{ id: number } & Caller> {
  const form = new URLSearchParams(signedParameters(proofOf(await tokenOf(phone)))).toString();
  const { status, body, text } = await rest('POST', '/session', { form });
  if (status !== 201) throw new Error(text);
  return { id: body.session.user_id, headers: { 'SVC-Token': body.session.token } };
}

const changeUser = (as: Caller, id: number, user: object) => rest('PUT', `/users/${id}`, { as, json: { user } });

const LOGIN = 'mutation ($input: LoginUserInput!) { loginUser(input: $input) { id } }';

describe('#18 account takeover through provider adapters', () => {
  test('a token for somebody else, by somebody else or of before opens nothing, on any door', async () => {
    await createUser({ phone: '+15550180001' });
    const unsigned = [{ alg: 'none', kid: 'k' }, JSON.parse(atob((await tokenOf('+15550180001')).split('.')[1]!))];
    const tokens: [token: string, project: string][] = [
      [await tokenOf('+15550180001', { audience: 'theirs' }), 'ours'],
      [await tokenOf('+15550180001', { issuer: 'theirs' }), 'ours'],
      [await tokenOf('+15550180001', { issuer: 'theirs', audience: 'theirs' }), 'theirs'],
      [await tokenOf('+15550180001'), 'theirs'],
      [await tokenOf('+15550180001', { expires: -1 }), 'ours'],
      [await tokenOf('+15550180001', { signedBy: stranger }), 'ours'],
      [`${unsigned.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`, 'ours'],
      ['', 'ours'],
    ];
    for (const [token, project] of tokens) {
      const fields = proofOf(token, project);
      const session = await openSession();
      const opened = await rest('POST', '/session', { form: new URLSearchParams(signedParameters(fields)).toString() });
      expect([opened.status, opened.body]).toEqual([422, BAD]);
      const logged = await rest('POST', '/login', { as: session, form: new URLSearchParams(fields).toString() });
      expect([logged.status, logged.body]).toEqual([422, BAD]);
      const input = { provider: 'firebase_phone', firebasePhone: { accessToken: token, projectId: project } };
      for (const [, door] of GRAPHQL_DOORS) {
        expect(await door(LOGIN, { input }, session)).toMatchObject({
          errors: [{ message: 'Bad Authentication data', extensions: { code: 'UNPROCESSABLE' } }],
        });
      }
      expect((await rest('GET', '/session', { as: session })).body.session.user_id).toBe(0);
    }
  });
});

describe('#19 pre-hijacking', () => {
  test('whoever wrote the phone of somebody else into their user loses the user to them', async () => {
    const phone = '+15550190001';
    const mallory = await createUser({ email: 'mallory@example.org' });
    const elsewhere = await openSession(mallory);
    const socket = await connect(mallory);
    expect((await changeUser(mallory, mallory.id, { phone, facebook_id: '190001' })).status).toBe(200);
    const device = { notification_channel: 'gcm', device: { platform: 'android', udid: 'u' } };
    const push_token = { environment: 'development', client_identification_sequence: 'of-mallory' };
    expect((await rest('POST', '/subscriptions', { as: mallory, json: { ...device, push_token } })).status).toBe(201);
    await ask('mutation { requestPasswordReset(email: "mallory@example.org") }', {}, elsewhere);
    const [mail] = await mailsTo('mallory@example.org');
    expect(linkIn(mail!)).toContain('reset_token');

    const victim = await signInBy(phone);
    expect(victim.id).toBe(mallory.id);

    expect((await socket.closed).code).toBe(4403);
    for (const as of [mallory, elsewhere]) expect((await rest('GET', '/session', { as })).status).toBe(401);
    await expect(openSession(mallory)).rejects.toThrow('401');
    const reset = await graphql('mutation ($token: String!) { resetPassword(token: $token, password: "password-2") }', {
      token: tokenIn(mail!),
    });
    expect(codeOf(reset)).toBe('UNPROCESSABLE');
    const again = await rest('GET', '/users/password/reset?email=mallory@example.org', { as: victim });
    expect(again.status).toBe(404);
    const { user } = (await rest('GET', `/users/${victim.id}`, { as: victim })).body;
    expect(user).toMatchObject({ phone, email: null, facebook_id: null, twitter_id: null });
    expect((await rest('GET', '/subscriptions', { as: victim })).body).toEqual([]);
    // What they set now is theirs, however often they come back by phone.
    expect((await changeUser(victim, victim.id, { password: 'password-3', email: 'v@example.org' })).status).toBe(200);
    expect((await signInBy(phone)).id).toBe(victim.id);
    expect((await openSession({ login: mallory.login, password: 'password-3' })).token).toMatch(/^[0-9a-f]{40}$/);
    expect((await rest('GET', '/session', { as: victim })).status).toBe(200);
  });

  test('an older user who writes it later does not catch the sign-ins of whoever has shown that it is theirs', async () => {
    const mallory = await createUser();
    const victim = await signInBy('+15550190002');
    expect((await changeUser(mallory, mallory.id, { phone: '+15550190002' })).status).toBe(200);
    expect(mallory.id).toBeLessThan(victim.id);
    expect((await signInBy('+15550190002')).id).toBe(victim.id);
    expect((await rest('GET', '/session', { as: mallory })).status).toBe(200);
  });

  test('so it is with an account, also for sockets and logins', async () => {
    const { url } = await startProvider((_request, response, { pathname }) =>
      answerJson(
        response,
        pathname === '/me'
          ? { id: '190003', name: 'Victim' }
          : { data: { app_id: '12', is_valid: true, expires_at: 0, user_id: '190003' } },
      ),
    );
    const facebook = { appId: '12', appSecret: 'fs' };
    await storeIdentityProvider(
      { applicationId: APPLICATION.id, facebook, endpoint: url },
      { sealer: SEALER, now: running.now() },
    );
    const mallory = await createUser();
    expect((await changeUser(mallory, mallory.id, { facebook_id: '190003' })).status).toBe(200);
    const session = await openSession();
    const input = { provider: 'facebook', keys: { token: 'FT' } };
    expect((await ask(LOGIN, { input }, session)).loginUser.id).toBe(mallory.id);
    expect((await rest('GET', '/session', { as: mallory })).status).toBe(401);
    await expect(openSession(mallory)).rejects.toThrow('401');
  });

  test('who is signed in and shows it loses nothing, nor does one whom the application vouches for', async () => {
    const alice = await createUser({ email: 'alice@example.org' });
    const elsewhere = await openSession(alice);
    expect((await changeUser(alice, alice.id, { phone: '+15550190004' })).status).toBe(200);
    const form = new URLSearchParams(proofOf(await tokenOf('+15550190004'))).toString();
    expect((await rest('POST', '/login', { as: alice, form })).status).toBe(200);
    expect((await signInBy('+15550190004')).id).toBe(alice.id);
    expect((await rest('GET', '/session', { as: elsewhere })).status).toBe(200);
    expect((await openSession(alice)).token).toMatch(/^[0-9a-f]{40}$/);

    const bob = await createUser();
    expect((await changeUser(apiKey, bob.id, { phone: '+15550190005' })).status).toBe(200);
    expect((await signInBy('+15550190005')).id).toBe(bob.id);
    expect((await openSession(bob)).token).toMatch(/^[0-9a-f]{40}$/);
    const carol = await createUser();
    expect((await changeUser(onBehalfOf(carol), carol.id, { phone: '+15550190006' })).status).toBe(200);
    expect((await signInBy('+15550190006')).id).toBe(carol.id);
    await expect(openSession(carol)).rejects.toThrow('401');
  });

  test('of many first sign-ins at one moment none ends what another has opened', async () => {
    const mallory = await createUser();
    await changeUser(mallory, mallory.id, { phone: '+15550190007' });
    const opened = await Promise.all(Array.from({ length: 10 }, () => signInBy('+15550190007')));
    const answers = await Promise.all(opened.map((as) => rest('GET', '/session', { as })));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  });
});

describe('#42 an unconfigured provider', () => {
  test('is refused before anything is looked up, and one that is not set up finds nobody', async () => {
    await db.identityProvider.deleteMany();
    const session = await openSession();
    await db.user.updateMany({ where: { phone: null }, data: { verifiedPhone: null } });
    for (const [provider, tables] of [
      ['google', /identity_providers|FROM "public"."users"/],
      ['__proto__', /identity_providers|FROM "public"."users"/],
      ['constructor', /identity_providers|FROM "public"."users"/],
      ['twitter', /FROM "public"."users"/],
    ] as const) {
      const input = { provider, keys: { token: '', secret: '' } };
      const sent = await statementsOf(async () => {
        expect(codeOf(await graphql(LOGIN, { input }, session))).toBe('UNPROCESSABLE');
      });
      expect(
        sent.filter((statement) => tables.test(statement)),
        provider,
      ).toEqual([]);
    }
  });
});
