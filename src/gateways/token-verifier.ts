import type { RemoteJWKSet } from 'jose';
import { SECOND, unixSeconds } from '../lib/time.ts';
import { askIssuer } from './ask-issuer.ts';
import { IdentityRefusedError, nameOf, ProviderUnavailableError, requireKey } from './provider.ts';

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
  /** Whether issuers may have private addresses. */
  readonly allowsPrivate: boolean;

  constructor({ now, allowsPrivate }: { now: () => Date; allowsPrivate: boolean }) {
    this.#now = now;
    this.allowsPrivate = allowsPrivate;
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

  async #read(url: URL): Promise<unknown> {
    const response = await askIssuer(url, {}, this.allowsPrivate);
    if (response.status !== 200) throw new ProviderUnavailableError(`responded with ${response.status}`);
    return response.json().catch(() => {
      throw new ProviderUnavailableError('the response is not JSON');
    });
  }
}

/** Plain http only for tests and private networks, which the operator permits. */
export function isKeysUrl(text: string): boolean {
  if (text.length > 2_000 || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username + password === '';
}
