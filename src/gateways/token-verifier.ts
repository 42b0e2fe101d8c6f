import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import type { RemoteJWKSet } from 'jose';
import { SECOND, unixSeconds } from '../lib/time.ts';
import { traced } from '../platform/observability/tracing.ts';
import { IdentityRefusedError, nameOf, ProviderUnavailableError, requireKey } from './provider.ts';
import { isOutside, lookupPublic } from './public-addresses.ts';

/** Only asymmetric ones: a public key must not verify an HMAC. */
export const TOKEN_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
];

export interface TrustedIssuer {
  issuer: string;
  /** Null: from the discovery document of the issuer. */
  keysUrl: string | null;
  audiences: readonly string[];
  algorithms: readonly string[];
  /** Only keys with these ids; none: all keys of the set. */
  keyIds: readonly string[];
  subjectClaim: string;
}

export interface TokenIdentity {
  subject: string;
  /** Lower case; only if the issuer says that it is verified. */
  email: string | null;
  fullName: string | null;
  expiresAt: Date;
}

const CLOCK_SKEW_SECONDS = 30;
const REQUEST_TIMEOUT_MS = 5 * SECOND;
const MAX_RESPONSE_BYTES = 256 * 1024;
const MAX_SUBJECT = 255;
/** The year 9999, because PostgreSQL and JSON write later ones in another form. */
const LATEST_MS = 253_402_300_799_000;
/** Oldest ones are dropped, because developers choose the addresses. */
const MAX_KEY_SETS = 1_000;
const KEYS_LIFETIME_MS = 600 * SECOND;
const KEYS_COOLDOWN_MS = 30 * SECOND;

/**
 * Verifies JSON Web Tokens by the public keys of their issuers. Keys are cached; an unknown key id refreshes them at most
 * every 30 seconds, so that keys can be rotated and forged ids cause no flood of requests.
 */
export class TokenVerifier {
  readonly #keySets = new Map<string, Promise<RemoteJWKSet>>();
  readonly #now: () => Date;
  readonly #allowsPrivate: boolean;

  constructor({ now, allowsPrivate }: { now: () => Date; allowsPrivate: boolean }) {
    this.#now = now;
    this.#allowsPrivate = allowsPrivate;
  }

