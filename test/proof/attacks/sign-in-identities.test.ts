import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { storeIdentityProvider } from '../../../src/resolvers/sessions/identity-providers.ts';
import { APPLICATION, ENCRYPTER, running, useApp } from '../../support/app/app.ts';
import { sql, statementsOf, whileLocked, whileUserIsLocked } from '../../support/app/sql.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { rest } from '../../support/clients/rest.ts';
import { codeOf, GRAPHQL_TRANSPORTS } from '../../support/clients/transports.ts';
import { connect } from '../../support/clients/websocket.ts';
import { answerJson, startProvider } from '../../support/fakes/provider.ts';
import { errorOf, execute } from '../../support/fixtures/chat.ts';
import { mailsTo, tokenIn } from '../../support/fixtures/mails.ts';
import {
  anonymous,
  apiKey,
  type Caller,
  createUser,
  onBehalfOf,
  openSession,
  signedParameters,
  type TestUser,
} from '../../support/fixtures/users.ts';

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
    { encrypter: ENCRYPTER, now: running.now() },
  );
});

interface TokenOptions {
  issuer?: string;
  audience?: string;
  expires?: number;
  signedBy?: typeof pair;
}

function tokenOf(
  phone: string,
  { issuer = 'ours', audience = 'ours', expires = 3600, signedBy = pair }: TokenOptions = {},
) {
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

const sessionsOf = (userId: number) => sql('SELECT id FROM sessions WHERE user_id = $1 ORDER BY id', [userId]);

const LOGIN = 'mutation ($input: LoginUserInput!) { loginUser(input: $input) { id } }';

describe('#18 account takeover through provider adapters', () => {
  test('a token that is expired, forged, or of another project or issuer is rejected on every transport', async () => {
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
      for (const [, transport] of GRAPHQL_TRANSPORTS) {
        expect(await transport(LOGIN, { input }, session)).toMatchObject({
          errors: [{ message: 'Bad Authentication data', extensions: { code: 'UNPROCESSABLE' } }],
        });
      }
      expect((await rest('GET', '/session', { as: session })).body.session.user_id).toBe(0);
    }
  });
});

/** A Graph API that accepts the token `FT<id>` for the account with that id. */
async function useFacebook(): Promise<void> {
  const { url } = await startProvider((_request, response, { pathname, searchParams }) => {
    const isInspection = pathname === '/debug_token';
    const id = searchParams.get(isInspection ? 'input_token' : 'access_token')!.slice(2);
    const inspected = { data: { app_id: '12', is_valid: true, expires_at: 0, user_id: id } };
    answerJson(response, isInspection ? inspected : { id, name: 'Somebody' });
  });
  const facebook = { appId: '12', appSecret: 'fs' };
  await storeIdentityProvider(
    { applicationId: APPLICATION.id, facebook, endpoint: url },
    { encrypter: ENCRYPTER, now: running.now() },
  );
}

const facebook = (id: string) => ({ provider: 'facebook', keys: { token: `FT${id}` } });

async function signInByFacebook(id: string): Promise<{ id: number } & Caller> {
  const session = await openSession();
  return { id: (await execute(LOGIN, { input: facebook(id) }, session)).loginUser.id, ...session };
}

/** Signs up as a client, so that the given identities are claims. */
async function signUp(fields: object): Promise<TestUser> {
  const login = `typed${Math.random().toString(36).slice(2, 10)}`;
  const password = 'password-1';
  const json = { user: { login, password, ...fields } };
  const { status, body, text } = await rest('POST', '/users', { as: await openSession(), json });
  if (status !== 201) throw new Error(text);
  return { id: body.user.id, login, password, ...(await openSession({ login, password })) };
}

const shown = async (id: number) => (await rest('GET', `/users/${id}`, { as: apiKey })).body.user;
const sessionStatus = async (as: Caller) => (await rest('GET', '/session', { as })).status;

const RESET = 'mutation ($token: String!, $password: String!) { resetPassword(token: $token, password: $password) }';

async function resetByMail(email: string): Promise<void> {
  // A user may request one link per minute.
  await sql("UPDATE password_resets SET created_at = created_at - interval '2 minutes'");
  const before = await mailsTo(email);
  await execute('mutation ($email: String!) { requestPasswordReset(email: $email) }', { email }, await openSession());
  const sent = (await mailsTo(email)).find((mail) => !before.includes(mail));
  await execute(RESET, { token: tokenIn(sent!), password: 'password-of-owner' }, anonymous);
}

