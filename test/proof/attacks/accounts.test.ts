import { describe, expect, test } from 'vitest';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { connect } from '../../support/clients/websocket.ts';
import { startIssuer } from '../../support/fakes/oidc.ts';
import { execute, reasonOf } from '../../support/fixtures/chat.ts';
import { mailsTo } from '../../support/fixtures/mails.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import { anonymous, apiKey, type Caller, createUser } from '../../support/fixtures/users.ts';

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
