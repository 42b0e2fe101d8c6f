import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { ProviderUnavailableError } from '../../../src/gateways/provider.ts';
import { RedirectSignIn } from '../../../src/gateways/redirect-sign-in.ts';
import { TokenVerifier } from '../../../src/gateways/token-verifier.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { connect } from '../../support/clients/websocket.ts';
import { startIssuer } from '../../support/fakes/oidc.ts';
import { execute, reasonOf } from '../../support/fixtures/chat.ts';
import { mailsTo } from '../../support/fixtures/mails.ts';
import { allowFactors, challengeFor, enableTotp, signIn } from '../../support/fixtures/second-factors.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import {
  anonymous,
  apiKey,
  type Caller,
  createUser,
  openSession,
  signedParameters,
} from '../../support/fixtures/users.ts';

useApp();

const CREATE = 'mutation ($input: CreateSessionInput!) { createSession(input: $input) { userId } }';
const SET = 'mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { id } }';

async function keyWith(restrictions: object): Promise<Caller> {
  const create = 'mutation ($r: ApiKeyRestrictions) { createApiKey(name: "k", restrictions: $r) { key } }';
  const { createApiKey } = await execute(create, { r: restrictions }, apiKey);
  return { headers: { Authorization: `ApiKey ${createApiKey.key}` } };
}

describe('#77 scopes of API keys are bypassed', () => {
  test('a key for messages reads no users over REST, GraphQL or a socket, in any part of a document', async () => {
    const as = await keyWith({ scopes: ['messages:*'] });
    expect((await rest('GET', '/chat/Dialog.json', { as })).status).toBe(403);
    for (const document of [
      '{ users { totalCount } }',
      '{ a: users { totalCount } }',
      '{ ...on Query { users { totalCount } } }',
    ]) {
      expect([document, await reasonOf(document, {}, as)]).toEqual([document, 'SCOPE_REQUIRED']);
    }
    const socket = await connect(as);
    const { errors } = await socket.run('{ users { totalCount } }');
    expect(errors?.[0]?.extensions?.reason).toBe('SCOPE_REQUIRED');
  });

  test('a restricted key makes no key, and changes none, also in one document with what it may do', async () => {
    const as = await keyWith({ scopes: ['*:*'] });
    const document = 'mutation { ok: deleteRole(name: "x") createApiKey(name: "all") { key } }';
    expect(await reasonOf('mutation { createApiKey(name: "all") { key } }', {}, as)).toBe('SCOPE_REQUIRED');
    const before = (await execute('{ apiKeys { id } }', {}, apiKey)).apiKeys.length;
    await reasonOf(document, {}, as);
    expect((await execute('{ apiKeys { id } }', {}, apiKey)).apiKeys).toHaveLength(before);
  });
});

describe('#78 users give themselves roles', () => {
  test('a tag with the name of a role opens no record, over REST and GraphQL', async () => {
    const alice = await createUser();
    await execute('mutation { defineRole(name: "boss") { name } }', {}, apiKey);
    await execute(SET, { input: { groups: 'SELF' } }, apiKey);
    const permissions = { read: { access: 'OPEN_FOR_GROUPS', groups: ['role:boss'] } };
    await defineClass('Safe', { text: 'String' }, { permissions });
    await execute('mutation { createSafe(input: { text: "secret" }) { id } }', {}, apiKey);
    for (const tag of ['role:boss', 'r:boss', 'boss', 'g:role:boss']) {
      await rest('PUT', `/users/${alice.id}.json`, { as: alice, json: { user: { tag_list: tag } } });
      expect([tag, (await rest('GET', '/data/Safe.json', { as: alice })).body.items]).toEqual([tag, []]);
      expect([tag, (await execute('{ saves: safes { text } }', {}, alice)).saves]).toEqual([tag, []]);
    }
  });
});

describe('#79 guessing, reusing or forwarding mailed codes', () => {
  test('a code is worthless without the token of its request, and with a token of another purpose', async () => {
    await execute(SET, { input: { publicSignIn: true, emailSignIn: 'USERS' } }, apiKey);
    const email = 'victim@x.io';
    const victim = await createUser({ email });
    const ask =
      'mutation ($app: Int!, $email: String!) { requestSignInCode(applicationId: $app, email: $email) { token } }';
    const { token } = (await execute(ask, { app: APPLICATION.id, email }, anonymous)).requestSignInCode;
    await expect.poll(async () => (await mailsTo(email)).length).toBe(1);
    const code = /^\d{6}$/m.exec((await mailsTo(email))[0]!)![0];
    const attempt = (emailCode: object) =>
      reasonOf(CREATE, { input: { applicationId: APPLICATION.id, emailCode } }, anonymous);
    for (const wrong of [{ code }, { token: '0'.repeat(40), code }, { token: code, code: token }, { token }]) {
      expect(await attempt(wrong)).toBe('SIGN_IN_CODE_WRONG');
    }
    const verify = 'mutation ($t: String!, $c: String) { verifyEmail(token: $t, code: $c) }';
    expect(await reasonOf(verify, { t: token, c: code }, anonymous)).toBe('CODE_INVALID');
    expect(await attempt({ token, code })).toBeUndefined();
    expect(await attempt({ token, code })).toBe('SIGN_IN_CODE_WRONG');
    expect(victim.id).toBeGreaterThan(0);
  });
});