const loginByPhone = async (as: Caller, phone: string) => {
  const form = new URLSearchParams(proofOf(await tokenOf(phone))).toString();
  return rest('POST', '/login', { as, form });
};

describe('#19 pre-hijacking', () => {
  test('a user who claimed the phone of another user loses only that claim when the owner signs in', async () => {
    const phone = '+15550190001';
    const typist = await signUp({ email: 'typist@example.org', phone, facebook_id: '190001', full_name: 'T' });
    const socket = await connect(typist);
    const before = await shown(typist.id);

    const owner = await signInBy(phone);
    expect(owner.id).not.toBe(typist.id);
    expect(await shown(owner.id)).toMatchObject({ phone, email: null, login: null });
    expect(await shown(typist.id)).toEqual({ ...before, phone: null });
    expect((await socket.run('{ me { id } }')).data.me.id).toBe(typist.id);
    await socket.close();
    expect(await sessionStatus(typist)).toBe(200);
    expect((await openSession(typist)).token).toMatch(/^[0-9a-f]{40}$/);
    expect((await signInBy(phone)).id).toBe(owner.id);
  });

  test('a user who claims the phone of another user cannot intercept the sign-ins of its owner', async () => {
    const phone = '+15550190002';
    const mallory = await signUp({ phone });
    const victim = await signUp({});
    expect((await loginByPhone(victim, phone)).body.user.id).toBe(victim.id);
    expect(await shown(mallory.id)).toMatchObject({ phone: null });
    expect((await changeUser(mallory, mallory.id, { phone })).status).toBe(200);
    for (let again = 0; again < 2; again++) expect((await signInBy(phone)).id).toBe(victim.id);
    expect(await shown(mallory.id)).toMatchObject({ phone: null });
    expect(await sessionStatus(mallory)).toBe(200);
  });

  test('a user who claimed the Facebook account of another user loses the claim, and cannot claim a proven account', async () => {
    await useFacebook();
    const mallory = await signUp({ facebook_id: '190003' });
    const victim = await signInByFacebook('190003');
    expect(victim.id).not.toBe(mallory.id);
    expect(await shown(mallory.id)).toMatchObject({ facebook_id: null, login: mallory.login });
    expect(await sessionStatus(mallory)).toBe(200);
    const taken = await changeUser(mallory, mallory.id, { facebook_id: '190003' });
    expect(taken.body).toMatchObject({ errors: { facebook_id: ['has already been taken'] } });
    expect((await signInByFacebook('190003')).id).toBe(victim.id);
  });

  test('a sign-in attaches the account to the signed-in user, unless another user has proven it, on every transport', async () => {
    await useFacebook();
    const bob = await signInByFacebook('190010');
    for (const [nth, [, transport]] of GRAPHQL_TRANSPORTS.entries()) {
      const alice = await signUp({ email: `attaches${nth}@example.org` });
      const id = `19002${nth}`;
      expect((await transport(LOGIN, { input: facebook(id) }, alice)).data.loginUser.id).toBe(alice.id);
      expect((await signInByFacebook(id)).id).toBe(alice.id);
      expect((await openSession(alice)).token).toMatch(/^[0-9a-f]{40}$/);
      const later = await openSession(alice);
      expect((await transport(LOGIN, { input: facebook(`${id}9`) }, later)).data.loginUser.id).toBe(alice.id);
      expect((await signInByFacebook(id)).id).not.toBe(alice.id);
      const asAlice = await openSession(alice);
      expect((await transport(LOGIN, { input: facebook('190010') }, asAlice)).data.loginUser.id).toBe(bob.id);
      expect(await shown(alice.id)).toMatchObject({ facebook_id: `${id}9` });
    }
  });

  test('POST /session attaches no identity to the user of the token', async () => {
    const alice = await signUp({});
    const form = new URLSearchParams(signedParameters(proofOf(await tokenOf('+15550190008')))).toString();
    const { body } = await rest('POST', '/session', { as: alice, form });
    expect(body.session.user_id).not.toBe(alice.id);
  });

  test('an identity set by an API key alone is proven; one set on behalf of a user is a claim', async () => {
    const bob = await createUser();
    expect((await changeUser(apiKey, bob.id, { phone: '+15550190005' })).status).toBe(200);
    expect((await signInBy('+15550190005')).id).toBe(bob.id);
    expect((await openSession(bob)).token).toMatch(/^[0-9a-f]{40}$/);
    const carol = await createUser();
    expect((await changeUser(onBehalfOf(carol), carol.id, { phone: '+15550190006' })).status).toBe(200);
    expect((await signInBy('+15550190006')).id).not.toBe(carol.id);
    expect((await openSession(carol)).token).toMatch(/^[0-9a-f]{40}$/);
  });

  test('a changed identity is a claim, and changing it back does not restore the proof', async () => {
    const owner = await signInBy('+15550190009');
    expect((await changeUser(owner, owner.id, { phone: '+15550190011' })).status).toBe(200);
    expect((await signInBy('+15550190011')).id).not.toBe(owner.id);
    expect((await changeUser(owner, owner.id, { phone: '+15550190009' })).status).toBe(200);
    expect((await signInBy('+15550190009')).id).not.toBe(owner.id);
  });

  test('of many concurrent first sign-ins with one identity, one creates the user', async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => signInBy('+15550190007')));
    const answers = await Promise.all(opened.map((as) => sessionStatus(as)));
    expect(answers).toEqual(Array(8).fill(200));
    expect(new Set(opened.map(({ id }) => id)).size).toBe(1);
  });

  test('a user who claims an account during a sign-in of its owner loses the claim', async () => {
    await useFacebook();
    const mallory = await signUp({});
    const typed = "UPDATE users SET facebook_id = '190007' WHERE id = $1";
    const owner = await whileLocked(typed, mallory.id, 'SELECT $1::int', () => signInByFacebook('190007'));
    expect(owner.id).not.toBe(mallory.id);
    expect(await shown(mallory.id)).toMatchObject({ facebook_id: null, login: mallory.login });
    expect((await signInByFacebook('190007')).id).toBe(owner.id);
  });

  test('a sign-in fails if its identity is removed in the meantime', async () => {
    await useFacebook();
    const { id } = await signInByFacebook('190012');
    const form = new URLSearchParams(signedParameters({ provider: 'facebook', 'keys[token]': 'FT190012' })).toString();
    const before = await sessionsOf(id);
    const { status, text } = await whileUserIsLocked(id, 'UPDATE users SET facebook_id = NULL WHERE id = $1', () =>
      rest('POST', '/session', { form }),
    );
    expect([status, text]).toEqual([401, '']);
    expect(await sessionsOf(id)).toEqual(before);
  });
});

