import type { JWTPayload, RemoteJWKSet } from 'jose';
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
  endpoint: endpointSetting.default(
    'https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com',
  ),
});

type FirebasePhoneSettings = z.infer<typeof firebasePhoneSettings>;

/** Tolerance for a provider's clock that is ahead; a client signs in within a second of getting its token. */
const CLOCK_SKEW_SECONDS = 30;

/** Claims that `jwtVerify` does not check. Firebase sends the number in E.164. */
const phoneClaims = z.object({
  aud: z.string(),
  sub: z.string().min(1).max(128),
  iat: z.number(),
  auth_time: z.number(),
  phone_number: z.string().regex(/^\+[1-9][0-9]{3,14}$/),
  firebase: z.object({ sign_in_provider: z.literal('phone') }),
});

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
    if (keys.projectId !== this.#settings.projectId) throw new IdentityRefusedError('the project id does not match');
    const claims = phoneClaims.safeParse(await this.#claimsOf(token));
    if (!claims.success) throw new IdentityRefusedError('the token is not from a phone sign-in');
    const { iat, auth_time, phone_number } = claims.data;
    const latest = unixSeconds(this.#now()) + CLOCK_SKEW_SECONDS;
    if (iat > latest || auth_time > latest)
      throw new IdentityRefusedError('the token was issued in the future; check the clock');
    return { provider: 'firebase_phone', phone: phone_number };
  }

  async #claimsOf(token: string): Promise<JWTPayload> {
    const { errors, jwtVerify } = await import('jose');
    const { projectId, endpoint } = this.#settings;
    try {
      const { payload } = await jwtVerify(token, await this.#keySets.at(endpoint), {
        algorithms: ['RS256'],
        issuer: `https://securetoken.google.com/${projectId}`,
        audience: projectId,
        requiredClaims: ['exp'],
        currentDate: this.#now(),
      });
      return payload;
    } catch (error) {
      if (error instanceof ProviderUnavailableError) throw error;
      if (error instanceof errors.JWKSInvalid) throw new ProviderUnavailableError('the response is not a key set');
      if (error instanceof errors.JOSEError) throw new IdentityRefusedError(`the token is invalid: ${error.code}`);
      throw new ProviderUnavailableError('the key set contains an unusable key');
    }
  }
}

/**
 * Public keys by address, shared by all applications and cached for ten minutes. An unknown key id triggers a refresh,
 * at most every 30 seconds, so that forged ids cannot cause a flood of requests.
 */
export class KeySets {
  readonly #byAddress = new Map<string, RemoteJWKSet>();

  async at(address: string): Promise<RemoteJWKSet> {
    const { createRemoteJWKSet, customFetch } = await import('jose');
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
  if (status !== 200) throw new ProviderUnavailableError(`responded with ${status}`);
  return Response.json(body);
}
