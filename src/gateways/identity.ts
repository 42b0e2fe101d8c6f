import type { Logger } from 'pino';
import { FacebookVerifier, facebookSettings } from './facebook.ts';
import { FirebasePhoneVerifier, firebasePhoneSettings, KeySets } from './firebase-phone.ts';
import type { IdentityVerifier } from './identity-verifier.ts';
import { IdentityRefusedError, ProviderUnavailableError } from './provider.ts';
import { TwitterVerifier, twitterSettings } from './twitter.ts';

export const identitySettings = {
  facebook: facebookSettings,
  twitter: twitterSettings,
  firebase_phone: firebasePhoneSettings,
};

export type IdentityProvider = keyof typeof identitySettings;

export interface IdentityVerifiers {
  of(provider: IdentityProvider, settings: unknown): IdentityVerifier;
}

export function isIdentityProvider(text: string | undefined): text is IdentityProvider {
  return text !== undefined && Object.hasOwn(identitySettings, text);
}

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

/** Only the log gets the reason, without any part of the credentials. */
function refuse(provider: IdentityProvider, error: unknown, log: Logger): never {
  if (error instanceof ProviderUnavailableError) {
    log.warn({ provider, reason: error.message }, 'an identity provider is unavailable');
    throw new IdentityRefusedError(error.message);
  }
  if (error instanceof IdentityRefusedError)
    log.debug({ provider, reason: error.message }, 'an identity provider did not confirm a sign-in');
  throw error;
}
