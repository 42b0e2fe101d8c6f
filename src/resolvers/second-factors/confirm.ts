import type { UserTokenContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { BadInputError, SessionMissingError, UnauthenticatedError, WrongPasswordError } from '../../lib/errors.ts';
import { freshUntil } from '../users/credentials.ts';
import { lockUser, requireSession } from '../users/lock.ts';
import { hashOwner, isPassword } from '../users/passwords.ts';
import { type ChallengeAnswer, findChallenge, type OpenChallenge, SecondFactorRequiredError } from './challenges.ts';
import { markMultiFactor } from './own.ts';
import { requireAnswer, userChallenge } from './sign-in.ts';

export interface UserConfirmation {
  password?: string | null | undefined;
  answer?: ChallengeAnswer | null | undefined;
}

export function requestConfirmation(context: UserTokenContext): Promise<OpenChallenge> {
  const { applicationId, userId, session } = context.viewer;
  return userChallenge({ applicationId, userId, purpose: 'confirmation', sessionId: session.id }, context);
}

/**
 * Proves again who the user is: by the second factor if it is on, else by the password or a passkey.
 * @returns until when the session may change how the user signs in
 * @throws {SecondFactorRequiredError} the password does not suffice @throws {WrongPasswordError}
 */
export async function confirmUser({ password, answer }: UserConfirmation, context: UserTokenContext): Promise<Date> {
  const { viewer, now } = context;
  const { applicationId, userId, session } = viewer;
  if ((password == null) === (answer == null)) throw new BadInputError('PASSWORD_OR_ANSWER');
  const user = await db.user.findUnique({ where: { applicationId_id: { applicationId, id: userId } } });
  if (!user) throw new SessionMissingError();
  if (answer) {
    const of = { applicationId, purpose: ['confirmation' as const], userId, sessionId: session.id };
    const found = await findChallenge(answer.token, of, context);
    if (!found) throw new UnauthenticatedError('SIGN_IN_CODE_WRONG');
    await requireAnswer(answer, found, context);
  } else {
    await requirePassword(password!, user.passwordHash, context);
    if (user.needsSecondFactor) throw new SecondFactorRequiredError(await requestConfirmation(context));
  }
  const confirmedAt = now();
  await transact(jobOwnerOf(viewer), async (transaction) => {
    const locked = await lockUser(transaction, { applicationId, id: userId });
    await requireSession(transaction, viewer);
    const isUnchanged =
      locked?.passwordHash === user.passwordHash && locked.needsSecondFactor === user.needsSecondFactor;
    if (!isUnchanged) throw new WrongPasswordError();
    if (answer) await markMultiFactor(transaction, context, confirmedAt);
    else await transaction.session.updateMany({ where: { applicationId, id: session.id }, data: { confirmedAt } });
  });
  return freshUntil({ confirmedAt });
}

async function requirePassword(password: string, passwordHash: string | null, context: UserTokenContext) {
  await context.meter?.count('oldPassword');
  const isRight = await isPassword(password, passwordHash, hashOwner(context.viewer.applicationId, context));
  if (!isRight) throw new WrongPasswordError();
}
