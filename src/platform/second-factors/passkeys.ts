import { InvalidFieldsError } from '../../lib/errors.ts';
import { onFirstUse } from '../../lib/on-first-use.ts';
import { problem } from '../../lib/problems.ts';

export const MAX_PASSKEYS = 20;
export const HANDLE_BYTES = 32;
/** Of credential ids that authenticators may choose (WebAuthn, level 3). */
const MAX_CREDENTIAL_ID_BYTES = 1023;
const MAX_TRANSPORTS = 10;

/** @throws {InvalidFieldsError} an account with so many passkeys gets no more */
export function requireSpace(count: number): void {
  if (count >= MAX_PASSKEYS)
    throw new InvalidFieldsError({ passkey: [problem('TOO_MANY_PASSKEYS', { max: MAX_PASSKEYS })] });
}

const library = onFirstUse(async () => {
  const webauthn = await import('@simplewebauthn/server');
  // Attestation does not count, and without trusted roots the library requests no revocation lists.
  for (const identifier of ['android-key', 'android-safetynet', 'apple'] as const) {
    webauthn.SettingsService.setRootCertificates({ identifier, certificates: [] });
  }
  return webauthn;
});

/** Where passkeys are created and used. */
export interface RelyingParty {
  /** Host name. */
  id: string;
  /** Of the pages, or apps, that may use them. */
  origin: string | string[];
}

/** A new credential of an authenticator; texts in base64url. */
export interface PasskeyRegistration {
  id: string;
  clientDataJSON: string;
  attestationObject: string;
  transports?: readonly string[] | null;
}

/** A challenge that an authenticator has signed; texts in base64url. */
export interface PasskeyAssertion {
  id: string;
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
  userHandle?: string | null;
}

export interface Credential {
  credentialId: string;
  transports: string[];
  relyingPartyId: string;
}

/** All passkeys of an account share one random handle, so that authenticators show them as one account. */
export interface PasskeyAccount {
  handle: string;
  name: string;
  displayName: string;
  /** Passkeys that the account has already. */
  credentials: readonly Credential[];
}

interface Challenge {
  /** In base64url. */
  challenge: string;
  lifetimeMs: number;
}

/** @returns what `PublicKeyCredential.parseCreationOptionsFromJSON()` reads */
export async function creationOptions(
  relyingParty: { id: string; name: string },
  account: PasskeyAccount,
  { challenge, lifetimeMs }: Challenge,
): Promise<unknown> {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: relyingParty.name,
    rpID: relyingParty.id,
    userID: bytesOf(account.handle),
    userName: account.name,
    userDisplayName: account.displayName,
    challenge: bytesOf(challenge),
    timeout: lifetimeMs,
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: credentialsAt(account.credentials, relyingParty.id),
  });
}

/**
 * @param allowCredentials undefined: any, so that the options reveal no account
 * @returns what `PublicKeyCredential.parseRequestOptionsFromJSON()` reads
 */
export async function requestOptions(
  rpID: string,
  { challenge, lifetimeMs }: Challenge,
  allowCredentials?: { id: string; transports: string[] }[],
): Promise<unknown> {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID,
    challenge: bytesOf(challenge),
    timeout: lifetimeMs,
    userVerification: 'required',
    ...(allowCredentials && { allowCredentials }),
  });
}

export function credentialsAt(passkeys: readonly Credential[], relyingPartyId: string) {
  return passkeys
    .filter((one) => one.relyingPartyId === relyingPartyId)
    .map(({ credentialId, transports }) => ({ id: credentialId, transports }));
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

/** @returns undefined if the library refuses the registration */
export async function verifyRegistration(
  { id, clientDataJSON, attestationObject, transports }: PasskeyRegistration,
  expectedChallenge: string,
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
) {
  const { verifyRegistrationResponse } = await library();
  const response = { clientDataJSON, attestationObject };
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
    expectedChallenge,
    expectedOrigin,
    expectedRPID,
    requireUserVerification: true,
  }).catch(() => ({ registrationInfo: undefined }));
  if (!registrationInfo) return undefined;
  const { credential, credentialBackedUp: isBackedUp } = registrationInfo;
  if (credential.id !== id || Buffer.from(id, 'base64url').length > MAX_CREDENTIAL_ID_BYTES) return undefined;
  return {
    credentialId: credential.id,
    publicKey: credential.publicKey,
    counter: credential.counter,
    transports: (transports ?? []).filter((name) => /^[\w-]{1,20}$/.test(name)).slice(0, MAX_TRANSPORTS),
    isBackedUp,
  };
}

/** @returns undefined if the library refuses the assertion */
export async function verifySignature(
  { id, clientDataJSON, authenticatorData, signature }: PasskeyAssertion,
  expectedChallenge: string,
  { credentialId, publicKey }: { credentialId: string; publicKey: Uint8Array },
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
): Promise<{ newCounter: number; credentialBackedUp: boolean } | undefined> {
  const { verifyAuthenticationResponse } = await library();
  const response = { clientDataJSON, authenticatorData, signature };
  // The caller compares the counter, because requests at the same time need one order.
  const credential = { id: credentialId, publicKey: new Uint8Array(publicKey), counter: 0 };
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
    expectedChallenge,
    expectedOrigin,
    expectedRPID,
    credential,
    requireUserVerification: true,
  }).catch(() => ({ verified: false, authenticationInfo: undefined }));
  return verified ? authenticationInfo : undefined;
}

const bytesOf = (base64url: string) => new Uint8Array(Buffer.from(base64url, 'base64url'));
