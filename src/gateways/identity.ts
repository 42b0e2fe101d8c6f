import type { Logger } from 'pino';
import { FacebookVerifier, facebookSettings } from './facebook.ts';
import { FirebasePhoneVerifier, firebasePhoneSettings, KeySets } from './firebase-phone.ts';
import type { IdentityVerifier } from './identity-verifier.ts';
import { IdentityRefusedError, ProviderUnavailableError } from './provider.ts';
import { TwitterVerifier, twitterSettings } from './twitter.ts';

/** What an application needs at each provider, `endpoint` included; secrets are among it. */
export const identitySettings = {
  facebook: facebookSettings,
  twitter: twitterSettings,
  firebase_phone: firebasePhoneSettings,
};

export type IdentityProvider = keyof typeof identitySettings;

export interface IdentityVerifiers {
  /** The verifier of one application, by its own settings at the provider; it lasts for one sign-in. */
  of(provider: IdentityProvider, settings: unknown): IdentityVerifier;
}

export function isIdentityProvider(text: string | undefined): text is IdentityProvider {
  return text !== undefined && Object.hasOwn(identitySettings, text);
}

/** The real providers. Applications share nothing but public keys, which are kept by their address. */
export function createIdentityVerifiers({ now, log }: { now: () => Date; log: Logger }): IdentityVerifiers {
  const keySets = new KeySets();
  return {
    of(provider, settings) {
      const verifier = verifierOf(provider, settings, keySets, now);
      return {
        verify: (keys) => verifier.verify(keys).catch((error: unknown) => refuse(provider, error, log)),
      };
    },
  };
}

function verifierOf(
  provider: IdentityProvider,
  settings: unknown,
  keySets: KeySets,
  now: () => Date,
): IdentityVerifier {
  switch (provider) {
    case 'facebook':
      return new FacebookVerifier(facebookSettings.parse(settings), now);
    case 'twitter':
      return new TwitterVerifier(twitterSettings.parse(settings), now);
    case 'firebase_phone':
      return new FirebasePhoneVerifier(firebasePhoneSettings.parse(settings), keySets, now);
  }
}

/** A caller is not told why; the log is, in words that hold nothing of the keys. */
function refuse(provider: IdentityProvider, error: unknown, log: Logger): never {
  if (error instanceof ProviderUnavailableError) {
    log.warn({ provider, reason: error.message }, 'an identity provider could not be asked');
    throw new IdentityRefusedError(error.message);
  }
  if (error instanceof IdentityRefusedError) log.debug({ provider, reason: error.message }, 'an identity was refused');
  throw error;
}
