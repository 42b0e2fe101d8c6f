import type { Context } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import type { ChallengePurpose, SignInChallenge, User } from '../../generated/prisma/client.ts';
import { PasskeyRefusedError, UnauthenticatedError } from '../../lib/errors.ts';
import {
  type ChallengeAnswer,
  createChallenge,
  type FactorMethod,
  findChallenge,
  type OpenChallenge,
  SecondFactorRequiredError,
  useChallenge,
} from './challenges.ts';
import { isUserCode } from './codes.ts';
import { passkeyRequest, verifyUserPasskey } from './passkeys.ts';
import { relyingPartyOf } from './relying-party.ts';

/** Without a list of credentials, so that it reveals no account and needs no name. @throws {DisabledError} */
export async function requestPasskeySignIn(
  applicationId: number,
  context: Pick<Context, 'now'>,
): Promise<OpenChallenge> {
  await relyingPartyOf(applicationId);
  return openChallenge({ applicationId, purpose: 'passkey', userId: null }, ['PASSKEY'], context);
}

/** After the first right credential. @throws {SecondFactorRequiredError} */
export async function requireSecondFactor(
  { applicationId, id: userId, needsSecondFactor }: User,
  context: Pick<Context, 'now'>,
): Promise<void> {
  if (!needsSecondFactor) return;
  const purpose = 'secondFactor';
  throw new SecondFactorRequiredError(await userChallenge({ applicationId, purpose, userId }, context));
}

/** What the user can answer with. */
export async function userChallenge(
  of: { applicationId: number; purpose: ChallengePurpose; userId: number; sessionId?: number },
  context: Pick<Context, 'now'>,
): Promise<OpenChallenge> {
  const { applicationId, userId } = of;
  const factor = await db.userFactor.findUnique({ where: { applicationId_userId: { applicationId, userId } } });
  const methods: FactorMethod[] = [];
  if (factor?.hasTotp) methods.push('TOTP');
  if (factor && factor.recoveryHashes.length > 0) methods.push('RECOVERY_CODE');
  return openChallenge(of, methods, context);
}

async function openChallenge(
  of: Parameters<typeof createChallenge>[0],
  methods: FactorMethod[],
  context: Pick<Context, 'now'>,
): Promise<OpenChallenge> {
  const { token, challenge, expiresAt } = await createChallenge(of, context);
  const passkeyOptions = (await passkeyRequest(of.applicationId, of.userId, challenge)) ?? null;
  const isAdded = passkeyOptions !== null && !methods.includes('PASSKEY');
  return { token, expiresAt, methods: isAdded ? [...methods, 'PASSKEY'] : methods, passkeyOptions };
}

export interface Answered {
  user: User;
  /** True for the user's row while the answer remains valid. */
  isAsChecked: Prisma.Sql;
  isMultiFactor: true;
}

/**
 * Signs in with a passkey, or with a second factor after a first credential.
 * @throws {UnauthenticatedError} the challenge or the code is wrong, used or expired @throws {PasskeyRefusedError}
 */
export async function signInByAnswer(
  answer: ChallengeAnswer,
  applicationId: number,
  context: Context,
): Promise<Answered> {
  const found = await findChallenge(answer.token, { applicationId, purpose: ['passkey', 'secondFactor'] }, context);
  if (!found) throw answer.passkey ? new PasskeyRefusedError() : new UnauthenticatedError('SIGN_IN_CODE_WRONG');
  if (found.userId === null) return signInByPasskey(answer, found, context);
  const user = await findUser(applicationId, found.userId);
  await requireAnswer(answer, found, context);
  // A new password deletes the challenges for the previous one, so that this hash is the one that was checked.
  const isAsChecked = Prisma.sql`(password_hash IS NOT DISTINCT FROM ${user.passwordHash} AND needs_second_factor)`;
  return { user, isAsChecked, isMultiFactor: true };
}

async function signInByPasskey(
  { passkey }: ChallengeAnswer,
  found: SignInChallenge,
  context: Context,
): Promise<Answered> {
  if (!passkey) throw new UnauthenticatedError('SIGN_IN_CODE_WRONG');
  const { applicationId, userId, id } = await verifyUserPasskey(passkey, found, context);
  const isAsChecked = Prisma.sql`EXISTS (
    SELECT FROM user_passkeys p WHERE p.application_id = users.application_id AND p.user_id = users.id AND p.id = ${id})`;
  return { user: await findUser(applicationId, userId), isAsChecked, isMultiFactor: true };
}

/** Uses the challenge of a user. @throws {UnauthenticatedError} @throws {PasskeyRefusedError} */
export async function requireAnswer(
  { code, passkey }: ChallengeAnswer,
  found: SignInChallenge,
  context: Context,
): Promise<void> {
  if (passkey) {
    await verifyUserPasskey(passkey, found, context);
    return;
  }
  const { applicationId, userId } = found;
  const isRight = await isUserCode({ applicationId, userId: userId! }, code, context);
  if (!isRight || !(await useChallenge(found))) throw new UnauthenticatedError('SIGN_IN_CODE_WRONG');
}

async function findUser(applicationId: number, id: number): Promise<User> {
  const user = await db.user.findUnique({ where: { applicationId_id: { applicationId, id } } });
  if (!user) throw new UnauthenticatedError('SIGN_IN_CODE_WRONG');
  return user;
}
