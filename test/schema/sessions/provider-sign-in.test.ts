import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { type GitHub, startGitHub } from '../../support/fakes/github.ts';
import { cookieBrowser, followAs, type Oidc, startOidc, type Visit } from '../../support/fakes/oidc.ts';
import { execute, reasonOf } from '../../support/fixtures/chat.ts';
import { anonymous, apiKey, type Caller, createUser } from '../../support/fixtures/users.ts';

useApp();

const RETURN = 'https://app.example.com/signed-in';
const NATIVE = 'com.example.app://signed-in';
const SET = `mutation ($input: TokenIssuerInput!) {
  updateTokenIssuer(input: $input) { name kind clientId hasSecret redirectUri returnAddresses }
}`;
const CREATE = 'mutation ($input: CreateSessionInput!) { createSession(input: $input) { userId token } }';
const LINK = `mutation ($code: SessionProviderCode!) { linkIdentity(providerCode: $code) { issuer subject } }`;
const ME = '{ me { id email emailVerified fullName } identities { issuer subject } }';
const REFUSED = 'SIGN_IN_REFUSED';

let oidc: Oidc;
let github: GitHub;

beforeAll(async () => {
  // The provider uses the real clock.
  clock.advance(Date.now() - running.app.services.now().getTime());
  await execute('mutation { updateApplication(input: { publicSignIn: true }) { id } }', {}, apiKey);
  const redirectUri = `${running.url}/sign-in/${APPLICATION.id}/idp/callback`;
  oidc = await startOidc(
    (login) => ({ email: `${login}@idp.example`, email_verified: true, name: `Ms ${login}` }),
    [redirectUri],
  );
  github = await startGitHub();
  const client = { id: 'web', secret: 'web-secret', returnAddresses: [RETURN, NATIVE] };
  const set = await execute(SET, { input: { name: 'idp', issuer: oidc.issuer, audiences: ['web'], client } }, apiKey);
  expect(set.updateTokenIssuer).toEqual({
    ...{
      name: 'idp',
      kind: 'OPENID',
      clientId: 'web',
      hasSecret: true,
      redirectUri,
      returnAddresses: [RETURN, NATIVE],
    },
  });
  await setGitHub({});
});

afterAll(() => Promise.all([oidc.stop(), github.stop()]));

const setGitHub = (more: object) => {
  const client = { id: 'app', secret: 'github-secret', returnAddresses: [RETURN] };
  const input = { name: 'github', kind: 'GITHUB', issuer: github.issuer, audiences: ['github'], client, ...more };
  return execute(SET, { input }, apiKey);
};

function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

function startOf(provider: string, challenge: string, more: Record<string, string> = {}): string {
  const start = new URL(`${running.url}/sign-in/${APPLICATION.id}/${provider}`);
  start.search = new URLSearchParams({
    return_to: RETURN,
    code_challenge: challenge,
    state: 'mine',
    ...more,
  }).toString();
  return start.href;
}

const isApp = ({ href }: URL) => href.startsWith('https://app.example.com') || href.startsWith('com.example.app:');
const isCallback = ({ pathname, host }: URL) => pathname.endsWith('/callback') && host === new URL(running.url).host;

/** What the app receives. */
async function through(provider: string, login: string, visit: Visit = cookieBrowser()) {
  const { verifier, challenge } = pkce();
  const end = await followAs(login, visit, startOf(provider, challenge), isApp);
  const code = end.searchParams.get('provider_code') ?? undefined;
  return { end, providerCode: { code: code ?? '', verifier }, error: end.searchParams.get('error') };
}

const inputOf = (providerCode: object) => ({ input: { applicationId: APPLICATION.id, providerCode } });
const refusal = (providerCode: object) => reasonOf(CREATE, inputOf(providerCode), anonymous);

async function signIn(providerCode: object): Promise<Caller & { id: number }> {
  const { createSession } = await execute(CREATE, inputOf(providerCode), anonymous);
  return { id: createSession.userId, headers: { 'SVC-Token': createSession.token } };
}