describe('#52 trojan identities', () => {
  test('the first proof of an address by a reset removes all other sessions, identities, devices and uploads', async () => {
    await useFacebook();
    const email = 'victim@example.org';
    const mallory = await signInByFacebook('520001');
    expect((await changeUser(mallory, mallory.id, { email, twitter_id: '520001' })).status).toBe(200);
    expect((await loginByPhone(mallory, '+15550520001')).status).toBe(200);
    const device = { notification_channel: 'gcm', device: { platform: 'android', udid: 'u' } };
    const push_token = { environment: 'development', client_identification_sequence: 'of-mallory' };
    expect((await rest('POST', '/subscriptions', { as: mallory, json: { ...device, push_token } })).status).toBe(201);
    const blob = { content_type: 'text/plain', name: 'a.txt' };
    expect((await rest('POST', '/blobs', { as: mallory, json: { blob } })).status).toBe(201);

    await resetByMail(email);

    expect(await sessionStatus(mallory)).toBe(401);
    expect(await shown(mallory.id)).toMatchObject({ email, phone: null, facebook_id: null, twitter_id: null });
    expect(await sql('SELECT id FROM push_subscriptions WHERE user_id = $1', [mallory.id])).toEqual([]);
    expect(
      await sql('SELECT u.id FROM blob_uploads u JOIN blobs b ON b.id = blob_id WHERE user_id = $1', [mallory.id]),
    ).toEqual([]);
    expect((await signInByFacebook('520001')).id).not.toBe(mallory.id);
    expect((await signInBy('+15550520001')).id).not.toBe(mallory.id);
    const [user] = await sql('SELECT verified_email AS email FROM users WHERE id = $1', [mallory.id]);
    expect(user).toEqual({ email });
  });

  test('a reset keeps other identities if the address was already proven', async () => {
    await useFacebook();
    const email = 'proven@example.org';
    const alice = await signUp({ email });
    await resetByMail(email);
    const owner = await openSession({ login: alice.login, password: 'password-of-owner' });
    expect((await execute(LOGIN, { input: facebook('520002') }, owner)).loginUser.id).toBe(alice.id);
    await resetByMail(email);
    expect((await signInByFacebook('520002')).id).toBe(alice.id);
  });

  test('a changed address must be proven again', async () => {
    await useFacebook();
    const mallory = await signUp({ email: 'mallory@example.org' });
    await resetByMail('mallory@example.org');
    const session = await openSession({ login: mallory.login, password: 'password-of-owner' });
    expect((await execute(LOGIN, { input: facebook('520003') }, session)).loginUser.id).toBe(mallory.id);
    const email = 'victim3@example.org';
    expect((await changeUser(session, mallory.id, { email })).status).toBe(200);
    await resetByMail(email);
    expect((await signInByFacebook('520003')).id).not.toBe(mallory.id);
  });

  test('a user who claims a foreign address can neither invalidate the link of its owner nor redirect its mail', async () => {
    const [mine, email] = ['squatter-own@example.org', 'squatted@example.org'];
    const squatter = await signUp({ email: mine });
    const change = (address: string) =>
      rest('PUT', `/users/${squatter.id}`, { as: squatter, json: { user: { email: address } } });
    const request = (address: string, as: Caller) =>
      execute('mutation ($email: String!) { requestPasswordReset(email: $email) }', { email: address }, as);
    const client = await openSession();
    await request(mine, client);
    expect((await change(email)).status).toBe(200);
    await request(email, client);
    const linkTo = async (address: string) => (await mailsTo(address)).find((mail) => mail.includes('reset_token='));
    const mail = await linkTo(email);
    expect(mail).toBeDefined();

    // A link is valid only while the account has the address to which it was mailed.
    expect((await change(mine)).status).toBe(200);
    const own = await linkTo(mine);
    expect(await errorOf(RESET, { token: tokenIn(mail!), password: 'password-of-owner' }, anonymous)).toMatchObject({
      message: 'Token is invalid, has expired or was used already',
    });
    expect((await change(email)).status).toBe(200);
    expect(await errorOf(RESET, { token: tokenIn(own!), password: 'password-of-thief' }, anonymous)).toMatchObject({
      message: 'Token is invalid, has expired or was used already',
    });
    await execute(RESET, { token: tokenIn(mail!), password: 'password-of-owner' }, anonymous);
    expect(await sessionStatus(squatter)).toBe(401);
  });

  test('requests in flight during a reset attach no identity and register no device', async () => {
    await useFacebook();
    const victim = await signUp({ email: 'victim4@example.org' });
    const ended = 'DELETE FROM sessions WHERE user_id = $1';
    const attached = await whileUserIsLocked(victim.id, ended, () => loginByPhone(victim, '+15550520004'));
    expect(attached.status).toBe(401);
    expect(await shown(victim.id)).toMatchObject({ phone: null });
    const again = await openSession(victim);
    const json = {
      notification_channel: 'gcm',
      device: { platform: 'android', udid: 'u' },
      push_token: { environment: 'development', client_identification_sequence: 'late' },
    };
    const registered = await whileUserIsLocked(victim.id, ended, () =>
      rest('POST', '/subscriptions', { as: again, json }),
    );
    expect(registered.status).toBe(401);
    expect(await sql('SELECT id FROM push_subscriptions WHERE user_id = $1', [victim.id])).toEqual([]);
  });

  test('a migrated user without credentials keeps stored claims after a reset, and none of them opens the account', async () => {
    await useFacebook();
    const email = 'moved@example.org';
    const { id } = await createUser();
    await sql(
      `UPDATE users SET password_hash = NULL, email = $2, facebook_id = '520005', phone = '+15550520005',
        verified_email = NULL WHERE id = $1`,
      [id, email],
    );
    await resetByMail(email);
    expect(await shown(id)).toMatchObject({ facebook_id: '520005', phone: '+15550520005' });
    expect((await signInByFacebook('520005')).id).not.toBe(id);
    expect(await shown(id)).toMatchObject({ facebook_id: null, phone: '+15550520005', email });
  });
});

describe('#42 an unconfigured provider', () => {
  test('a sign-in with an unknown or unconfigured provider is rejected before any user is queried', async () => {
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
