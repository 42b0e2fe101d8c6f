import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import { db } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import type { AdministratorPasskey } from '../../generated/prisma/client.ts';
import type { AdministratorViewer } from '../../lib/access.ts';
import { InvalidFieldsError, NotFoundError } from '../../lib/errors.ts';
import { CHALLENGE_LIFETIME_MS } from '../../platform/second-factors/challenges.ts';
import {
  type Credential,
  challengeIn,
  creationOptions,
  HANDLE_BYTES,
  type PasskeyRegistration,
  requireSpace,
  verifyRegistration,
} from '../../platform/second-factors/passkeys.ts';
import { boundToSession, createChallenge, useChallenge } from './challenges.ts';
import { notify } from './notices.ts';
import { relyingPartyOf } from './relying-party.ts';
import { findAdministrator, transactAs } from './rows.ts';
import { requireValid } from './rules.ts';
import { endSessions } from './sessions.ts';

const SERVICE_NAME = 'Atrium console';

export type Passkey = Pick<
  AdministratorPasskey,
  'id' | 'name' | 'relyingPartyId' | 'isBackedUp' | 'createdAt' | 'lastUsedAt'
>;

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
  const { handle, email, name } = account;
  return creationOptions(
    { id: relyingPartyId, name: SERVICE_NAME },
    { handle, name: email, displayName: name, credentials: passkeys },
    { challenge, lifetimeMs: CHALLENGE_LIFETIME_MS },
  );
}

/** @throws {InvalidFieldsError} {BadInputError} */
export async function createPasskey(
  name: string,
  registration: PasskeyRegistration,
  viewer: AdministratorViewer,
  context: Context,
): Promise<Passkey> {
  requireValid({ name });
  const relyingParty = relyingPartyOf(context);
  const { id: relyingPartyId } = relyingParty;
  const { id: administratorId } = viewer.administrator;
  const challenge = challengeIn(registration.clientDataJSON);
  const binding = boundToSession('registration', viewer);
  const isValid = challenge !== undefined && (await useChallenge(challenge, binding, context));
  const credential = isValid ? await verifyRegistration(registration, challenge, relyingParty) : undefined;
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

export function listCredentials(administratorId: number): Promise<Credential[]> {
  const select = { credentialId: true, transports: true, relyingPartyId: true };
  return db.administratorPasskey.findMany({ where: { administratorId }, select, orderBy: { id: 'asc' } });
}

/** All passkeys of an account share one random handle, so that authenticators show them as one account. */
async function accountOf(id: number) {
  const handle = randomBytes(HANDLE_BYTES).toString('base64url');
  const [row] = await query<{ email: string; name: string; handle: string }>`
    UPDATE administrators SET passkey_handle = coalesce(passkey_handle, ${handle}) WHERE id = ${id}
    RETURNING email, name, passkey_handle AS handle`;
  return row!;
}

const unknownPasskey = () => new NotFoundError('PASSKEY_NOT_FOUND');
