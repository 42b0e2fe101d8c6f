import { isIP } from 'node:net';
import type { Context } from '../../context.ts';
import { BadInputError } from '../../lib/errors.ts';
import { onFirstUse } from '../../lib/on-first-use.ts';
import { requirePage } from './sessions.ts';

export const webauthn = onFirstUse(async () => {
  const library = await import('@simplewebauthn/server');
  // Attestation does not count, and without trusted roots the library requests no revocation lists.
  for (const identifier of ['android-key', 'android-safetynet', 'apple'] as const) {
    library.SettingsService.setRootCertificates({ identifier, certificates: [] });
  }
  return library;
});

/** Whose passkeys a page of the console may use. */
export interface RelyingParty {
  /** Host name. */
  id: string;
  origin: string;
}

/** A page that may use the cookie of the console may also use passkeys of its host. @throws {BadInputError} */
export function relyingPartyOf(context: Pick<Context, 'page'>): RelyingParty {
  const { origin } = requirePage(context);
  const { hostname: id } = new URL(origin);
  if (isIP(id.replace(/^\[|\]$/g, '')) !== 0) {
    throw new BadInputError('HOST_NAME_REQUIRED');
  }
  return { id, origin };
}

/** Undefined if the browser did not write the text. */
export function challengeIn(clientDataJSON: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as { challenge?: unknown };
    return typeof challenge === 'string' ? challenge : undefined;
  } catch {
    return undefined;
  }
}
