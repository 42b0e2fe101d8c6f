import type { Context } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { Application } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { DisabledError, UnauthenticatedError } from '../../lib/errors.ts';
import { removeReleased } from '../files/staged.ts';
import { lockUser } from '../users/lock.ts';
import { requireAddress } from '../users/rules.ts';
import { retriedOnce } from '../users/taken.ts';
import { type CodeContext, type EmailCode, issue, markUsed, type RequestedCode, tryCode } from './mailed-codes.ts';
import { proveAddress } from './prove-address.ts';
import type { SignedIn } from './signed-in.ts';

/**
 * Neither the answer nor its time reveals whether the account exists.
 * @throws {InvalidFieldsError} no email address @throws {DisabledError} the application has no sign-in by mail
 */
export async function requestSignInCode(
  input: { applicationId: number; email: string; language?: string | null },
  context: CodeContext,
): Promise<RequestedCode> {
  const email = requireAddress(input.email);
  const { applicationId, language } = input;
  const { emailSignIn } = await requireSwitchedOn(applicationId);
  const user = await db.user.findUnique({ where: { applicationId_email: { applicationId, email } } });
  const isMailed = emailSignIn === 'signUp' || user !== null;
  return issue({ applicationId, purpose: 'signIn', email, userId: null, language }, user, isMailed, context);
}

/** Signs in, or up, the user of the address. @throws {UnauthenticatedError} wrong, used or expired code */
export async function signInByCode(input: EmailCode, applicationId: number, context: Context): Promise<SignedIn> {
  const { emailSignIn } = await requireSwitchedOn(applicationId);
  const found = await tryCode('signIn', input, context.now());
  if (found?.applicationId !== applicationId) throw new UnauthenticatedError('SIGN_IN_CODE_WRONG');
  const { user, revoked } = await retriedOnce(() =>
    transact(jobOwnerOf({ applicationId }), async (transaction) => {
      const at = context.now();
      if (!(await markUsed(transaction, found, at))) throw new UnauthenticatedError('SIGN_IN_CODE_WRONG');
      const known = await lockUser(transaction, { applicationId, email: found.email });
      if (known) return proveAddress(transaction, known, {}, at);
      if (emailSignIn !== 'signUp') throw new UnauthenticatedError('SIGN_IN_CODE_WRONG');
      const { email } = found;
      const data = { applicationId, email, verifiedEmail: email, createdAt: at, updatedAt: at };
      return { user: await transaction.user.create({ data }), revoked: [] };
    }),
  );
  context.outbox.wake();
  await removeReleased(revoked, context);
  return { user, isAsChecked: Prisma.sql`(email = ${found.email} AND verified_email = email)` };
}

async function requireSwitchedOn(id: number): Promise<Application> {
  const application = await db.application.findUnique({ where: { id, importId: null } });
  if (!application || application.emailSignIn === 'off') throw new DisabledError('EMAIL_SIGN_IN_OFF');
  return application;
}