  /** @param nonce that the token must contain @throws {IdentityRefusedError} {ProviderUnavailableError} */
  async verify(token: string, trusted: TrustedIssuer, nonce: string | null): Promise<TokenIdentity> {
    const { errors, jwtVerify } = await import('jose');
    const { issuer, audiences, algorithms, keyIds, subjectClaim } = trusted;
    const keys = await this.#keysOf(trusted);
    try {
      const { payload } = await jwtVerify(
        requireKey(token),
        (header, input) => {
          if (keyIds.length > 0 && !keyIds.includes(header.kid ?? ''))
            throw new IdentityRefusedError('the key id is not pinned');
          return keys(header, input);
        },
        {
          issuer,
          audience: [...audiences],
          algorithms: [...algorithms],
          requiredClaims: ['exp', 'iat'],
          currentDate: this.#now(),
          clockTolerance: 0,
        },
      );
      if (payload.iat! > unixSeconds(this.#now()) + CLOCK_SKEW_SECONDS)
        throw new IdentityRefusedError('the token was issued in the future; check the clock');
      if (nonce !== null && payload.nonce !== nonce) throw new IdentityRefusedError('the nonce does not match');
      // A token for several audiences must name the one that may use it.
      if (Array.isArray(payload.aud) && payload.aud.length > 1 && !audiences.includes(String(payload.azp)))
        throw new IdentityRefusedError('the token was issued to another client');
      const subject = payload[subjectClaim];
      if (typeof subject !== 'string' || subject === '' || subject.length > MAX_SUBJECT)
        throw new IdentityRefusedError('the token has no subject');
      const isVerified = payload.email_verified === true || payload.email_verified === 'true';
      const email = isVerified && typeof payload.email === 'string' ? payload.email.toLowerCase() : null;
      return {
        subject,
        email,
        fullName: nameOf(payload.name),
        expiresAt: new Date(Math.min(payload.exp! * SECOND, LATEST_MS)),
      };
    } catch (error) {
      if (error instanceof IdentityRefusedError || error instanceof ProviderUnavailableError) throw error;
      if (error instanceof errors.JWKSInvalid) throw new ProviderUnavailableError('the response is not a key set');
      if (error instanceof errors.JOSEError) throw new IdentityRefusedError(`the token is invalid: ${error.code}`);
      throw new ProviderUnavailableError('the key set contains an unusable key');
    }
  }

  #keysOf({ issuer, keysUrl }: TrustedIssuer): Promise<RemoteJWKSet> {
    const name = keysUrl ?? `${issuer} discovery`;
    let keys = this.#keySets.get(name);
    if (keys) return keys;
    keys = this.#load(issuer, keysUrl);
    this.#keySets.set(name, keys);
    const [oldest] = this.#keySets.keys();
    if (this.#keySets.size > MAX_KEY_SETS && oldest !== undefined) this.#keySets.delete(oldest);
    // A failed discovery is tried again.
    keys.catch(() => this.#keySets.delete(name));
    return keys;
  }

  async #load(issuer: string, keysUrl: string | null): Promise<RemoteJWKSet> {
    const { createRemoteJWKSet, customFetch } = await import('jose');
    return createRemoteJWKSet(new URL(keysUrl ?? (await this.#discover(issuer))), {
      cacheMaxAge: KEYS_LIFETIME_MS,
      cooldownDuration: KEYS_COOLDOWN_MS,
      [customFetch]: async (address: string) => Response.json(await this.#read(new URL(address))),
    });
  }

  async #discover(issuer: string): Promise<string> {
    const found = await this.#read(new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`));
    const { issuer: named, jwks_uri: keysUrl } = Object(found) as Record<string, unknown>;
    if (named !== issuer) throw new ProviderUnavailableError('the discovery document names another issuer');
    if (typeof keysUrl !== 'string' || !isKeysUrl(keysUrl))
      throw new ProviderUnavailableError('the discovery document has no key set');
    return keysUrl;
  }

  #read(url: URL): Promise<unknown> {
    const attributes = { 'server.address': url.hostname, 'http.request.method': 'GET' };
    return traced('ask issuer', { kind: 'client', attributes }, () => readJson(url, this.#allowsPrivate));
  }
}

/** Plain http only for tests and private networks, which the operator permits. */
export function isKeysUrl(text: string): boolean {
  if (text.length > 2_000 || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username + password === '';
}

/** Follows no redirects. Names resolve to public addresses only, unless private ones are allowed. */
function readJson(url: URL, allowsPrivate: boolean): Promise<unknown> {
  if (!allowsPrivate && (url.protocol !== 'https:' || !isOutside(url)))
    return Promise.reject(new ProviderUnavailableError('the address is not a public https address'));
  const get = url.protocol === 'https:' ? getHttps : getHttp;
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new ProviderUnavailableError(reason));
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const headers = { Accept: 'application/json' };
    const request = get(url, { headers, signal, ...(allowsPrivate ? {} : { lookup: lookupPublic }) }, (response) => {
      if (response.statusCode !== 200) {
        response.resume();
        fail(`responded with ${response.statusCode}`);
        return request.destroy();
      }
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_RESPONSE_BYTES) request.destroy(new Error('too large'));
        else chunks.push(chunk);
      });
      response.on('end', () => {
        try {
          resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')));
        } catch {
          fail('the response is not JSON');
        }
      });
      response.on('error', () => fail('the response was cut'));
      return undefined;
    });
    request.on('error', (error: NodeJS.ErrnoException) =>
      fail(
        signal.aborted
          ? `no response within ${REQUEST_TIMEOUT_MS / SECOND} s`
          : `the request failed: ${error.code ?? error.message}`,
      ),
    );
  });
}
