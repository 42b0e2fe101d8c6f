import { randomBytes } from 'node:crypto';
import type { Context, UserTokenContext } from '../../context.ts';
import { db, type Transaction } from '../../db/client.ts';
import type { SignInChallenge, UserPasskey } from '../../generated/prisma/client.ts';
import {
  InvalidFieldsError,
  NotFoundError,
  PasskeyRefusedError,
  requireNone,
  UnprocessableError,
} from '../../lib/errors.ts';
import { type Problem, problem } from '../../lib/problems.ts';
import { CHALLENGE_LIFETIME_MS } from '../../platform/second-factors/challenges.ts';
import {
  challengeIn,
  creationOptions,
  credentialsAt,
  HANDLE_BYTES,
  type PasskeyAssertion,
  type PasskeyRegistration,
  requestOptions,
  requireSpace,
  verifyRegistration,
  verifySignature,
} from '../../platform/second-factors/passkeys.ts';
import { noticeVerified } from '../users/credentials.ts';
import { createChallenge, findChallenge, type OpenChallenge, useChallenge } from './challenges.ts';
import { upsertFactor } from './codes.ts';
import { changeOwn, markMultiFactor } from './own.ts';
import { findRelyingParty, relyingPartyOf } from './relying-party.ts';

const MAX_NAME = 255;

/** Oldest first. */
export function listUserPasskeys(applicationId: number, userId: number): Promise<UserPasskey[]> {
  return db.userPasskey.findMany({ where: { applicationId, userId }, orderBy: { id: 'asc' } });
}

/** Begins adding a passkey. */
export async function requestUserPasskey(context: UserTokenContext): Promise<OpenChallenge> {
  const { applicationId, userId, session } = context.viewer;
  const relyingParty = await relyingPartyOf(applicationId);
  const { user, handle, credentials } = await changeOwn(context, async (transaction, user) => {
    const credentials = await transaction.userPasskey.findMany({ where: { applicationId, userId } });
    requireSpace(credentials.length);
    return { user, handle: await handleOf(transaction, { applicationId, userId }), credentials };
  });
  const created = await createChallenge(
    { applicationId, purpose: 'registration', userId, sessionId: session.id },
    context,
  );
  const name = user.email ?? user.login ?? `user ${user.id}`;
  const passkeyOptions = await creationOptions(
    relyingParty,
    { handle, name, displayName: user.fullName ?? name, credentials },
    { challenge: created.challenge, lifetimeMs: CHALLENGE_LIFETIME_MS },
  );
  return { token: created.token, expiresAt: created.expiresAt, methods: ['PASSKEY'], passkeyOptions };
}

/** @throws {InvalidFieldsError} name, challenge or credential */
export async function createUserPasskey(
  { name, token, passkey: registration }: { name: string; token: string; passkey: PasskeyRegistration },
  context: UserTokenContext,
): Promise<UserPasskey> {
  const { applicationId, userId, session } = context.viewer;
  requireNone({ name: nameProblems(name) });
  const relyingParty = await relyingPartyOf(applicationId);
  const of = { applicationId, purpose: ['registration' as const], userId, sessionId: session.id };
  const found = await findChallenge(token, of, context);
  const isSigned = found && challengeIn(registration.clientDataJSON) === found.challenge && (await useChallenge(found));
  const credential = isSigned ? await verifyRegistration(registration, found.challenge, relyingParty) : undefined;
  if (!credential) throw new InvalidFieldsError({ passkey: ['PASSKEY_REJECTED'] });
  const key = { applicationId, userId };
  const data = { ...key, ...credential, relyingPartyId: relyingParty.id, name: name.trim(), createdAt: context.now() };
  const { user, created } = await changeOwn(context, async (transaction, user) => {
    requireSpace(await transaction.userPasskey.count({ where: key }));
    const where = { applicationId, credentialId: credential.credentialId };
    if ((await transaction.userPasskey.count({ where })) > 0) {
      throw new InvalidFieldsError({ passkey: ['PASSKEY_EXISTS'] });
    }
    const created = await transaction.userPasskey.create({ data });
    await markMultiFactor(transaction, context);
    if (user.isGuest) {
      await transaction.user.update({
        where: { applicationId_id: { applicationId, id: userId } },
        data: { isGuest: false },
      });
    }
    return { user, created };
  });
  await noticeVerified(user, 'passkey', context);
  return created;
}

/** @throws {NotFoundError} also for passkeys of others {InvalidFieldsError} */
export async function updateUserPasskey(id: number, name: string, { viewer }: UserTokenContext): Promise<UserPasskey> {
  requireNone({ name: nameProblems(name) });
  const { applicationId, userId } = viewer;
  const where = { applicationId, userId, id };
  const [row] = await db.userPasskey.updateManyAndReturn({ where, data: { name: name.trim() } });
  if (!row) throw new NotFoundError('PASSKEY_NOT_FOUND');
  return row;
}