describe('a sign-in at an OpenID provider', () => {
  test('returns to the app with a code that signs in once, and only with the verifier of the app', async () => {
    const { end, providerCode } = await through('idp', 'ada');
    expect([end.origin + end.pathname, end.searchParams.get('state')]).toEqual([RETURN, 'mine']);
    expect(await refusal({ ...providerCode, verifier: pkce().verifier })).toBe(REFUSED);
    const ada = await signIn(providerCode);
    const { me, identities } = await execute(ME, {}, ada);
    expect(me).toMatchObject({ email: 'ada@idp.example', emailVerified: true, fullName: 'Ms ada' });
    expect(identities).toEqual([{ issuer: oidc.issuer, subject: 'ada' }]);
    expect(await refusal(providerCode)).toBe(REFUSED);
    expect((await signIn((await through('idp', 'ada')).providerCode)).id).toBe(ada.id);
  });

  test('stores nothing and no secret for requests that only begin', async () => {
    const before = await db.signInChallenge.count({ where: { applicationId: APPLICATION.id } });
    const response = await fetch(startOf('idp', pkce().challenge), { redirect: 'manual' });
    expect(response.status).toBe(303);
    const location = new URL(response.headers.get('location')!);
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      ...{ client_id: 'web', response_type: 'code', code_challenge_method: 'S256', scope: 'openid email profile' },
    });
    const cookie = response.headers.getSetCookie()[0]!;
    expect(cookie).toMatch(
      /^atrium_sign_in_[\w-]{16}=v1\.[\w-]+; Path=\/sign-in\/\d+\/idp; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    expect(await db.signInChallenge.count({ where: { applicationId: APPLICATION.id } })).toBe(before);
    const stored = await db.tokenIssuer.findFirst({ where: { applicationId: APPLICATION.id, name: 'idp' } });
    expect(stored?.encryptedSecret).not.toContain('web-secret');
  });

  test('is finished only by the browser that began, once, at the address of the provider', async () => {
    const visit = cookieBrowser();
    const { challenge } = pkce();
    const callback = await followAs('eve', visit, startOf('idp', challenge), isCallback);
    const stranger = await fetch(callback, { redirect: 'manual' });
    expect([stranger.status, await stranger.text()]).toEqual([400, expect.stringContaining('begin again in the app')]);
    const finished = await visit(callback.href);
    expect(new URL(finished.headers.get('location')!).searchParams.get('provider_code')).toBeTruthy();
    const again = await visit(callback.href);
    expect(again.status).toBe(400);
  });

  test('reports to the app that the person has refused, without a code', async () => {
    const visit = cookieBrowser();
    const begun = await visit(startOf('idp', pkce().challenge));
    const state = new URL(begun.headers.get('location')!).searchParams.get('state')!;
    const denied = new URLSearchParams({ error: 'access_denied', state, iss: oidc.issuer });
    const response = await visit(`${running.url}/sign-in/${APPLICATION.id}/idp/callback?${denied}`);
    expect(response.headers.get('location')).toBe(`${RETURN}?state=mine&error=access_denied`);
  });

  test.each([
    ['a state of another sign-in', { state: 'x'.repeat(43) }],
    ['a code that the provider has not issued', { code: 'forged' }],
    ['another issuer', { iss: 'https://evil.example' }],
  ])('is refused with %s', async (_name, change) => {
    const visit = cookieBrowser();
    const callback = await followAs('mal', visit, startOf('idp', pkce().challenge), isCallback);
    const state = callback.searchParams.get('state')!;
    for (const [name, value] of Object.entries(change)) callback.searchParams.set(name, value);
    if ('state' in change) callback.searchParams.set('state', state.slice(0, 16) + change.state!);
    const response = await visit(callback.href);
    expect(response.headers.get('location')).toBe(`${RETURN}?state=mine&error=sign_in_refused`);
    expect(await db.user.count({ where: { applicationId: APPLICATION.id, email: 'mal@idp.example' } })).toBe(0);
  });

  test.each<[string, Record<string, string>, number, string]>([
    ['an address that is not listed', { return_to: 'https://evil.example' }, 422, 'Return to'],
    ['a listed address with a suffix', { return_to: `${RETURN}/../evil` }, 422, 'Return to'],
    ['no challenge', { code_challenge: '' }, 422, 'Code challenge'],
    ['a state without end', { state: 'x'.repeat(501) }, 422, 'State'],
  ])('does not begin with %s', async (_name, change, status, text) => {
    const response = await fetch(startOf('idp', pkce().challenge, change), { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([status, null]);
    expect((await response.text()).includes(text)).toBe(true);
  });

  test.each([
    ['an unknown provider', `/sign-in/${APPLICATION.id}/none`],
    ['an unknown application', '/sign-in/2147483647/idp'],
    ['an application that is no number', '/sign-in/x/idp'],
  ])('answers %s with an error page', async (_name, path) => {
    const response = await fetch(`${running.url}${path}?return_to=x&code_challenge=x`, { redirect: 'manual' });
    expect([response.status >= 400 && response.status < 500, response.headers.get('location')]).toEqual([true, null]);
  });

  test('links the account to a signed-in user, who keeps other ways to sign in', async () => {
    const user = await createUser();
    const { providerCode } = await through('idp', 'linked');
    expect((await execute(LINK, { code: providerCode }, user)).linkIdentity).toEqual({
      ...{ issuer: oidc.issuer, subject: 'linked' },
    });
    expect((await signIn((await through('idp', 'linked')).providerCode)).id).toBe(user.id);
  });
});

describe('a sign-in at GitHub', () => {
  test('takes the id, and the primary verified address', async () => {
    github.account = {
      id: 42,
      name: 'Mona',
      emails: [
        { email: 'other@github.example', primary: false, verified: true },
        { email: 'Mona@GitHub.example', primary: true, verified: true },
      ],
    };
    const mona = await signIn((await through('github', 'mona')).providerCode);
    const { me, identities } = await execute(ME, {}, mona);
    expect(me).toMatchObject({ email: 'mona@github.example', emailVerified: true, fullName: 'Mona' });
    expect(identities).toEqual([{ issuer: github.issuer, subject: '42' }]);
  });

  test('takes over no account by an address that GitHub has not verified', async () => {
    const victim = await createUser({ email: 'victim@github.example' });
    github.account = {
      ...{ id: 43, name: 'Mallory' },
      emails: [{ email: 'victim@github.example', primary: true, verified: false }],
    };
    const mallory = await signIn((await through('github', 'mallory')).providerCode);
    expect(mallory.id).not.toBe(victim.id);
    expect((await execute(ME, {}, mallory)).me.email).toBeNull();
  });

  test.each<[string, NonNullable<GitHub['tokenAnswer']>]>([
    ['responds with an error', (response) => response.writeHead(500).end()],
    ['redirects', (response) => response.writeHead(302, { Location: 'http://127.0.0.1/' }).end()],
    [
      'sends what is no JSON',
      (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('<html>'),
    ],
    [
      'sends 10 MB',
      (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(' '.repeat(10_000_000)),
    ],
    ['cuts the connection', (response) => response.destroy()],
  ])('returns to the app with an error if GitHub %s, while others sign in', async (_name, answer) => {
    github.tokenAnswer = answer;
    const failing = through('github', 'late');
    expect((await signIn((await through('idp', 'others')).providerCode)).id).toBeGreaterThan(0);
    expect(await failing).toMatchObject({ error: 'sign_in_refused', providerCode: { code: '' } });
    github.tokenAnswer = undefined;
  });

  test('fails without another effect if the secret is wrong, and works again with the right one', async () => {
    await setGitHub({ client: { id: 'app', secret: 'wrong', returnAddresses: [RETURN] } });
    expect((await through('github', 'x')).error).toBe('sign_in_refused');
    await setGitHub({});
    await setGitHub({ client: { id: 'app', returnAddresses: [RETURN] } });
    expect((await through('github', 'x')).error).toBeNull();
  });
});

test('a provider whose address does not respond refuses to begin, and the page says so', async () => {
  const silent = createServer((_request, response) => response.destroy());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const client = { id: 'web', returnAddresses: [RETURN] };
  await execute(SET, { input: { name: 'silent', issuer, audiences: ['web'], client } }, apiKey);
  const response = await fetch(startOf('silent', pkce().challenge), { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([422, null]);
  await new Promise((resolve) => silent.close(resolve));
});

test.each([
  ['a client that is no audience', { audiences: ['other'] }, 'CLIENT_NOT_AN_AUDIENCE'],
  ['no return address', { client: { id: 'web', returnAddresses: [] } }, 'BLANK'],
  ['an address with a fragment', { client: { id: 'web', returnAddresses: [`${RETURN}#x`] } }, 'NOT_AN_ADDRESS'],
  ['a script as address', { client: { id: 'web', returnAddresses: ['javascript://x'] } }, 'NOT_AN_ADDRESS'],
  ['a key of Apple without its id', { client: { id: 'web', privateKey: 'x', returnAddresses: [RETURN] } }, 'INVALID'],
  ['GitHub without a client', { kind: 'GITHUB', client: null }, 'CLIENT_REQUIRED'],
])('settings with %s are refused', async (_name, change, reason) => {
  const client = { id: 'web', returnAddresses: [RETURN] };
  const input = { name: 'wrong', issuer: 'https://wrong.example', audiences: ['web'], client, ...change };
  expect(await reasonOf(SET, { input }, apiKey)).toBe(reason);
});
