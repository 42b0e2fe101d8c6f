import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { openSettings } from '../../../src/resolvers/pushes/settings.ts';
import { APPLICATION, ENCRYPTER, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { rowCounts } from '../../support/app/sql.ts';
import { errorOf, execute } from '../../support/fixtures/chat.ts';
import { apiKey, createUser } from '../../support/fixtures/users.ts';

useApp();

const UPDATE = `mutation ($environment: String!, $input: UpdatePushSettingsInput!) {
  updatePushSettings(environment: $environment, input: $input) { environment provider publicId }
}`;
const LIST = '{ pushSettings { environment provider publicId } }';
const DELETE = `mutation ($environment: String!, $provider: PushProvider!) {
  deletePushSettings(environment: $environment, provider: $provider)
}`;

const pem = (namedCurve: string) =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const APNS = { topic: 'org.example.app', teamId: 'TEAM', keyId: 'KEY', key: pem('P-256') };
const ACCOUNT = {
  project_id: 'project-1',
  client_email: 'a@example.org',
  private_key: pem('P-256'),
  token_uri: 'https://oauth2.googleapis.com/token',
};

const set = (input: object, environment = 'production') => execute(UPDATE, { environment, input }, apiKey);
const refused = (input: object, environment = 'production') => errorOf(UPDATE, { environment, input }, apiKey);

test('push providers are configured, listed without secrets, and removed', async () => {
  expect(await set({ apns: APNS })).toEqual({
    updatePushSettings: { environment: 'production', provider: 'APNS', publicId: 'org.example.app' },
  });
  await set({ fcm: { serviceAccount: ACCOUNT } });
  const { updatePushSettings: web } = await set({ web: { subject: 'mailto:push@example.org' } }, 'development');
  expect(web.publicId).toMatch(/^[\w-]{87}$/);
  expect((await execute(LIST, {}, apiKey)).pushSettings).toEqual([
    web,
    { environment: 'production', provider: 'APNS', publicId: 'org.example.app' },
    { environment: 'production', provider: 'FCM', publicId: 'project-1' },
  ]);
  const tenant = await createTenant(0);
  expect(await execute(LIST, {}, tenant.key)).toEqual({ pushSettings: [] });
  await execute(DELETE, { environment: 'production', provider: 'APNS' }, tenant.key);
  expect((await execute(LIST, {}, apiKey)).pushSettings).toHaveLength(3);
  await execute(DELETE, { environment: 'production', provider: 'APNS' }, apiKey);
  expect((await execute(LIST, {}, apiKey)).pushSettings).toHaveLength(2);
});

test('stored push settings are encrypted and decrypt only for their own row', async () => {
  await set({ apns: APNS });
  const [row] = await db.pushSettings.findMany({ where: { provider: 'apns' } });
  expect(JSON.stringify(row)).not.toContain('PRIVATE');
  expect(openSettings(row!, ENCRYPTER)).toMatchObject(APNS);
  expect(() => openSettings({ ...row!, applicationId: APPLICATION.id + 1 }, ENCRYPTER)).toThrow('cannot be decrypted');
});

test.each<[name: string, input: object, message: string]>([
  ['another topic', { apns: { ...APNS, topic: 'a b' } }, 'Topic should be a bundle id'],
  ['an invalid key', { apns: { ...APNS, key: 'x' } }, 'Key should be the .p8 file'],
  ['an invalid id', { apns: { ...APNS, teamId: '' } }, 'Team id should be an id of letters and digits'],
  [
    'an account with a token URL of another host',
    { fcm: { serviceAccount: { ...ACCOUNT, token_uri: 'http://127.0.0.1/token' } } },
    'Service account should hold the token_uri https://oauth2.googleapis.com/token',
  ],
  [
    'an account without a project',
    { fcm: { serviceAccount: { ...ACCOUNT, project_id: '../x' } } },
    'Service account should hold a project_id',
  ],
  [
    'no account',
    { fcm: { serviceAccount: [] } },
    'Service account should hold the token_uri https://oauth2.googleapis.com/token',
  ],
  ['another subject', { web: { subject: 'push' } }, 'Subject should be a mailto: or https: address'],
])('%s is rejected', async (_name, input, message) => {
  const before = await rowCounts();
  expect(await refused(input)).toMatchObject({ message, code: 'UNPROCESSABLE' });
  expect(await rowCounts()).toEqual(before);
});

test('the environment must be development or production', async () => {
  expect(await refused({ apns: APNS }, 'test')).toMatchObject({
    message: 'environment should be production or development',
  });
});

test('users cannot configure push providers', async () => {
  const user = await createUser();
  for (const [document, variables] of [
    [UPDATE, { environment: 'production', input: { apns: APNS } }],
    [LIST, {}],
    [DELETE, { environment: 'production', provider: 'FCM' }],
  ] as const) {
    expect(await errorOf(document, variables, user)).toMatchObject({ code: 'FORBIDDEN' });
  }
});
