import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify, type RemoteJWKSet } from 'jose';
import { z } from 'zod';
import { SECOND, unixSeconds } from '../lib/time.ts';
import type { IdentityKeys, IdentityVerifier, VerifiedIdentity } from './identity-verifier.ts';
import {
  askProvider,
  endpointSetting,
  IdentityRefusedError,
  ProviderUnavailableError,
  requireKey,
  settingText,
} from './provider.ts';

export const firebasePhoneSettings = z.object({
  projectId: settingText,
  /** Where Firebase's public keys are, as a JSON Web Key Set. */
  endpoint: endpointSetting.default(
    'https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com',
  ),
});

type FirebasePhoneSettings = z.infer<typeof firebasePhoneSettings>;

/** How far the provider's clock may be ahead of ours; a client signs in within a second of getting its token. */
const CLOCK_SKEW_SECONDS = 30;

/** Beyond what `jwtVerify` checks; the number is as Firebase gives it, E.164. */
const phoneClaims = z.object({
  aud: z.string(),
  sub: z.string().min(1).max(128),
  iat: z.number(),
  auth_time: z.number(),
  phone_number: z.string().regex(/^\+[1-9][0-9]{3,14}$/),
  firebase: z.object({ sign_in_provider: z.literal('phone') }),
});

/** A Firebase ID token of the application's own project, from a sign-in by phone. */
export class FirebasePhoneVerifier implements IdentityVerifier {
  readonly #settings: FirebasePhoneSettings;
  readonly #keySets: KeySets;
  readonly #now: () => Date;

  constructor(settings: FirebasePhoneSettings, keySets: KeySets, now: () => Date) {
    this.#settings = settings;
    this.#keySets = keySets;
    this.#now = now;
  }

  async verify(keys: IdentityKeys): Promise<VerifiedIdentity> {
    const token = requireKey(keys.accessToken);
    if (keys.projectId !== this.#settings.projectId) throw new IdentityRefusedError('another project is named');
    const claims = phoneClaims.safeParse(await this.#claimsOf(token));
    if (!claims.success) throw new IdentityRefusedError('the token is not from a sign-in by phone');
    const { iat, auth_time, phone_number } = claims.data;
    const latest = unixSeconds(this.#now()) + CLOCK_SKEW_SECONDS;
    if (iat > latest || auth_time > latest) throw new IdentityRefusedError('the token is from the future');
    return { provider: 'firebase_phone', phone: phone_number };
  }

  async #claimsOf(token: string): Promise<JWTPayload> {
    const { projectId, endpoint } = this.#settings;
    try {
      const { payload } = await jwtVerify(token, this.#keySets.at(endpoint), {
        algorithms: ['RS256'],
        issuer: `https://securetoken.google.com/${projectId}`,
        audience: projectId,
        requiredClaims: ['exp'],
        currentDate: this.#now(),
      });
      return payload;
    } catch (error) {
      if (error instanceof ProviderUnavailableError) throw error;
      if (error instanceof errors.JWKSInvalid) throw new ProviderUnavailableError('it answered no key set');
      if (error instanceof errors.JOSEError) throw new IdentityRefusedError(`the token does not hold: ${error.code}`);
      throw new ProviderUnavailableError('a key of its set can not be used');
    }
  }
}

/**
 * Public keys by their address, as they hold for whatever application asks. Kept for ten minutes; an unknown key id
 * has them read again, at most every half minute, so that made-up ids do not make us ask without end.
 */
export class KeySets {
  readonly #byAddress = new Map<string, RemoteJWKSet>();

  at(address: string): RemoteJWKSet {
    let keySet = this.#byAddress.get(address);
    if (!keySet) {
      keySet = createRemoteJWKSet(new URL(address), {
        cacheMaxAge: 600 * SECOND,
        cooldownDuration: 30 * SECOND,
        [customFetch]: readKeySet,
      });
      this.#byAddress.set(address, keySet);
    }
    return keySet;
  }
}

async function readKeySet(address: string): Promise<Response> {
  const { status, body } = await askProvider(new URL(address));
  if (status !== 200) throw new ProviderUnavailableError(`it answered ${status}`);
  return Response.json(body);
}
