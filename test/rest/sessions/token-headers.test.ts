import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { expectCommonHeaders, rawRequest } from '../../support/clients/raw-http.ts';
import { NO_SESSION, ONE_CREDENTIAL, TOKEN_REQUIRED } from '../../support/fixtures/error-bodies.ts';
import { apiKey, openSession } from '../../support/fixtures/users.ts';

const NAMES = ['X-First-Token', 'X-Second-Token'];
useApp({ tokenHeaders: NAMES });

let first: string;
let second: string;
beforeAll(async () => {
  first = (await openSession()).token;
  second = (await openSession()).token;
});

describe('configured token headers', () => {
  test.each<[name: string, headers: () => Record<string, string>, token: () => string]>([
    ['the first', () => ({ 'X-First-Token': first }), () => first],
    ['the second', () => ({ 'X-Second-Token': first }), () => first],
    ['any letter case', () => ({ 'x-FIRST-token': first }), () => first],
    ['both: the first wins', () => ({ 'X-Second-Token': second, 'X-First-Token': first }), () => first],
    ['an empty first one', () => ({ 'X-First-Token': '', 'X-Second-Token': second }), () => second],
  ])('the token is read from %s', async (_name, headers, token) => {
    const answer = await rawRequest('GET', '/session.json', { headers: headers() });
    expect(JSON.parse(answer.text).session.token).toBe(token());
    expectCommonHeaders(answer, NAMES);
    for (const name of NAMES) {
      expect(answer.headers[`${name}-ExpirationDate`.toLowerCase()]).toBe('2026-11-20 19:46:59 UTC');
    }
    expect(answer.headers).not.toHaveProperty('svc-token-expirationdate');
  });

  test.each<[name: string, headers: () => Record<string, string>, status: number, body: unknown]>([
    ['a header that is not configured', () => ({ 'SVC-Token': first }), 401, TOKEN_REQUIRED],
    ['a wrong first one', () => ({ 'X-First-Token': 'x', 'X-Second-Token': second }), 401, NO_SESSION],
    ['an API key in the same request', () => ({ 'X-Second-Token': second, ...apiKey.headers }), 400, ONE_CREDENTIAL],
  ])('the token is not read from %s', async (_name, headers, status, body) => {
    const answer = await rawRequest('GET', '/session.json', { headers: headers() });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([status, body]);
  });
});

test('a preflight allows all token headers', async () => {
  const { headers } = await rawRequest('OPTIONS', '/session.json');
  expect(headers['access-control-allow-headers']).toBe(
    'X-First-Token, X-Second-Token, Authorization, On-Behalf-Of, Content-Type, SVC-REST-API-Version',
  );
});