describe('#80 forged, replayed or foreign tokens of issuers', () => {
  test('an application accepts only tokens of its own issuers, for its own audience, once', async () => {
    const issuer = await startIssuer(() => running.app.services.now());
    const trust = 'mutation ($input: TokenIssuerInput!) { updateTokenIssuer(input: $input) { name } }';
    const settings = { name: 'own', issuer: issuer.issuer, keysUrl: issuer.keysUrl, audiences: ['my-app'] };
    const attempt = async (payload: Record<string, unknown>) => {
      const idToken = { token: await issuer.sign(payload) };
      return reasonOf(CREATE, { input: { applicationId: APPLICATION.id, idToken } }, anonymous);
    };
    await execute(SET, { input: { publicSignIn: true } }, apiKey);
    expect(await attempt({ sub: 'a' })).toBe('SIGN_IN_REFUSED');
    await execute(trust, { input: { ...settings, algorithms: ['RS256'] } }, apiKey);
    expect(await attempt({ sub: 'a' })).toBe('SIGN_IN_REFUSED');
    await execute(trust, { input: { ...settings, algorithms: ['ES256'] } }, apiKey);
    expect(await attempt({ sub: 'a', aud: 'other' })).toBe('SIGN_IN_REFUSED');
    expect(await attempt({ sub: 'a' })).toBeUndefined();
    await issuer.stop();
  });
});

describe('#82 sign-in without the second factor', () => {
  test('no transport opens a session for a password alone, and the challenge of one user answers for no other', async () => {
    await allowFactors();
    const [alice, mallory] = [await createUser(), await createUser()];
    const { code } = await enableTotp(alice);
    const own = await enableTotp(mallory);
    const { login, password } = alice;
    const form = new URLSearchParams(signedParameters({ 'user[login]': login, 'user[password]': password }));
    expect((await fetch(`${running.url}/session.json`, { method: 'POST', body: form })).status).toBe(401);
    const session = await openSession();
    const loggedIn = await rest('POST', '/login.json', { as: session, json: { login, password } });
    expect([loggedIn.status, loggedIn.body.user]).toEqual([401, undefined]);
    expect(await reasonOf('{ me { id } }', {}, session)).toBe('USER_REQUIRED');
    const { token } = await challengeFor(mallory);
    const answers = [
      { token, code: code() },
      { token: (await challengeFor(alice)).token, code: own.code() },
      { token: (await challengeFor(alice)).token, code: own.recoveryCodes[0]! },
      { token: '', code: code() },
    ];
    for (const answer of answers) {
      const { data, errors } = await signIn({ answer });
      expect([data?.createSession, errors?.[0]?.extensions?.reason]).toEqual([undefined, 'SIGN_IN_CODE_WRONG']);
    }
  });

  test('a session that is older than ten minutes takes no account over, on any transport', async () => {
    await allowFactors();
    const user = await createUser({ email: 'stolen@x.io' });
    await enableTotp(user);
    clock.advance(11 * 60_000);
    const changes = { user: { old_password: user.password, password: 'password-2' } };
    expect((await rest('PUT', `/users/${user.id}.json`, { as: user, json: changes })).status).toBe(403);
    expect((await rest('DELETE', `/users/${user.id}.json`, { as: user })).status).toBe(403);
    const socket = await connect(user);
    for (const field of [
      'disableSecondFactor',
      'renewRecoveryCodes',
      'requestUserPasskey { token }',
      'enablePasskeyFactor',
    ]) {
      const { errors } = await socket.run(`mutation { ${field} }`);
      expect([field, errors?.[0]?.extensions?.code]).toEqual([field, 'CONFIRMATION_REQUIRED']);
    }
    clock.reset();
  });
});

describe('#83 sign-in at a provider that another person began', () => {
  test('a code of a provider is worthless in another application, and as a code of another kind', async () => {
    const code = '0'.repeat(40);
    const wrong = { code, verifier: 'v'.repeat(43) };
    const of = (input: object) => reasonOf(CREATE, { input: { applicationId: APPLICATION.id, ...input } }, anonymous);
    expect(await of({ providerCode: wrong })).toBe('SIGN_IN_REFUSED');
    await allowFactors();
    const user = await createUser();
    await enableTotp(user);
    const { token } = await challengeFor(user);
    expect(await of({ providerCode: { code: token, verifier: 'v'.repeat(43) } })).toBe('SIGN_IN_REFUSED');
    expect(await of({ emailCode: { token, code: '000000' } })).toBe('SIGN_IN_CODE_WRONG');
  });

  test('an issuer on a private network is not asked unless the operator permits it', async () => {
    const verifier = new TokenVerifier({ now: () => new Date(), allowsPrivate: false });
    const redirects = new RedirectSignIn(verifier);
    for (const issuer of ['http://127.0.0.1:1', 'https://127.0.0.1', 'https://[::1]', 'https://169.254.169.254']) {
      const client = { kind: 'openid' as const, issuer, clientId: 'x', secret: undefined, scopes: [] };
      const trusted = { keysUrl: null, audiences: ['x'], algorithms: ['RS256'], keyIds: [], subjectClaim: 'sub' };
      const state = { redirectUri: 'https://x.example/cb', state: 's', nonce: 'n', verifier: 'v'.repeat(43) };
      await expect(redirects.authorizationUrl({ ...client, ...trusted }, state)).rejects.toBeInstanceOf(
        ProviderUnavailableError,
      );
    }
  });
});

describe('#84 guessing passwords of one account', () => {
  test('a hash that would block the service is refused, and one in the database is never computed', async () => {
    const create = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }';
    const hash = `$2b$31$${'a'.repeat(53)}`;
    expect(await reasonOf(create, { input: { login: 'slow-hash', passwordHash: hash } }, apiKey)).toBe(
      'PASSWORD_HASH_UNKNOWN',
    );
    const user = await createUser();
    await db.user.update({
      where: { applicationId_id: { applicationId: APPLICATION.id, id: user.id } },
      data: { passwordHash: hash },
    });
    await expect(openSession(user)).rejects.toThrow('401');
  });
});
