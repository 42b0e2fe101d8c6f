import { createHmac } from 'node:crypto';
import {
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { IdentityVerifiers } from '../../src/gateways/identity.ts';
import { IdentityRefusedError } from '../../src/gateways/provider.ts';
import { unixSeconds } from '../../src/lib/time.ts';
import { SAMPLE_TIME } from '../support/app/app.ts';
import {
  answerJson,
  deadAddress,
  loggedVerifiers,
  type Provider,
  startProvider,
  TROUBLES,
  WARNING,
} from '../support/fakes/provider.ts';

const PROJECT = 'our-project';
const NOW = unixSeconds(SAMPLE_TIME);
const CLAIMS = {
  iss: `https://securetoken.google.com/${PROJECT}`,
  aud: PROJECT,
  sub: 'firebase-user',
  iat: NOW - 10,
  exp: NOW + 3590,
  auth_time: NOW - 10,
  phone_number: '+15551234567',
  firebase: { identities: { phone: ['+15551234567'] }, sign_in_provider: 'phone' },
};

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
let first: Pair;
let second: Pair;
let stranger: Pair;

beforeAll(async () => {
  const make = () => generateKeyPair('RS256', { extractable: true });
  [first, second, stranger] = await Promise.all([make(), make(), make()]);
});
afterEach(() => void vi.useRealTimers());

/** A key set in the format of Google; tests change `served.keys`. */
async function startKeyServer(keys: Record<string, Pair>) {
  const served = { keys };
  const provider = await startProvider((_request, response) => {
    void keySet(served.keys).then((set) => answerJson(response, set));
  });
  return { ...provider, served };
}

async function keySet(keys: Record<string, Pair>): Promise<{ keys: JWK[] }> {
  const jwk = async ([kid, { publicKey }]: [string, Pair]) => ({
    ...(await exportJWK(publicKey)),
    kid,
    alg: 'RS256',
    use: 'sig',
  });
  return { keys: await Promise.all(Object.entries(keys).map(jwk)) };
}

function signed(claims: Record<string, unknown>, { privateKey }: Pair, kid = 'first', alg = 'RS256'): Promise<string> {
  return new SignJWT(claims as JWTPayload).setProtectedHeader({ alg, kid, typ: 'JWT' }).sign(privateKey);
}

function verify(
  verifiers: IdentityVerifiers,
  { url }: Pick<Provider, 'url'>,
  accessToken: string,
  projectId = PROJECT,
) {
  return verifiers
    .of('firebase_phone', { projectId: PROJECT, endpoint: url })
    .verify({ accessToken, projectId })
    .catch((error: Error) => error);
}

const VERIFIED = { provider: 'firebase_phone', phone: '+15551234567' };
const REFUSED = expect.any(IdentityRefusedError);

describe('Firebase tokens', () => {
  test('verify returns the phone of a phone sign-in and fetches the keys once for all applications', async () => {
    const server = await startKeyServer({ first, second });
    const { verifiers, logged } = loggedVerifiers();
    expect(await verify(verifiers, server, await signed(CLAIMS, first))).toEqual(VERIFIED);
    expect(await verify(verifiers, server, await signed(CLAIMS, second, 'second'))).toEqual(VERIFIED);
    expect(server.asked).toHaveLength(1);
    expect(logged).toEqual([]);
  });

  test('verify accepts a token from a clock that runs slightly ahead', async () => {
    const server = await startKeyServer({ first });
    const token = await signed({ ...CLAIMS, iat: NOW + 20, auth_time: NOW + 20 }, first);
    expect(await verify(loggedVerifiers().verifiers, server, token)).toEqual(VERIFIED);
  });

  test.each<[string, Record<string, unknown>]>([
    ['issued for another project', { iss: 'https://securetoken.google.com/other-project' }],
    ['with another issuer', { iss: `https://example.com/${PROJECT}` }],
    ['without issuer', { iss: undefined }],
    ['for another audience', { aud: 'other-project' }],
    ['for several audiences', { aud: [PROJECT, 'other-project'] }],
    ['without audience', { aud: undefined }],
    ['expired', { exp: NOW }],
    ['without expiry', { exp: undefined }],
    ['not valid yet', { nbf: NOW + 60 }],
    ['issued in the future', { iat: NOW + 60 }],
    ['without issue time', { iat: undefined }],
    ['from a sign-in in the future', { auth_time: NOW + 60 }],
    ['without sign-in time', { auth_time: undefined }],
    ['without subject', { sub: undefined }],
    ['with an empty subject', { sub: '' }],
    ['without phone', { phone_number: undefined }],
    ['with an empty phone', { phone_number: '' }],
    ['with a list of phones', { phone_number: ['+15551234567'] }],
    ['with an invalid phone', { phone_number: '15551234567 OR 1' }],
    ['from a sign-in by password', { firebase: { sign_in_provider: 'password' } }],
    ['from a custom sign-in that claims a phone', { firebase: { sign_in_provider: 'custom' } }],
    ['without sign-in provider', { firebase: undefined }],
  ])('verify rejects a token %s', async (_name, changed) => {
    const server = await startKeyServer({ first });
    const { verifiers, logged } = loggedVerifiers();
    expect(await verify(verifiers, server, await signed({ ...CLAIMS, ...changed }, first))).toEqual(REFUSED);
    expect(logged.filter(({ level }) => level >= WARNING)).toEqual([]);
  });

  test('verify rejects a token for another project without fetching keys', async () => {
    const server = await startKeyServer({ first });
    const { verifiers } = loggedVerifiers();
    const ours = await signed(CLAIMS, first);
    const claims = { ...CLAIMS, aud: 'other-project', iss: 'https://securetoken.google.com/other-project' };
    const theirs = await signed(claims, first);
    expect(await verify(verifiers, server, ours, 'other-project')).toEqual(REFUSED);
    expect(await verify(verifiers, server, theirs, 'other-project')).toEqual(REFUSED);
    expect(server.asked).toEqual([]);
    expect(await verify(verifiers, server, theirs)).toEqual(REFUSED);
  });

  test('verify rejects every algorithm except RS256', async () => {
    const server = await startKeyServer({ first });
    const { verifiers } = loggedVerifiers();
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const confused = async (secret: string) => {
      const text = `${part({ alg: 'HS256', kid: 'first', typ: 'JWT' })}.${part(CLAIMS)}`;
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
    };
    const unsecured = new UnsecuredJWT(CLAIMS).encode();
    const ecdsa = await generateKeyPair('ES256', { extractable: true });
    const pss = await generateKeyPair('PS256', { extractable: true });
    const forged = [
      await confused(await exportSPKI(first.publicKey)),
      await confused(JSON.stringify(await exportJWK(first.publicKey))),
      await confused(''),
      unsecured,
      `${part({ alg: 'none', kid: 'first' })}.${part(CLAIMS)}.`,
      `${part({ alg: 'None', kid: 'first' })}.${part(CLAIMS)}.AAAA`,
      await signed(CLAIMS, ecdsa, 'first', 'ES256'),
      await signed(CLAIMS, pss, 'first', 'PS256'),
    ];
    for (const token of forged) expect(await verify(verifiers, server, token)).toEqual(REFUSED);
    expect(await verify(verifiers, server, await signed(CLAIMS, first))).toEqual(VERIFIED);
  });

  test('verify rejects another algorithm even when the key set allows it', async () => {
    const ecdsa = await generateKeyPair('ES256', { extractable: true });
    const rsa = await exportJWK(first.publicKey);
    const keys = [
      { ...rsa, kid: 'first' },
      { ...(await exportJWK(ecdsa.publicKey)), kid: 'ecdsa' },
      { kty: 'oct', k: Buffer.alloc(32).toString('base64url'), kid: 'secret' },
    ];
    const server = await startProvider((_request, response) => answerJson(response, { keys }));
    const { verifiers } = loggedVerifiers();
    const pss = await importJWK({ ...(await exportJWK(first.privateKey)), alg: 'PS256' }, 'PS256');
    const hmac = new SignJWT(CLAIMS).setProtectedHeader({ alg: 'HS256', kid: 'secret' }).sign(Buffer.alloc(32));
    const others = [
      await signed(CLAIMS, ecdsa, 'ecdsa', 'ES256'),
      await new SignJWT(CLAIMS).setProtectedHeader({ alg: 'PS256', kid: 'first' }).sign(pss),
      await hmac,
    ];
    for (const token of others) expect(await verify(verifiers, server, token)).toEqual(REFUSED);
    expect(await verify(verifiers, server, await signed(CLAIMS, first))).toEqual(VERIFIED);
  });

  test('verify rejects a token with a foreign signature, even when it embeds its own key', async () => {
    const server = await startKeyServer({ first });
    const { verifiers } = loggedVerifiers();
    const jwk = await exportJWK(stranger.publicKey);
    const embedded = await new SignJWT(CLAIMS)
      .setProtectedHeader({ alg: 'RS256', kid: 'first', jwk, jku: `${server.url}/mine`, x5u: `${server.url}/mine` })
      .sign(stranger.privateKey);
    const genuine = await signed(CLAIMS, first);
    const [header, , signature] = genuine.split('.');
    const other = Buffer.from(JSON.stringify({ ...CLAIMS, phone_number: '+15557654321' })).toString('base64url');
    for (const token of [
      await signed(CLAIMS, stranger),
      embedded,
      `${header}.${other}.${signature}`,
      genuine.slice(0, -8),
    ]) {
      expect(await verify(verifiers, server, token)).toEqual(REFUSED);
    }
    expect(server.asked).toEqual(['/']);
  });

  test.each(['', 'x', 'a.b.c', '..', 'null', '{}', 'a b'])('verify rejects the malformed token %j', async (token) => {
    const server = await startKeyServer({ first });
    expect(await verify(loggedVerifiers().verifiers, server, token)).toEqual(REFUSED);
  });

  test('verify rejects credentials with a missing value', async () => {
    const { url } = await startKeyServer({ first });
    const verifier = loggedVerifiers().verifiers.of('firebase_phone', { projectId: PROJECT, endpoint: url });
    for (const keys of [{}, { projectId: PROJECT }, { accessToken: await signed(CLAIMS, first) }]) {
      await expect(verifier.verify(keys)).rejects.toEqual(REFUSED);
    }
  });
});

describe('Firebase key sets', () => {
  test('a token with an unknown key id triggers a new fetch, but repeated invented ids do not', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const server = await startKeyServer({ first });
    const { verifiers } = loggedVerifiers();
    expect(await verify(verifiers, server, await signed(CLAIMS, first))).toEqual(VERIFIED);

    server.served.keys = { second };
    const rotated = await signed(CLAIMS, second, 'second');
    vi.setSystemTime(Date.now() + 31_000);
    expect(await verify(verifiers, server, rotated)).toEqual(VERIFIED);
    expect(server.asked).toHaveLength(2);
    expect(await verify(verifiers, server, await signed(CLAIMS, first))).toEqual(REFUSED);

    for (let number = 0; number < 20; number++) {
      expect(await verify(verifiers, server, await signed(CLAIMS, stranger, `made-up-${number}`))).toMatchObject(
        REFUSED,
      );
    }
    expect(server.asked).toHaveLength(2);
  });

  test('keys are fetched again after ten minutes, so revoked keys stop working', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const server = await startKeyServer({ first });
    const { verifiers } = loggedVerifiers();
    const token = await signed(CLAIMS, first);
    expect(await verify(verifiers, server, token)).toEqual(VERIFIED);
    server.served.keys = { second };
    vi.setSystemTime(Date.now() + 601_000);
    expect(await verify(verifiers, server, token)).toEqual(REFUSED);
  });

  test('keys of one endpoint are not used for another', async () => {
    const ours = await startKeyServer({ first });
    const theirs = await startKeyServer({ first: stranger });
    const { verifiers } = loggedVerifiers();
    const forged = await signed(CLAIMS, stranger);
    expect(await verify(verifiers, theirs, forged)).toEqual(VERIFIED);
    expect(await verify(verifiers, ours, forged)).toEqual(REFUSED);
  });

  test('keys are fetched again after a failed attempt', async () => {
    let isAway = true;
    const set = await keySet({ first });
    const server = await startProvider((_request, response) => answerJson(response, set, isAway ? 503 : 200));
    const { verifiers } = loggedVerifiers();
    const token = await signed(CLAIMS, first);
    expect(await verify(verifiers, server, token)).toEqual(REFUSED);
    isAway = false;
    expect(await verify(verifiers, server, token)).toEqual(VERIFIED);
  });

  test('a failure to fetch the keys is logged as a warning', async () => {
    const answers: Parameters<typeof startProvider>[0][] = [
      ...TROUBLES.map(([, answer]) => answer),
      (_request, response) => answerJson(response, {}, 404),
      (_request, response) => answerJson(response, { keys: 'none' }),
      (_request, response) => answerJson(response, { keys: [{ kty: 'RSA', kid: 'first', n: '!', e: 'AQAB' }] }),
    ];
    const providers = await Promise.all([...answers.map(startProvider), deadAddress().then((url) => ({ url }))]);
    for (const provider of providers) {
      const { verifiers, logged } = loggedVerifiers();
      const token = await signed(CLAIMS, first);
      expect(await verify(verifiers, provider, token)).toEqual(REFUSED);
      expect(logged).toMatchObject([{ level: WARNING, provider: 'firebase_phone' }]);
      expect(JSON.stringify(logged)).not.toContain(token.slice(0, 20));
    }
  });
});
