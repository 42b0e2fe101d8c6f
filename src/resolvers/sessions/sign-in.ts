import type { Services } from '../../context.ts';
import { db, Prisma, type Transaction } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import { WrongPasswordError } from '../../lib/errors.ts';
import { isPassword } from '../users/passwords.ts';
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
 * @param signedInAs the user whose session asks, if one does
 * @throws {SignInRefusedError} a social or phone sign-in
 * @throws {WrongPasswordError} no such user, or another password
 */
export async function signIn(
  asked: SignIn,
  applicationId: number,
  services: Services,
  signedInAs?: number,
): Promise<User> {
  if ('social' in asked) return socialUser(asked.social, applicationId, services, signedInAs);
  const user = await findForSignIn(applicationId, asked);
  if (!(await isPassword(asked.password ?? '', user?.passwordHash)) || !user) throw new WrongPasswordError();
  return user;
}

/**
 * Keeps who has signed in as they were checked until the transaction ends: whoever changes the password or deletes the
 * user waits, or has done so. Locked before the session, as they do.
 * @throws {WrongPasswordError} the user is gone, or has another password since
 */
export async function holdSignedIn(
  transaction: Transaction,
  asked: SignIn,
  { applicationId, id, passwordHash }: User,
): Promise<void> {
  const isAsChecked = 'social' in asked ? Prisma.sql`true` : Prisma.sql`password_hash = ${passwordHash}`;
  const held = await transaction.$executeRaw`
    SELECT FROM users WHERE application_id = ${applicationId} AND id = ${id} AND ${isAsChecked} FOR SHARE`;
  if (held === 0) throw new WrongPasswordError();
}

async function findForSignIn(applicationId: number, { login, email }: PasswordSignIn): Promise<User | null> {
  const where: Prisma.UserWhereUniqueInput | undefined = login
    ? { applicationId_loginKey: { applicationId, loginKey: login.toLowerCase() } }
    : email
      ? { applicationId_email: { applicationId, email: email.toLowerCase() } }
      : undefined;
  return where ? db.user.findUnique({ where }) : null;
}
