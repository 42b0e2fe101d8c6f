import { exportSPKI, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { sweep } from '../../../src/jobs/sweep.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { type Oidc, type OwnIssuer, startIssuer, startOidc } from '../../support/fakes/oidc.ts';
import { execute, reasonOf } from '../../support/fixtures/chat.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';
import { anonymous, apiKey, type Caller, createUser } from '../../support/fixtures/users.ts';

useApp();

afterEach(() => clock.reset());

const SET = 'mutation ($input: TokenIssuerInput!) { updateTokenIssuer(input: $input) { name algorithms signsUp } }';
const CREATE = 'mutation ($input: CreateSessionInput!) { createSession(input: $input) { userId token } }';
const LINK = 'mutation ($input: SessionIdToken!) { linkIdentity(input: $input) { issuer subject } }';
const UNLINK = 'mutation ($issuer: String!, $subject: String!) { unlinkIdentity(issuer: $issuer, subject: $subject) }';
const ME = '{ me { id email emailVerified fullName } identities { issuer subject } }';

const MINUTE = 60_000;
const REFUSED = 'SIGN_IN_REFUSED';

const inputOf = (token: string, nonce?: string) => ({
  input: { applicationId: APPLICATION.id, idToken: { token, nonce } },
});

async function signIn(token: string, nonce?: string): Promise<Caller & { id: number }> {
  const { createSession } = await execute(CREATE, inputOf(token, nonce), anonymous);
  return { id: createSession.userId, headers: { 'SVC-Token': createSession.token } };
}

const refusal = (token: string, nonce?: string) => reasonOf(CREATE, inputOf(token, nonce), anonymous);

let own: OwnIssuer;
let oidc: Oidc;

beforeAll(async () => {
  await execute('mutation { updateApplication(input: { publicSignIn: true }) { id } }', {}, apiKey);
  own = await startIssuer(() => running.app.services.now());
  oidc = await startOidc((login) => ({ email: `${login}@idp.example`, email_verified: true, name: `Ms ${login}` }));
  const mine = { name: 'mine', issuer: own.issuer, keysUrl: own.keysUrl, audiences: ['my-app'], algorithms: ['ES256'] };
  await execute(SET, { input: mine }, apiKey);
  await execute(SET, { input: { name: 'oidc', issuer: oidc.issuer, audiences: ['app'] } }, apiKey);
});

afterAll(() => Promise.all([own.stop(), oidc.stop()]));

describe('tokens of an OpenID provider', () => {
  test('a person signs up and in with ID tokens of the provider, found by discovery', async () => {
    // The provider uses the real clock.
    const realNow = Date.now() - running.app.services.now().getTime();
    clock.advance(realNow);
    const token = await oidc.idToken('ada', 'n-1');
    expect(await refusal(token, 'n-2')).toBe(REFUSED);
    const ada = await signIn(token, 'n-1');
    const { me, identities } = await execute(ME, {}, ada);
    expect(me).toMatchObject({ email: 'ada@idp.example', emailVerified: true, fullName: 'Ms ada' });
    expect(identities).toEqual([{ issuer: oidc.issuer, subject: 'ada' }]);
    expect(await refusal(token, 'n-1')).toBe(REFUSED);
    expect((await signIn(await oidc.idToken('ada', 'n-3'), 'n-3')).id).toBe(ada.id);
  });
});

describe('tokens of an issuer of your own', () => {
  test('a token signs in the user with its subject, once', async () => {
    const token = await own.sign({ sub: 'u1', name: 'One' });
    const one = await signIn(token);
    expect((await execute(ME, {}, one)).me).toMatchObject({ email: null, fullName: 'One' });
    expect(await refusal(token)).toBe(REFUSED);
    expect((await signIn(await own.sign({ sub: 'u1' }))).id).toBe(one.id);
    expect((await signIn(await own.sign({ sub: 'u2' }))).id).not.toBe(one.id);
  });

  test.each([
    ['another audience', { sub: 'x', aud: 'other-app' }],
    ['another issuer', { sub: 'x', iss: 'https://evil.example' }],
    ['no subject', {}],
    ['an empty subject', { sub: '' }],
    ['a subject of another type', { sub: 5 as unknown as string }],
    ['several audiences without the party that may use it', { sub: 'x', aud: ['my-app', 'other'] }],
    ['a time of issue in the future', { sub: 'x', iat: 4_000_000_000, exp: 4_000_000_300 }],
    ['an expiry in the past', { sub: 'x', exp: 1_000 }],
  ])('a token with %s is refused and creates no user', async (_name, payload) => {
    const before = await db.user.count();
    expect(await refusal(await own.sign(payload))).toBe(REFUSED);
    expect(await db.user.count()).toBe(before);
  });

  test('tokens that are not signed, signed by an HMAC of the public key, or malformed are refused', async () => {
    const claims = { iss: own.issuer, aud: 'my-app', sub: 'x', iat: 1, exp: 4_000_000_000 };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = `${part({ alg: 'none' })}.${part(claims)}.`;
    const hmac = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .sign(Buffer.from(await exportSPKI(own.publicKey())));
    const [header, , signature] = (await own.sign({ sub: 'x' })).split('.');
    const swapped = `${header}.${part({ ...claims, sub: 'admin' })}.${signature}`;
    for (const token of [unsigned, hmac, swapped, '', 'x', 'a.b.c', '.'.repeat(10), `${'x'.repeat(5_000)}.y.z`]) {
      expect([token, await refusal(token)]).toEqual([token, REFUSED]);
    }
  });

  test('rotated keys are read again, and a flood of unknown key ids reads them once', async () => {
    await own.rotate('second');
    // The cooldown between two reads of a key set follows the system clock.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + MINUTE });
    await signIn(await own.sign({ sub: 'u1' }));
    const reads = own.reads();
    const forged = await Promise.all(Array.from({ length: 20 }, (_, i) => own.sign({ sub: 'u1' }, { kid: `k${i}` })));
    for (const token of forged) expect(await refusal(token)).toBe(REFUSED);
    expect(own.reads() - reads).toBeLessThanOrEqual(1);
    vi.useRealTimers();
  });

  test('only pinned keys are accepted', async () => {
    const mine = {
      name: 'mine',
      issuer: own.issuer,
      keysUrl: own.keysUrl,
      audiences: ['my-app'],
      algorithms: ['ES256'],
    };
    await execute(SET, { input: { ...mine, keyIds: ['other'] } }, apiKey);
    expect(await refusal(await own.sign({ sub: 'u1' }))).toBe(REFUSED);
    await execute(SET, { input: { ...mine, keyIds: ['second'] } }, apiKey);
    await signIn(await own.sign({ sub: 'u1' }));
    await execute(SET, { input: mine }, apiKey);
  });

  test.each([
    ['refuses', { status: 500 }],
    ['redirects', { status: 302 }],
    ['sends no JSON', { status: 200, body: '<html>' }],
    ['sends no key set', { status: 200, body: '{"keys":5}' }],
    ['sends 10 MB', { status: 200, body: 'x'.repeat(10_000_000) }],
  ])('while the key set of an issuer %s, its tokens are refused and others sign in', async (_name, answer) => {
    const issuer = await startIssuer(() => running.app.services.now());
    const settings = { name: 'broken', issuer: issuer.issuer, keysUrl: issuer.keysUrl, audiences: ['my-app'] };
    await execute(SET, { input: { ...settings, algorithms: ['ES256'] } }, apiKey);
    issuer.answer = answer;
    expect(await refusal(await issuer.sign({ sub: 'x' }))).toBe(REFUSED);
    await signIn(await own.sign({ sub: 'u1' }));
    await issuer.stop();
  });

  test('an issuer that does not sign up refuses unknown identities', async () => {
    const mine = {
      name: 'mine',
      issuer: own.issuer,
      keysUrl: own.keysUrl,
      audiences: ['my-app'],
      algorithms: ['ES256'],
    };
    expect((await execute(SET, { input: { ...mine, signsUp: false } }, apiKey)).updateTokenIssuer.signsUp).toBe(false);
    expect(await refusal(await own.sign({ sub: 'stranger' }))).toBe(REFUSED);
    await signIn(await own.sign({ sub: 'u1' }));
    await execute(SET, { input: { ...mine, isSingleUse: false } }, apiKey);
    const token = await own.sign({ sub: 'u1' });
    await signIn(token);
    await signIn(token);
    await execute(SET, { input: mine }, apiKey);
  });

  test('used tokens are deleted an hour after they have expired', async () => {
    expect(await db.usedToken.count()).toBeGreaterThan(0);
    clock.advance(120 * MINUTE + Math.max(0, Date.now() - running.app.services.now().getTime()));
    await sweep(running.app.services.now(), { ...RETENTION, sessionMinutes: 1e6, eventRetentionHours: 1e6 });
    expect(await db.usedToken.count()).toBe(0);
  });
});

describe('linking', () => {
  const verifiedToken = (sub: string, email: string, email_verified: unknown = true) =>
    own.sign({ sub, email, email_verified });

  test('a verified address of both sides links the identity, and an unverified one of either does not', async () => {
    const [verified, unverified] = [
      await createUser({ email: 'both@x.io' }),
      await createUser({ email: 'claimed@x.io' }),
    ];
    await db.user.updateMany({ where: { id: unverified.id }, data: { verifiedEmail: null } });
    expect((await signIn(await verifiedToken('l1', 'both@x.io'))).id).toBe(verified.id);
    const other = await signIn(await verifiedToken('l2', 'claimed@x.io'));
    expect(other.id).not.toBe(unverified.id);
    expect((await execute(ME, {}, other)).me.email).toBeNull();
    expect((await execute(ME, {}, unverified)).me.email).toBe('claimed@x.io');
    for (const isVerified of [false, 'false', undefined, 1]) {
      const session = await signIn(
        await own.sign({ sub: `l3${isVerified}`, email: 'both@x.io', email_verified: isVerified }),
      );
      expect(session.id).not.toBe(verified.id);
    }
  });

  test('a signed-in user links and unlinks an identity, soon after the sign-in', async () => {
    const [alice, bob] = [await createUser(), await createUser()];
    const link = async (sub: string) => ({ input: { token: await own.sign({ sub }) } });
    expect((await execute(LINK, await link('l5'), alice)).linkIdentity.subject).toBe('l5');
    expect((await signIn(await own.sign({ sub: 'l5' }))).id).toBe(alice.id);
    expect(await reasonOf(LINK, await link('l5'), bob)).toBe('IDENTITY_TAKEN');
    const named = { issuer: own.issuer, subject: 'l5' };
    const methods = 'query ($id: Int!) { userSignInMethods(userId: $id) { identities { issuer subject } } }';
    expect((await execute(methods, { id: alice.id }, apiKey)).userSignInMethods.identities).toEqual([named]);
    expect(await reasonOf(UNLINK, named, bob)).toBe('NOT_FOUND');
    clock.advance(11 * MINUTE);
    expect(await reasonOf(LINK, await link('l6'), alice)).toBe('SIGN_IN_AGAIN');
    expect(await reasonOf(UNLINK, named, alice)).toBe('SIGN_IN_AGAIN');
    clock.reset();
    await execute(UNLINK, named, alice);
    expect((await execute(ME, {}, alice)).identities).toEqual([]);
    const only = await signIn(await own.sign({ sub: 'l7' }));
    expect(await reasonOf(UNLINK, { issuer: own.issuer, subject: 'l7' }, only)).toBe('LAST_CREDENTIAL');
  });

  test('concurrent first sign-ins of one identity create one user', async () => {
    const tokens = await Promise.all([1, 2, 3, 4].map((n) => own.sign({ sub: 'racer', n })));
    const sessions = await Promise.all(tokens.map((token) => signIn(token)));
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(1);
  });
});

describe('settings of issuers', () => {
  test('invalid settings are refused with all problems', async () => {
    for (const [change, reason] of [
      [{ name: 'Big Name' }, 'ISSUER_NAME_INVALID'],
      [{ issuer: 'ftp://x' }, 'NOT_AN_HTTP_ADDRESS'],
      [{ audiences: [] }, 'BLANK'],
      [{ algorithms: ['HS256'] }, 'ALGORITHMS_INVALID'],
      [{ algorithms: ['none'] }, 'ALGORITHMS_INVALID'],
      [{ keysUrl: 'https://user:secret@x.io/keys' }, 'NOT_AN_HTTP_ADDRESS'],
      [{ subjectClaim: 'a b' }, 'INVALID'],
      [{ issuer: own.issuer }, 'TAKEN'],
    ] as const) {
      const input = { name: 'other', issuer: 'https://issuer.example', audiences: ['a'], ...change };
      expect([change, await reasonOf(SET, { input }, apiKey)]).toEqual([change, reason]);
    }
  });

  test('a deleted issuer signs in no user', async () => {
    await execute('mutation { deleteTokenIssuer(name: "mine") }', {}, apiKey);
    expect(await refusal(await own.sign({ sub: 'u1' }))).toBe(REFUSED);
    expect(await reasonOf('mutation { deleteTokenIssuer(name: "mine") }', {}, apiKey)).toBe('NOT_FOUND');
  });
});
