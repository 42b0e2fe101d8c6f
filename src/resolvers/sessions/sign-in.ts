import type { Context } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import { readInteger } from '../../lib/casts.ts';
import { WrongPasswordError } from '../../lib/errors.ts';
import type { FairnessPath } from '../../lib/semaphore.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import type { ChallengeAnswer } from '../second-factors/challenges.ts';
import { requireSecondFactor, signInByAnswer } from '../second-factors/sign-in.ts';
import { hashOwner, hashPassword, isCurrentHash, isPassword } from '../users/passwords.ts';
import { signInByCode } from './email-sign-in.ts';
import type { EmailCode } from './mailed-codes.ts';
import { countGuess, requireGuess } from './password-guesses.ts';
import type { AttachingViewer } from './prove.ts';
import type { SignedIn } from './signed-in.ts';
import { type SocialSignIn, socialSignIn, socialUser } from './social.ts';
import { type ExternalProof, signInByToken } from './token-sign-in.ts';

interface PasswordSignIn {
  userId?: number | null | undefined;
  login?: string | null;
  email?: string | null;
  password?: string | null;
}

export type SignIn =
  | { answer: ChallengeAnswer }
  | { social: SocialSignIn }
  | { emailCode: EmailCode }
  | { proof: ExternalProof }
  | PasswordSignIn;

export function signedSignIn(parameters: ReadonlyMap<string, string>): SignIn | undefined {
  const social = socialSignIn(parameters);
  if (social) return { social };
  const [token, code] = [parameters.get('email_code[token]'), parameters.get('email_code[code]')];
  if (token !== undefined || code !== undefined) return { emailCode: { token, code } };
  const idToken = parameters.get('id_token[token]');
  if (idToken !== undefined) return { proof: { token: idToken, nonce: parameters.get('id_token[nonce]') } };
  const providerCode = parameters.get('provider_code[code]');
  if (providerCode !== undefined) {
    return { proof: { providerCode: { code: providerCode, verifier: parameters.get('provider_code[verifier]') } } };
  }
  const answer = signedAnswer(parameters);
  if (answer) return { answer };
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
 * @throws {UnauthenticatedError} wrong code @throws {SecondFactorRequiredError} the credentials are right, but not enough
 */
export async function signIn(
  input: SignIn,
  applicationId: number,
  context: Context,
  attachTo?: AttachingViewer,
): Promise<SignedIn> {
  if ('answer' in input) return signInByAnswer(input.answer, applicationId, context);
  const signedIn = await byFirstFactor(input, applicationId, context, attachTo);
  await requireSecondFactor(signedIn.user, context);
  return signedIn;
}

async function byFirstFactor(
  input: Exclude<SignIn, { answer: ChallengeAnswer }>,
  applicationId: number,
  context: Context,
  attachTo: AttachingViewer | undefined,
): Promise<SignedIn> {
  if ('proof' in input) return signInByToken(input.proof, applicationId, context, attachTo);
  if ('emailCode' in input) return signInByCode(input.emailCode, applicationId, context);
  if ('social' in input) return socialUser(input.social, applicationId, context, attachTo);
  const user = await findForSignIn(applicationId, input);
  const account = { applicationId, name: input.login || input.email || String(input.userId ?? '') };
  await requireGuess(account, user, context);
  const owner = hashOwner(applicationId, context);
  const password = input.password ?? '';
  if (!(await isPassword(password, user?.passwordHash, owner)) || !user) {
    await countGuess(account, user, context);
    throw new WrongPasswordError();
  }
  const passwordHash = await renewedHash(user, password, owner);
  return { user: { ...user, passwordHash }, isAsChecked: Prisma.sql`password_hash = ${passwordHash}` };
}

/** An imported hash, or one with an earlier cost, is replaced once the password is known. @returns the stored one */
async function renewedHash(user: User, password: string, owner: FairnessPath): Promise<string | null> {
  const { applicationId, id, passwordHash } = user;
  if (passwordHash === null || isCurrentHash(passwordHash)) return passwordHash;
  const renewed = await hashPassword(password, owner);
  // A new password may have been set in between.
  const { count } = await db.user.updateMany({
    where: { applicationId, id, passwordHash },
    data: { passwordHash: renewed },
  });
  return count > 0 ? renewed : passwordHash;
}

function signedAnswer(parameters: ReadonlyMap<string, string>): ChallengeAnswer | undefined {
  const token = parameters.get('answer[token]');
  if (token === undefined) return undefined;
  const part = (name: string) => parameters.get(`answer[passkey][${name}]`);
  const id = part('id');
  const passkey =
    id === undefined
      ? null
      : {
          id,
          clientDataJSON: part('client_data_json') ?? '',
          authenticatorData: part('authenticator_data') ?? '',
          signature: part('signature') ?? '',
          userHandle: part('user_handle') ?? null,
        };
  return { token, code: parameters.get('answer[code]'), passkey };
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
