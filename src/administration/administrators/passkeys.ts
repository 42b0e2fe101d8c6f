import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import { db } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import type { AdministratorPasskey } from '../../generated/prisma/client.ts';
import type { AdministratorViewer } from '../../lib/access.ts';
import { InvalidFieldsError, NotFoundError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { boundToSession, CHALLENGE_LIFETIME_MS, createChallenge, useChallenge } from './challenges.ts';
import { notify } from './notices.ts';
import { challengeIn, relyingPartyOf, webauthn } from './relying-party.ts';
import { findAdministrator, transactAs } from './rows.ts';
import { requireValid } from './rules.ts';
import { endSessions } from './sessions.ts';

const SERVICE_NAME = 'Atrium console';
export const MAX_PASSKEYS = 20;
const HANDLE_BYTES = 32;
/** Of credential ids that authenticators may choose (WebAuthn, level 3). */
const MAX_CREDENTIAL_ID_BYTES = 1023;
const MAX_TRANSPORTS = 10;

export type Passkey = Pick<
  AdministratorPasskey,
  'id' | 'name' | 'relyingPartyId' | 'isBackedUp' | 'createdAt' | 'lastUsedAt'
>;

/** A new credential of an authenticator; texts in base64url. */
export interface PasskeyRegistration {
  id: string;
  clientDataJSON: string;
  attestationObject: string;
  transports?: readonly string[] | null;
}

/** Oldest first. */
export function listPasskeys({ administrator }: AdministratorViewer): Promise<Passkey[]> {
  return db.administratorPasskey.findMany({ where: { administratorId: administrator.id }, orderBy: { id: 'asc' } });
}

/** @returns what `PublicKeyCredential.parseCreationOptionsFromJSON()` reads */
export async function createPasskeyOptions(viewer: AdministratorViewer, context: Context): Promise<unknown> {
  const { id: relyingPartyId } = relyingPartyOf(context);
  const { id: administratorId } = viewer.administrator;
  const [account, passkeys] = await Promise.all([accountOf(administratorId), listCredentials(administratorId)]);
  requireSpace(passkeys.length);
  const challenge = await createChallenge(boundToSession('registration', viewer), context);
  const { generateRegistrationOptions } = await webauthn();
  return generateRegistrationOptions({
    rpName: SERVICE_NAME,
    rpID: relyingPartyId,
    userID: new Uint8Array(Buffer.from(account.handle, 'base64url')),
    userName: account.email,
    userDisplayName: account.name,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: CHALLENGE_LIFETIME_MS,
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: credentialsAt(passkeys, relyingPartyId),
  });
}

/** @throws {InvalidFieldsError} {BadInputError} */
export async function createPasskey(
  name: string,
  registration: PasskeyRegistration,
  viewer: AdministratorViewer,
  context: Context,
): Promise<Passkey> {
  requireValid({ name });
  const { id: relyingPartyId, origin } = relyingPartyOf(context);
  const { id: administratorId } = viewer.administrator;
  const challenge = challengeIn(registration.clientDataJSON);
  const binding = boundToSession('registration', viewer);
  const isValid = challenge !== undefined && (await useChallenge(challenge, binding, context));
  const credential = isValid ? await verifyRegistration(registration, challenge, origin, relyingPartyId) : undefined;
  if (!credential) throw new InvalidFieldsError({ passkey: ['PASSKEY_REJECTED'] });
  const data = { ...credential, administratorId, relyingPartyId, name: name.trim(), createdAt: context.now() };
  const { email } = await findAdministrator(administratorId);
  const created = await transactAs(viewer, async (transaction) => {
    requireSpace(await transaction.administratorPasskey.count({ where: { administratorId } }));
    const where = { credentialId: credential.credentialId };
    if ((await transaction.administratorPasskey.count({ where })) > 0) {
      throw new InvalidFieldsError({ passkey: ['PASSKEY_EXISTS'] });
    }
    return transaction.administratorPasskey.create({ data });
  });
  notify(email, 'passkeyAdded', context);
  return created;
}

/** @throws {NotFoundError} also for passkeys of others {InvalidFieldsError} */
export async function updatePasskey(id: number, name: string, viewer: AdministratorViewer): Promise<Passkey> {
  requireValid({ name });
  return transactAs(viewer, async (transaction) => {
    const where = { id, administratorId: viewer.administrator.id };
    const [row] = await transaction.administratorPasskey.updateManyAndReturn({ where, data: { name: name.trim() } });
    if (!row) throw unknownPasskey();
    return row;
  });
}

/** Ends the other sessions of the administrator. @throws {NotFoundError} also for passkeys of others */
export async function deletePasskey(
  id: number,
  viewer: AdministratorViewer,
  services: Pick<Context, 'mailer' | 'log'>,
): Promise<true> {
  const { id: administratorId, sessionId } = viewer.administrator;
  const { email } = await findAdministrator(administratorId);
  await transactAs(viewer, async (transaction) => {
    const { count } = await transaction.administratorPasskey.deleteMany({ where: { id, administratorId } });
    if (count === 0) throw unknownPasskey();
    await endSessions(transaction, administratorId, sessionId);
  });
  notify(email, 'passkeyDeleted', services);
  return true;
}

type Credential = Pick<AdministratorPasskey, 'credentialId' | 'transports' | 'relyingPartyId'>;

export function listCredentials(administratorId: number): Promise<Credential[]> {
  const select = { credentialId: true, transports: true, relyingPartyId: true };
  return db.administratorPasskey.findMany({ where: { administratorId }, select, orderBy: { id: 'asc' } });
}

export function credentialsAt(passkeys: readonly Credential[], relyingPartyId: string) {
  return passkeys
    .filter((one) => one.relyingPartyId === relyingPartyId)
    .map(({ credentialId, transports }) => ({ id: credentialId, transports }));
}

/** @returns undefined if the library refuses the registration */
async function verifyRegistration(
  { id, clientDataJSON, attestationObject, transports }: PasskeyRegistration,
  expectedChallenge: string,
  expectedOrigin: string,
  expectedRPID: string,
) {
  const { verifyRegistrationResponse } = await webauthn();
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

/** All passkeys of an account share one random handle, so that authenticators show them as one account. */
async function accountOf(id: number) {
  const handle = randomBytes(HANDLE_BYTES).toString('base64url');
  const [row] = await query<{ email: string; name: string; handle: string }>`
    UPDATE administrators SET passkey_handle = coalesce(passkey_handle, ${handle}) WHERE id = ${id}
    RETURNING email, name, passkey_handle AS handle`;
  return row!;
}

function requireSpace(count: number): void {
  if (count >= MAX_PASSKEYS)
    throw new InvalidFieldsError({ passkey: [problem('TOO_MANY_PASSKEYS', { max: MAX_PASSKEYS })] });
}

const unknownPasskey = () => new NotFoundError('PASSKEY_NOT_FOUND');
