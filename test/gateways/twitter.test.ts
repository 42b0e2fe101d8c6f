import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { IdentityRefusedError } from '../../src/gateways/provider.ts';
import { unixSeconds } from '../../src/lib/time.ts';
import { SAMPLE_TIME } from '../support/app/app.ts';
import {
  type Answer,
  answerJson,
  loggedVerifiers,
  startProvider,
  TROUBLES,
  WARNING,
} from '../support/fakes/provider.ts';

const APP = { consumerKey: 'consumer+key', consumerSecret: "c&s=!*'()" };
const USER = { token: '77-user/token', secret: 's%ecret&~' };
const ACCOUNT: unknown = { id: 77, id_str: '77', name: 'Ann Example' };
const PATH = '/1.1/account/verify_credentials.json';

/** Independent implementation of OAuth 1.0a signatures (RFC 5849). */
function encoded(text: string): string {
  let out = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    const character = String.fromCharCode(byte);
    out += /[A-Za-z0-9\-._~]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}

function oauthFields({ headers }: IncomingMessage): Map<string, string> {
  const [scheme, list] = /^(\S+) (.*)$/.exec(headers.authorization ?? '')!.slice(1);
  if (scheme !== 'OAuth') throw new Error(`not OAuth but ${scheme}`);
  return new Map(
    list!.split(/\s*,\s*/).map((field) => {
      const [name, value] = /^([^=]+)="([^"]*)"$/.exec(field)!.slice(1);
      return [decodeURIComponent(name!), decodeURIComponent(value!)];
    }),
  );
}

function isSigned(request: IncomingMessage, url: URL): boolean {
  const fields = oauthFields(request);
  const given = fields.get('oauth_signature');
  fields.delete('oauth_signature');
  const parameters = [...fields, ...url.searchParams]
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const base = `${request.method}&${encoded(`http://${request.headers.host}${url.pathname}`)}&${encoded(parameters)}`;
  const key = `${encoded(APP.consumerSecret)}&${encoded(USER.secret)}`;
  return createHmac('sha1', key).update(base).digest('base64') === given;
}

function twitterApi(account: unknown, seen: Map<string, string>[] = []): Answer {
  return (request, response, url) => {
    seen.push(oauthFields(request));
    const isRight = url.pathname === PATH && oauthFields(request).get('oauth_token') === USER.token;
    if (isRight && isSigned(request, url)) answerJson(response, account);
    else answerJson(response, { errors: [{ code: 32, message: 'Could not authenticate you.' }] }, 401);
  };
}

async function verify(answer: Answer, keys: Record<string, string> = USER, settings: object = APP) {
  const { url, asked } = await startProvider(answer);
  const { verifiers, logged } = loggedVerifiers();
  const outcome = await verifiers
    .of('twitter', { ...settings, endpoint: url })
    .verify(keys)
    .catch((error: Error) => error);
  return { outcome, asked, logged, warnings: logged.filter(({ level }) => level >= WARNING) };
}

const REFUSED = expect.any(IdentityRefusedError);

describe('Twitter tokens', () => {
  test('verify returns the user with a correctly signed request', async () => {
    const seen: Map<string, string>[] = [];
    const { outcome, asked, warnings } = await verify(twitterApi(ACCOUNT, seen));
    expect(outcome).toEqual({ provider: 'twitter', providerId: '77', fullName: 'Ann Example' });
    expect(asked).toEqual([PATH]);
    expect(warnings).toEqual([]);
    expect(Object.fromEntries(seen[0]!)).toMatchObject({
      oauth_consumer_key: APP.consumerKey,
      oauth_signature_method: 'HMAC-SHA1',
      oauth_timestamp: String(unixSeconds(SAMPLE_TIME)),
      oauth_token: USER.token,
      oauth_version: '1.0',
    });
  });

  test('verify uses a new nonce for each request', async () => {
    const seen: Map<string, string>[] = [];
    await verify(twitterApi(ACCOUNT, seen));
    await verify(twitterApi(ACCOUNT, seen));
    expect(seen[0]!.get('oauth_nonce')).not.toBe(seen[1]!.get('oauth_nonce'));
  });

  test.each<[string, Record<string, string>, object]>([
    ['with a wrong secret', { ...USER, secret: 'wrong' }, APP],
    ['that is unknown', { ...USER, token: 'wrong' }, APP],
    ["of another app's consumer secret", USER, { ...APP, consumerSecret: 'other' }],
  ])('verify rejects a token %s without a warning', async (_name, keys, settings) => {
    const { outcome, warnings } = await verify(twitterApi(ACCOUNT), keys, settings);
    expect(outcome).toEqual(REFUSED);
    expect(warnings).toEqual([]);
  });

  test.each<[string, Record<string, string>]>([
    ['without secret', { token: USER.token }],
    ['without token', { secret: USER.secret }],
    ['with an empty secret', { ...USER, secret: '' }],
    ['with a quote and a line break', { ...USER, token: 'a"\r\nX: b' }],
  ])('verify rejects credentials %s without a request to Twitter', async (_name, keys) => {
    const { outcome, asked } = await verify(twitterApi(ACCOUNT), keys);
    expect(outcome).toEqual(REFUSED);
    expect(asked).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['only a numeric id, which may be inexact', { id: 77, name: 'Ann' }],
    ['a non-numeric id', { id_str: 'ann', name: 'Ann' }],
    ['nothing', null],
  ])('verify rejects a token whose account has %s', async (_name, account) => {
    expect((await verify(twitterApi(account))).outcome).toEqual(REFUSED);
  });
});

test.each(TROUBLES)('verify rejects the token and logs a warning when Twitter %s', async (_name, answer) => {
  const { outcome, logged, warnings, asked } = await verify(answer);
  expect(outcome).toEqual(REFUSED);
  expect(warnings).toMatchObject([{ provider: 'twitter', msg: 'an identity provider is unavailable' }]);
  expect(asked).toHaveLength(1);
  expect(JSON.stringify(logged)).not.toMatch(/user.token|s%ecret|c&s/);
});
