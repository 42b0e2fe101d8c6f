import { describe, expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { expectCommonHeaders, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { anonymous, apiKey, type Caller, createUser, openSession } from '../../support/fixtures/users.ts';

useApp();

const settings = () => ({
  account_id: 1,
  api_endpoint: running.url,
  chat_endpoint: '127.0.0.1',
  turnserver_endpoint: '127.0.0.1',
});

describe('GET /account_settings', () => {
  test.each(['/account_settings', '/account_settings.json', '/account_settings.json?', '/account_settings/'])(
    'account settings state at %s the URLs of the service',
    async (path) => {
      const answer = await rawRequest('GET', path);
      expect([answer.status, JSON.parse(answer.text)]).toEqual([200, settings()]);
      expect(answer.text).toBe(JSON.stringify(settings()));
      expectCommonHeaders(answer);
    },
  );

  test.each<[string, Caller]>([
    ['an unknown token', { headers: { 'SVC-Token': 'x' } }],
    ['an unknown API key', { headers: { Authorization: 'ApiKey WRONG' } }],
    ['another scheme', { headers: { Authorization: 'Bearer x' } }],
    ['two credentials', { headers: { ...apiKey.headers, 'SVC-Token': 'x' } }],
    ['On-Behalf-Of without an API key', { headers: { 'On-Behalf-Of': '7' } }],
    ['On-Behalf-Of an unknown user', { headers: { ...apiKey.headers, 'On-Behalf-Of': '2147483647' } }],
    ['an API key', apiKey],
  ])('account settings ignore %s', async (_name, as) => {
    const { status, body, headers } = await rest('GET', '/account_settings.json', { as });
    expect([status, body]).toEqual([200, settings()]);
    expect(headers.has('svc-token-expirationdate')).toBe(false);
  });

  test('account settings are the same for sessions and for a token parameter', async () => {
    for (const as of [await createUser(), await openSession()]) {
      expect((await rest('GET', '/account_settings.json', { as })).body).toEqual(settings());
    }
    const { status, text } = await rawRequest('GET', '/account_settings.xml?token=x');
    expect([status, text]).toEqual([200, expect.stringContaining(`<api-endpoint>${running.url}</api-endpoint>`)]);
  });

  test('account settings support only GET and have no sub-paths', async () => {
    expect((await rest('POST', '/account_settings.json')).status).toBe(404);
    expect((await rest('GET', '/account_settings/1.json')).status).toBe(404);
  });

  test('account settings equal the GraphQL field `accountSettings`', async () => {
    expect(
      await execute('{ accountSettings { accountId apiEndpoint chatEndpoint turnserverEndpoint } }', {}, anonymous),
    ).toEqual({
      accountSettings: {
        accountId: 1,
        apiEndpoint: running.url,
        chatEndpoint: '127.0.0.1',
        turnserverEndpoint: '127.0.0.1',
      },
    });
  });
});
