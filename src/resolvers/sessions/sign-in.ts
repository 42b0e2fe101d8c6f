import type { Context } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import { readInteger } from '../../lib/casts.ts';
import { WrongPasswordError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { hashOwner, isPassword } from '../users/passwords.ts';
import { signInByCode } from './email-sign-in.ts';
import type { EmailCode } from './mailed-codes.ts';
import type { AttachingViewer } from './prove.ts';
import type { SignedIn } from './signed-in.ts';
import { type SocialSignIn, socialSignIn, socialUser } from './social.ts';
import { type IdToken, signInByToken } from './token-sign-in.ts';

interface PasswordSignIn {
  userId?: number | null | undefined;
  login?: string | null;
  email?: string | null;
  password?: string | null;
}

export type SignIn = { social: SocialSignIn } | { emailCode: EmailCode } | { idToken: IdToken } | PasswordSignIn;

export function signedSignIn(parameters: ReadonlyMap<string, string>): SignIn | undefined {
  const social = socialSignIn(parameters);
  if (social) return { social };
  const [token, code] = [parameters.get('email_code[token]'), parameters.get('email_code[code]')];
  if (token !== undefined || code !== undefined) return { emailCode: { token, code } };
  const idToken = parameters.get('id_token[token]');
  if (idToken !== undefined) return { idToken: { token: idToken, nonce: parameters.get('id_token[nonce]') } };
  const id = parameters.get('user[id]');
  const login = parameters.get('user[login]');
  const email = parameters.get('user[email]');
  const password = parameters.get('user[password]');
  // Also matches `user[login][]`, which is an invalid login rather than a missing one.
  const isUserAsked = [...parameters.keys()].some((name) => /^user\[(?:id|login|email|password)\]/.test(name));
  return isUserAsked ? { userId: readInteger(id), login, email, password } : undefined;
}

/**
 * @throws {SignInRefusedError} {SignInTooOldError} social or phone @throws {WrongPasswordError} or unknown user
 * @throws {UnauthenticatedError} wrong code
 */
export async function signIn(
  input: SignIn,
  applicationId: number,
  context: Context,
  attachTo?: AttachingViewer,
): Promise<SignedIn> {
  if ('idToken' in input) return signInByToken(input.idToken, applicationId, context, attachTo);
  if ('emailCode' in input) return signInByCode(input.emailCode, applicationId, context);
  if ('social' in input) return socialUser(input.social, applicationId, context, attachTo);
  const user = await findForSignIn(applicationId, input);
  const owner = hashOwner(applicationId, context);
  if (!(await isPassword(input.password ?? '', user?.passwordHash, owner)) || !user) throw new WrongPasswordError();
  return { user, isAsChecked: Prisma.sql`password_hash = ${user.passwordHash}` };
}

async function findForSignIn(applicationId: number, { userId, login, email }: PasswordSignIn): Promise<User | null> {
  const where: Prisma.UserWhereUniqueInput | undefined = login
    ? { applicationId_loginKey: { applicationId, loginKey: login.toLowerCase() } }
    : email
      ? { applicationId_email: { applicationId, email: email.toLowerCase() } }
      : userId != null && isDatabaseId(userId)
        ? { applicationId_id: { applicationId, id: userId } }
        : undefined;
  return where ? db.user.findUnique({ where }) : null;
}