/** @throws {NotFoundError} also for passkeys of others {UnprocessableError} the only way to sign in, or only factor */
export async function deleteUserPasskey(id: number, context: UserTokenContext): Promise<true> {
  const { applicationId, userId } = context.viewer;
  const key = { applicationId, userId };
  const user = await changeOwn(context, async (transaction, user) => {
    const { count } = await transaction.userPasskey.deleteMany({ where: { ...key, id } });
    if (count === 0) throw new NotFoundError('PASSKEY_NOT_FOUND');
    if ((await transaction.userPasskey.count({ where: key })) > 0) return user;
    const factor = await transaction.userFactor.findUnique({ where: { applicationId_userId: key } });
    if (user.needsSecondFactor && !factor?.hasTotp) throw new UnprocessableError('LAST_SECOND_FACTOR');
    const isReachable = user.passwordHash !== null || user.email !== null || user.phone !== null;
    const identities = isReachable ? 1 : await transaction.userIdentity.count({ where: key });
    if (identities === 0) throw new UnprocessableError('LAST_CREDENTIAL');
    return user;
  });
  await noticeVerified(user, 'passkey', context);
  return true;
}

/** Of a user, or of any if null. Undefined without passkeys. */
export async function passkeyRequest(
  applicationId: number,
  userId: number | null,
  challenge: string,
): Promise<unknown> {
  const relyingParty = await findRelyingParty(applicationId);
  if (!relyingParty) return undefined;
  const allowed =
    userId === null ? undefined : credentialsAt(await listUserPasskeys(applicationId, userId), relyingParty.id);
  if (allowed?.length === 0) return undefined;
  return requestOptions(relyingParty.id, { challenge, lifetimeMs: CHALLENGE_LIFETIME_MS }, allowed);
}

/** Uses the challenge. @throws {PasskeyRefusedError} */
export async function verifyUserPasskey(
  assertion: PasskeyAssertion,
  found: SignInChallenge,
  context: Pick<Context, 'now' | 'log'>,
): Promise<UserPasskey> {
  const { applicationId, userId, challenge } = found;
  const relyingParty = await findRelyingParty(applicationId);
  const isSigned = challengeIn(assertion.clientDataJSON) === challenge && (await useChallenge(found));
  if (!relyingParty || !isSigned) throw new PasskeyRefusedError();
  const passkey = await db.userPasskey.findUnique({
    where: {
      applicationId_credentialId: { applicationId, credentialId: assertion.id },
      relyingPartyId: relyingParty.id,
      ...(userId !== null && { userId }),
    },
    include: { user: { include: { factor: true } } },
  });
  const handle = passkey?.user.factor?.passkeyHandle;
  // Browsers send the handle of each passkey that they have found without a list of credentials.
  if (!passkey || (assertion.userHandle ?? (userId === null ? undefined : handle)) !== handle) {
    throw new PasskeyRefusedError();
  }
  const use = await verifySignature(assertion, challenge, passkey, relyingParty);
  if (!use) throw new PasskeyRefusedError();
  await recordUse(passkey, use, context);
  return passkey;
}

/** A counter that does not grow means that the authenticator was cloned. @throws {PasskeyRefusedError} */
async function recordUse(
  { applicationId, id, userId, counter }: UserPasskey,
  { newCounter, credentialBackedUp }: { newCounter: number; credentialBackedUp: boolean },
  { now, log }: Pick<Context, 'now' | 'log'>,
): Promise<void> {
  const isCounted = newCounter > 0 || counter > 0n;
  const { count } = await db.userPasskey.updateMany({
    where: { applicationId, id, counter: isCounted ? { lt: newCounter } : 0n },
    data: { counter: newCounter, isBackedUp: credentialBackedUp, lastUsedAt: now() },
  });
  if (count > 0) return;
  log.warn(
    { applicationId, userId, passkeyId: id, counter: newCounter, latestCounter: Number(counter) },
    'a passkey of a user was refused because its counter did not grow; the authenticator may have been copied',
  );
  throw new PasskeyRefusedError();
}

async function handleOf(transaction: Transaction, key: { applicationId: number; userId: number }): Promise<string> {
  const factor = await transaction.userFactor.findUnique({ where: { applicationId_userId: key } });
  if (factor?.passkeyHandle) return factor.passkeyHandle;
  const passkeyHandle = randomBytes(HANDLE_BYTES).toString('base64url');
  await upsertFactor(transaction, key, { passkeyHandle });
  return passkeyHandle;
}

function nameProblems(name: string): Problem[] {
  if (name.trim() === '') return ['BLANK'];
  return name.trim().length > MAX_NAME ? [problem('TOO_LONG', { max: MAX_NAME })] : [];
}
