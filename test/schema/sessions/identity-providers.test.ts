import { beforeEach, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { DecryptionError } from '../../../src/platform/encryption/encrypter.ts';
import {
  encryptIdentityProviders,
  openSettings,
  storeIdentityProvider,
} from '../../../src/resolvers/sessions/identity-providers.ts';
import { APPLICATION, ENCRYPTER, running, useApp } from '../../support/app/app.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { answerJson, startProvider } from '../../support/fakes/provider.ts';
import {
  anonymous,
  apiKey,
  createUser,
  onBehalfOf,
  openSession,
  signedParameters,
} from '../../support/fixtures/users.ts';

useApp();
beforeEach(async () => void (await db.identityProvider.deleteMany()));

const UPDATE = `mutation ($input: UpdateIdentityProviderInput!) { updateIdentityProvider(input: $input) { provider publicId } }`;
const LIST = `{ identityProviders { provider publicId } }`;
const FACEBOOK = { facebook: { appId: '12', appSecret: 'hidden' } };

describe('updateIdentityProvider', () => {
  test('updateIdentityProvider configures each provider, also again, and returns no secrets', async () => {
    await graphql(UPDATE, { input: FACEBOOK }, apiKey);
    await graphql(UPDATE, { input: { facebook: { appId: '13', appSecret: 'hidden' } } }, apiKey);
    await graphql(UPDATE, { input: { twitter: { consumerKey: 'CK', consumerSecret: 'hidden' } } }, apiKey);
    const { data } = await graphql(UPDATE, { input: { firebasePhone: { projectId: 'ours' } } }, apiKey);
    expect(data.updateIdentityProvider).toEqual({ provider: 'FIREBASE_PHONE', publicId: 'ours' });
    expect((await graphql(LIST, {}, apiKey)).data.identityProviders).toEqual([
      { provider: 'FACEBOOK', publicId: '13' },
      { provider: 'TWITTER', publicId: 'CK' },
      { provider: 'FIREBASE_PHONE', publicId: 'ours' },
    ]);
  });

  test('updateIdentityProvider does not change endpoints, which only the operator sets', async () => {
    const where = { applicationId: APPLICATION.id, provider: 'facebook' } as const;
    const stored = () => db.identityProvider.findUniqueOrThrow({ where: { applicationId_provider: where } });
    await storeIdentityProvider(
      { applicationId: 92, ...FACEBOOK, endpoint: 'http://127.0.0.1:9/x' },
      { encrypter: ENCRYPTER, now: running.now() },
    );
    const smuggled = { facebook: { ...FACEBOOK.facebook, endpoint: 'http://169.254.169.254' } };
    expect((await graphql(UPDATE, { input: smuggled }, apiKey)).errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    await graphql(UPDATE, { input: FACEBOOK }, apiKey);
    expect((await stored()).endpoint).toBe('http://127.0.0.1:9/x');
    await storeIdentityProvider(
      { applicationId: 92, ...FACEBOOK, endpoint: null },
      { encrypter: ENCRYPTER, now: running.now() },
    );
    expect((await stored()).endpoint).toBeNull();
    const wrong = storeIdentityProvider(
      { applicationId: 92, ...FACEBOOK, endpoint: 'file:///x' },
      { encrypter: ENCRYPTER, now: running.now() },
    );
    await expect(wrong).rejects.toMatchObject({ fields: { endpoint: [{ reason: 'SETTING_INVALID' }] } });
  });

  test('updateIdentityProvider rejects invalid settings and two providers at once', async () => {
    const { errors } = await graphql(UPDATE, { input: { facebook: { appId: '', appSecret: 'a b' } } }, apiKey);
    expect(errors).toMatchObject([
      {
        extensions: {
          code: 'UNPROCESSABLE',
          fields: {
            appId: ['should be 1–255 printable characters without spaces'],
            appSecret: ['should be 1–255 printable characters without spaces'],
          },
        },
      },
    ]);
    for (const input of [{}, { ...FACEBOOK, firebasePhone: { projectId: 'ours' } }, { facebook: null }]) {
      expect((await graphql(UPDATE, { input }, apiKey)).errors).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT' } },
      ]);
    }
    expect(await db.identityProvider.count()).toBe(0);
  });
});

