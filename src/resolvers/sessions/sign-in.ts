import type { Context } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import { WrongPasswordError } from '../../lib/errors.ts';
import { hashOwner, isPassword } from '../users/passwords.ts';
import type { AttachingViewer } from './prove.ts';
import type { SignedIn } from './signed-in.ts';
import { type SocialSignIn, socialSignIn, socialUser } from './social.ts';

/** What somebody shows to be a user; nothing at all is nobody's. */
interface PasswordSignIn {
  login?: string | null;
  email?: string | null;
  password?: string | null;
}

export type SignIn = { social: SocialSignIn } | PasswordSignIn;

/** The sign-in among the signed parameters of a session; undefined when an application session is asked for. */
export function signedSignIn(parameters: ReadonlyMap<string, string>): SignIn | undefined {
  const social = socialSignIn(parameters);
  if (social) return { social };
  const login = parameters.get('user[login]');
  const email = parameters.get('user[email]');
  const password = parameters.get('user[password]');
  // Also by a list or an object, `user[login][]`, which is a wrong login and not a missing one.
  const isUserAsked = [...parameters.keys()].some((name) => /^user\[(?:login|email|password)\]/.test(name));
  return isUserAsked ? { login, email, password } : undefined;
}

/**
 * The user of the application who signs in.
 * @param attachTo the signed-in user who asks, if one does
 * @throws {SignInRefusedError} @throws {SignInTooOldError} a social or phone sign-in
 * @throws {WrongPasswordError} no such user, or another password
 */
export async function signIn(
  input: SignIn,
  applicationId: number,
  context: Context,
  attachTo?: AttachingViewer,
): Promise<SignedIn> {
  if ('social' in input) return socialUser(input.social, applicationId, context, attachTo);
  const user = await findForSignIn(applicationId, input);
  const owner = hashOwner(applicationId, context);
  if (!(await isPassword(input.password ?? '', user?.passwordHash, owner)) || !user) throw new WrongPasswordError();
  return { user, isAsChecked: Prisma.sql`password_hash = ${user.passwordHash}` };
}

async function findForSignIn(applicationId: number, { login, email }: PasswordSignIn): Promise<User | null> {
  const where: Prisma.UserWhereUniqueInput | undefined = login
    ? { applicationId_loginKey: { applicationId, loginKey: login.toLowerCase() } }
    : email
      ? { applicationId_email: { applicationId, email: email.toLowerCase() } }
      : undefined;
  return where ? db.user.findUnique({ where }) : null;
}
