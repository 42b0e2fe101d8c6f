import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { IdentityRefusedError } from '../../src/gateways/provider.ts';
import { unixSeconds } from '../../src/lib/time.ts';
import { SAMPLE_TIME } from '../support/app/app.ts';
import {
  type Answer,
  answerJson,
  deadAddress,
  loggedVerifiers,
  startProvider,
  TROUBLES,
  WARNING,
} from '../support/fakes/provider.ts';

const APP = { appId: '1234', appSecret: 'app-secret' };
const TOKEN = 'EAAB-user-token';
const NOW = unixSeconds(SAMPLE_TIME);

const INSPECTED = { app_id: '1234', is_valid: true, expires_at: NOW + 60, user_id: '77', type: 'USER' };
const PROFILE: unknown = { id: '77', name: 'Ann Example' };

function graphApi({ inspected = INSPECTED as unknown, profile = PROFILE } = {}): Answer {
  return (_request, response, { pathname, searchParams }) => {
    if (pathname === '/debug_token') {
      const isAsked =
        searchParams.get('access_token') === '1234|app-secret' && searchParams.get('input_token') === TOKEN;
      answerJson(response, isAsked ? { data: inspected } : { error: { code: 190 } }, isAsked ? 200 : 400);
    } else if (pathname === '/me') {
      const proof = createHmac('sha256', APP.appSecret).update(TOKEN).digest('hex');
      const isAsked =
        searchParams.get('access_token') === TOKEN &&
        searchParams.get('fields') === 'id,name' &&
        searchParams.get('appsecret_proof') === proof;
      answerJson(response, isAsked ? profile : { error: { code: 190 } }, isAsked ? 200 : 400);
    } else {
      answerJson(response, {}, 404);
    }
  };
}

async function verify(answer: Answer, keys: Record<string, string> = { token: TOKEN }, settings: object = APP) {
  const { url, asked } = await startProvider(answer);
  const { verifiers, logged } = loggedVerifiers();
  const outcome = await verifiers
    .of('facebook', { ...settings, endpoint: url })
    .verify(keys)
    .catch((error: Error) => error);
  return { outcome, asked, logged, warnings: logged.filter(({ level }) => level >= WARNING) };
}

const REFUSED = expect.any(IdentityRefusedError);

describe('Facebook tokens', () => {
  test('verify returns the user of a token that was issued to the configured app', async () => {
    const { outcome, warnings } = await verify(graphApi());
    expect(outcome).toEqual({ provider: 'facebook', providerId: '77', fullName: 'Ann Example' });
    expect(warnings).toEqual([]);
  });

  test('verify accepts a token without expiry and a profile without name', async () => {
    const inspected = { ...INSPECTED, expires_at: 0 };
    const { outcome } = await verify(graphApi({ inspected, profile: { id: '77' } }));
    expect(outcome).toEqual({ provider: 'facebook', providerId: '77', fullName: null });
  });

  test('verify trims and shortens the profile name to a valid full name', async () => {
    const profile = { id: '77', name: ` A\u0000\n${'😀'.repeat(200)} ` };
    const { outcome } = await verify(graphApi({ profile }));
    expect(outcome).toMatchObject({ fullName: `A ${'😀'.repeat(126)}` });
  });

  test('verify keeps the path of the configured endpoint', async () => {
    const { url, asked } = await startProvider((_request, response) => answerJson(response, {}, 400));
    const { verifiers } = loggedVerifiers();
    const verifier = verifiers.of('facebook', { ...APP, endpoint: `${url}/v23.0/` });
    await expect(verifier.verify({ token: TOKEN })).rejects.toEqual(REFUSED);
    expect(asked[0]).toMatch(/^\/v23\.0\/debug_token\?/);
  });

  test.each<[string, unknown]>([
    ["another app's", { ...INSPECTED, app_id: '1235' }],
    ['without an app', { ...INSPECTED, app_id: undefined }],
    ['not valid', { ...INSPECTED, is_valid: false }],
    ['valid as a text instead of a boolean', { ...INSPECTED, is_valid: 'true' }],
    ['expired', { ...INSPECTED, expires_at: NOW }],
    ['without expiry', { ...INSPECTED, expires_at: undefined }],
    ['an app token, which has no user', { ...INSPECTED, user_id: undefined, type: 'APP' }],
    ['of a user other than the profile', { ...INSPECTED, user_id: '78' }],
    ['unknown', { is_valid: false, error: { code: 190 } }],
    ['inspected as null', null],
  ])('verify rejects a token that is %s', async (_name, inspected) => {
    const { outcome, warnings } = await verify(graphApi({ inspected }));
    expect(outcome).toEqual(REFUSED);
    expect(warnings).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['no id', { name: 'Ann' }],
    ['a non-numeric id', { id: 'me', name: 'Ann' }],
    ['an id that is too long', { id: '1'.repeat(21), name: 'Ann' }],
    ['a number instead of a text as id', { id: 77, name: 'Ann' }],
    ['a list', [{ id: '77' }]],
  ])('verify rejects a token whose profile has %s', async (_name, profile) => {
    expect((await verify(graphApi({ profile }))).outcome).toEqual(REFUSED);
  });

  test.each<[string, Record<string, string>]>([
    ['missing', {}],
    ['empty', { token: '' }],
    ['with a space', { token: 'a b' }],
    ['with a line break', { token: 'a\r\nHost: b' }],
    ['not ASCII', { token: 'é' }],
    ['too long', { token: 'a'.repeat(4097) }],
  ])('verify rejects a token that is %s without a request to Facebook', async (_name, keys) => {
    const { outcome, asked } = await verify(graphApi(), keys);
    expect(outcome).toEqual(REFUSED);
    expect(asked).toEqual([]);
  });

  test('verify rejects the token and logs a warning when the app secret is wrong', async () => {
    const { outcome, warnings } = await verify(graphApi(), undefined, { ...APP, appSecret: 'wrong' });
    expect(outcome).toEqual(REFUSED);
    expect(warnings).toMatchObject([{ provider: 'facebook', reason: expect.stringContaining('400') }]);
  });
});

