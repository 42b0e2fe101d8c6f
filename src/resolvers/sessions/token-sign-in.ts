import type { Context, UserContext } from '../../context.ts';
import { db, Prisma, type Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import { IdentityRefusedError, ProviderUnavailableError } from '../../gateways/provider.ts';
import type { TokenIssuer, User, UserIdentity } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { NotFoundError, SignInRefusedError, SignInTooOldError, UnprocessableError } from '../../lib/errors.ts';
import { hashSecret } from '../../lib/tokens.ts';
import { mayChangeCredentials, noticeVerified } from '../users/credentials.ts';
import { hasProvenIdentity, isProven } from '../users/identities.ts';
import { lockUser, requireSession } from '../users/lock.ts';
import { retriedOnce } from '../users/taken.ts';
import type { AttachingViewer } from './prove.ts';
import { identityOfCode, type ProvenIdentity, type ProviderCode } from './provider-sign-in.ts';
import type { SignedIn } from './signed-in.ts';

export interface IdToken {
  token?: string | null | undefined;
  /** That the client sent to the provider. */
  nonce?: string | null | undefined;
}

/** Of an account elsewhere: a token that the app has received, or a code of the pages of the service. */
export type ExternalProof = IdToken | { providerCode: ProviderCode };

/**
 * The user with the identity, else the one with the same verified address, else a new one.
 * @param attachTo is given the identity, unless another user has it
 * @throws {SignInRefusedError} the token is refused, or its identity is unknown and does not sign up
 */
export async function signInByToken(
  input: ExternalProof,
  applicationId: number,
  context: Context,
  attachTo?: AttachingViewer,
): Promise<SignedIn> {
  const { issuer, identity } = await verified(input, applicationId, context);
  const isAsChecked = heldBy(issuer, identity);
  const { user, isLinked } = await retriedOnce(() => settle(issuer, identity, attachTo, context));
  if (isLinked) await noticeVerified(user, 'identity', context);
  return { user, isAsChecked };
}

/** @throws {SignInRefusedError} @throws {SignInTooOldError} @throws {UnprocessableError} another user has it */
export async function linkIdentity(input: ExternalProof, context: UserContext): Promise<UserIdentity> {
  const { viewer } = context;
  const { issuer, identity } = await verified(input, viewer.applicationId, context);
  const mayLink = await mayChangeCredentials(viewer, context);
  const { user, linked, isNew } = await retriedOnce(() =>
    transact(jobOwnerOf(viewer), async (transaction) => {
      const user = await lockedUser(transaction, viewer.applicationId, viewer.userId);
      await requireSession(transaction, viewer);
      const where = keyOf(issuer, identity);
      const known = await transaction.userIdentity.findUnique({ where });
      if (known && known.userId !== user.id) throw new UnprocessableError('IDENTITY_TAKEN');
      if (known) return { user, linked: known, isNew: false };
      if (!mayLink && !user.isGuest) throw new SignInTooOldError();
      const linked = await link(transaction, user, issuer, identity, context.now());
      return { user, linked, isNew: true };
    }),
  );
  if (isNew) await noticeVerified(user, 'identity', context);
  return linked;
}

/** @throws {NotFoundError} @throws {SignInTooOldError} @throws {UnprocessableError} the user could not sign in any more */
export async function unlinkIdentity(issuer: string, subject: string, context: UserContext): Promise<true> {
  const { viewer, now } = context;
  const { applicationId, userId } = viewer;
  const mayUnlink = await mayChangeCredentials(viewer, context);
  const user = await transact(jobOwnerOf(viewer), async (transaction) => {
    const user = await lockedUser(transaction, applicationId, userId);
    await requireSession(transaction, viewer);
    const { count } = await transaction.userIdentity.deleteMany({ where: { applicationId, userId, issuer, subject } });
    if (count === 0) throw new NotFoundError();
    if (!mayUnlink) throw new SignInTooOldError();
    const others = await transaction.userIdentity.count({ where: { applicationId, userId } });
    const isReachable = others > 0 || user.passwordHash !== null || hasProvenIdentity(user) || isProven('email', user);
    if (!isReachable) throw new UnprocessableError('LAST_CREDENTIAL');
    const where = { applicationId_id: { applicationId, id: userId } };
    return transaction.user.update({ where, data: { updatedAt: now() } });
  });
  await noticeVerified(user, 'identity', context);
  return true;
}

/** Of a user, oldest first. */
export function listIdentities(applicationId: number, userId: number): Promise<UserIdentity[]> {
  return db.userIdentity.findMany({ where: { applicationId, userId }, orderBy: { createdAt: 'asc' } });
}

interface Verified {
  issuer: TokenIssuer;
  identity: ProvenIdentity;
}

async function verified(proof: ExternalProof, applicationId: number, context: Context): Promise<Verified> {
  if ('providerCode' in proof) return identityOfCode(proof.providerCode, applicationId, context);
  const { token, nonce } = proof;
  const named = await issuerNamedBy(token ?? '');
  const issuer = named
    ? await db.tokenIssuer.findUnique({ where: { applicationId_issuer: { applicationId, issuer: named } } })
    : null;
  if (!issuer || !token) throw new SignInRefusedError();
  const identity = await context.tokens.verify(token, issuer, nonce ?? null).catch((error: unknown) => {
    if (error instanceof ProviderUnavailableError) {
      context.log.warn({ issuer: issuer.name, reason: error.message }, 'an issuer of tokens is unavailable');
      throw new SignInRefusedError();
    }
    if (!(error instanceof IdentityRefusedError)) throw error;
    context.log.debug({ issuer: issuer.name, reason: error.message }, 'a token was refused');
    throw new SignInRefusedError();
  });
  if (issuer.isSingleUse) {
    const { count } = await db.usedToken.createMany({
      data: [{ applicationId, tokenHash: hashSecret(token), expiresAt: identity.expiresAt }],
      skipDuplicates: true,
    });
    if (count === 0) throw new SignInRefusedError();
  }
  return { issuer, identity };
}

/** Not verified yet; it only selects the settings against which the token is verified. */
async function issuerNamedBy(token: string): Promise<string | undefined> {
  const { decodeJwt } = await import('jose');
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

function settle(
  issuer: TokenIssuer,
  identity: ProvenIdentity,
  attachTo: AttachingViewer | undefined,
  context: Context,
): Promise<{ user: User; isLinked: boolean }> {
  const { applicationId } = issuer;
  return transact(jobOwnerOf({ applicationId }), async (transaction) => {
    const at = context.now();
    const known = await transaction.userIdentity.findUnique({ where: keyOf(issuer, identity) });
    if (known) return { user: await lockedUser(transaction, applicationId, known.userId), isLinked: false };
    if (attachTo) {
      const user = await lockedUser(transaction, applicationId, attachTo.userId);
      await requireSession(transaction, attachTo);
      if (!user.isGuest && !(await mayChangeCredentials(attachTo, context))) throw new SignInTooOldError();
      await link(transaction, user, issuer, identity, at);
      return { user, isLinked: true };
    }
    const { email, fullName } = identity;
    const holder = email === null ? null : await lockUser(transaction, { applicationId, email });
    // Both sides have verified the address.
    if (holder && isProven('email', holder)) {
      await link(transaction, holder, issuer, identity, at);
      return { user: holder, isLinked: true };
    }
    if (!issuer.signsUp) throw new SignInRefusedError();
    // An unverified claim keeps the address; its user must prove it, or lose it by another proof.
    const address = holder ? null : email;
    const data = { applicationId, email: address, verifiedEmail: address, fullName, createdAt: at, updatedAt: at };
    const user = await transaction.user.create({ data });
    await link(transaction, user, issuer, identity, at);
    return { user, isLinked: false };
  });
}

async function link(transaction: Transaction, user: User, issuer: TokenIssuer, identity: ProvenIdentity, at: Date) {
  const { applicationId, id: userId } = user;
  if (user.isGuest) {
    await transaction.user.update({
      where: { applicationId_id: { applicationId, id: userId } },
      data: { isGuest: false },
    });
  }
  const data = { applicationId, issuer: issuer.issuer, subject: identity.subject, userId, createdAt: at };
  return transaction.userIdentity.create({ data });
}

function heldBy({ issuer }: TokenIssuer, { subject }: ProvenIdentity): Prisma.Sql {
  return Prisma.sql`EXISTS (
    SELECT FROM user_identities i WHERE i.application_id = users.application_id AND i.user_id = users.id
      AND i.issuer = ${issuer} AND i.subject = ${subject})`;
}

function keyOf({ applicationId, issuer }: TokenIssuer, { subject }: ProvenIdentity) {
  return { applicationId_issuer_subject: { applicationId, issuer, subject } };
}

/** @throws {SignInRefusedError} the user was deleted */
async function lockedUser(transaction: Transaction, applicationId: number, id: number): Promise<User> {
  const user = await lockUser(transaction, { applicationId, id });
  if (!user) throw new SignInRefusedError();
  return user;
}