test('identity providers are available only to API keys', async () => {
  const user = await createUser();
  const REMOVE = `mutation { deleteIdentityProvider(provider: FACEBOOK) }`;
  for (const caller of [anonymous, user, onBehalfOf(user), await openSession()]) {
    for (const [query, variables] of [
      [UPDATE, { input: FACEBOOK }],
      [LIST, {}],
      [REMOVE, {}],
    ] as const) {
      const [error] = (await graphql(query, variables, caller)).errors ?? [];
      expect(error?.extensions?.code).toBe(caller === anonymous ? 'UNAUTHENTICATED' : 'FORBIDDEN');
    }
  }
  expect(await db.identityProvider.count()).toBe(0);
});

test('secrets are stored encrypted, and older ones are encrypted at the next start, even by concurrent processes', async () => {
  const applicationId_provider = { applicationId: APPLICATION.id, provider: 'facebook' } as const;
  const stored = () => db.identityProvider.findUniqueOrThrow({ where: { applicationId_provider } });
  await graphql(UPDATE, { input: FACEBOOK }, apiKey);
  expect(JSON.stringify(await stored())).not.toContain('hidden');
  expect(openSettings(await stored(), ENCRYPTER)).toEqual({ appId: '12', appSecret: 'hidden' });

  const settings = { appId: '12', appSecret: 'of before' };
  await db.identityProvider.update({ where: { applicationId_provider }, data: { settings, encryptedSecrets: null } });
  expect(openSettings(await stored(), ENCRYPTER)).toEqual(settings);
  await Promise.all(Array.from({ length: 5 }, () => encryptIdentityProviders(ENCRYPTER)));
  expect((await stored()).settings).toEqual({ appId: '12' });
  expect(openSettings(await stored(), ENCRYPTER)).toEqual(settings);
  const other = { ...(await stored()), provider: 'twitter' as const };
  expect(() => openSettings(other, ENCRYPTER)).toThrow(DecryptionError);
});

test('createSession signs in by a provider until it is deleted', async () => {
  const { url } = await startProvider((request, response) => {
    const isInspection = request.url!.startsWith('/debug_token');
    const data = { app_id: '12', is_valid: true, expires_at: 0, user_id: '5' };
    answerJson(response, isInspection ? { data } : { id: '5', name: 'Eve' });
  });
  await storeIdentityProvider(
    { applicationId: APPLICATION.id, ...FACEBOOK, endpoint: url },
    { encrypter: ENCRYPTER, now: running.now() },
  );
  const CREATE = `mutation ($input: CreateSessionInput!) { createSession(input: $input) { userId } }`;
  const signIn = () => {
    const signed = signedParameters({ provider: 'facebook', 'keys[token]': 'T' });
    const input = {
      applicationId: APPLICATION.id,
      authKey: APPLICATION.authKey,
      nonce: Number(signed.nonce),
      timestamp: Number(signed.timestamp),
      signature: signed.signature,
      provider: 'facebook',
      keys: { token: 'T' },
    };
    return graphql(CREATE, { input });
  };
  const { data } = await signIn();
  const { facebookId, fullName } = await db.user.findFirstOrThrow({ where: { id: data.createSession.userId } });
  expect([facebookId, fullName]).toEqual(['5', 'Eve']);

  await graphql(`mutation { deleteIdentityProvider(provider: FACEBOOK) }`, {}, apiKey);
  const { errors } = await signIn();
  expect(errors).toMatchObject([{ message: 'Bad Authentication data', extensions: { code: 'UNPROCESSABLE' } }]);
});