describe('an unreliable Facebook', () => {
  test.each(TROUBLES)('verify rejects the token and logs a warning when Facebook %s', async (_name, answer) => {
    const { outcome, logged, warnings, asked } = await verify(answer);
    expect(outcome).toEqual(REFUSED);
    expect(warnings).toMatchObject([{ provider: 'facebook', msg: 'an identity provider is unavailable' }]);
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(logged)).not.toMatch(/EAAB|app-secret/);
  });

  test.each(['identity', 'gzip'])('verify rejects an %s response above 64 KiB and logs a warning', async (encoding) => {
    const text = Buffer.from(JSON.stringify({ data: INSPECTED, padding: ' '.repeat(64 * 1024) }));
    const { outcome, warnings } = await verify((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': encoding }).end(encoding === 'gzip' ? gzipSync(text) : text);
    });
    expect(outcome).toEqual(REFUSED);
    expect(warnings).toMatchObject([{ reason: 'the response exceeds 65536 bytes' }]);
  });

  test('verify rejects the token and logs a warning when the connection is refused', async () => {
    const { verifiers, logged } = loggedVerifiers();
    const verifier = verifiers.of('facebook', { ...APP, endpoint: await deadAddress() });
    await expect(verifier.verify({ token: TOKEN })).rejects.toEqual(REFUSED);
    expect(logged).toMatchObject([{ level: WARNING, reason: 'the request failed: ECONNREFUSED' }]);
  });

  test('verify gives up after 5 s when Facebook is silent or responds too slowly', async () => {
    const silent: Answer = () => {};
    const dripping: Answer = (_request, response) => {
      response.writeHead(200).write(' ');
      const timer = setInterval(() => response.write(' '), 200);
      response.on('close', () => clearInterval(timer));
    };
    const outcomes = await Promise.all([verify(silent), verify(dripping)]);
    for (const { outcome, warnings } of outcomes) {
      expect(outcome).toEqual(REFUSED);
      expect(warnings).toMatchObject([{ reason: 'no response within 5 s' }]);
    }
  });
});

describe('Facebook settings', () => {
  test.each([
    'ftp://example.com',
    'file:///etc/passwd',
    'data:application/json,{}',
    'graph.facebook.com',
    'http://user:password@127.0.0.1',
    '',
  ])('the verifier rejects settings with the endpoint %j', (endpoint) => {
    const { verifiers } = loggedVerifiers();
    expect(() => verifiers.of('facebook', { ...APP, endpoint })).toThrow();
  });

  test('settings of one application do not affect another', async () => {
    const { url } = await startProvider(graphApi());
    const { verifiers } = loggedVerifiers();
    const ours = verifiers.of('facebook', { ...APP, endpoint: url });
    const theirs = verifiers.of('facebook', { appId: '999', appSecret: 'other', endpoint: url });
    const outcomes = await Promise.allSettled([
      ours.verify({ token: TOKEN }),
      theirs.verify({ token: TOKEN }),
      ours.verify({ token: TOKEN }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
