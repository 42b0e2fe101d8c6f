import { randomBytes } from 'node:crypto';
import type { Context, IdentifiedContext } from '../../context.ts';
import { db, type Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { PasswordReset, User } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import type { Actor } from '../../lib/actor.ts';
import { InvalidFieldsError, NotFoundError, PasswordResetOffError } from '../../lib/errors.ts';
import { isMailAddress } from '../../lib/mail-address.ts';
import { HOUR, MINUTE } from '../../lib/time.ts';
import { applicationOfToken, hashSecret, SESSION_TOKEN_BYTES, sessionToken } from '../../lib/tokens.ts';
import { revokeUploads } from '../content/revoke.ts';
import { removeReleased } from '../files/staged.ts';
import { asProven, hasProvenIdentity, isProven } from '../users/identities.ts';
import { hashOwner, hashPassword } from '../users/passwords.ts';
import { endSessionsOf, removeDevices, type UserKey, voidPasswordResets } from '../users/revoke.ts';
import { emailProblems, passwordProblems } from '../users/rules.ts';

export const RESET_LIFETIME_MS = HOUR;

const MAIL_INTERVAL_MS = MINUTE;

/** Sends at most one mail per minute, silently. @throws {InvalidFieldsError} {PasswordResetOffError} {NotFoundError} */
export async function requestPasswordReset(email: string, { viewer, ...context }: IdentifiedContext): Promise<true> {
  const { applicationId } = viewer;
  const address = requireAddress(email);
  const applicationName = await requireSwitchedOn(applicationId);

  const token = sessionToken(applicationId, randomBytes(SESSION_TOKEN_BYTES));
  const key = { applicationId, tokenHash: hashSecret(token) };
  const user = await storeLink({ ...key, actor: viewer.actor }, address, context.now());
  if (!user) return true;
  try {
    const link = linkOf(context.resetPageUrl(), token);
    await context.mailer.send(resetMail(address, { link, applicationName, login: user.login }));
  } catch (error) {
    // A mail that was not sent must not delay the next request.
    await db.passwordReset.deleteMany({ where: key });
    throw error;
  }
  return true;
}

export interface ValidReset {
  login: string | null;
  applicationName: string;
}

/** @returns null if the link is unknown, older than an hour, or used */
export async function findPasswordReset(token: string, { now }: Pick<Context, 'now'>): Promise<ValidReset | null> {
  const link = await usableLink(token, now());
  if (!link) return null;
  const { applicationId, userId: id, email } = link;
  const where = { applicationId_id: { applicationId, id } };
  const select = { login: true, email: true, application: { select: { name: true } } };
  const user = await db.user.findUnique({ where, select });
  return user?.email === email ? { login: user.login, applicationName: user.application.name } : null;
}

/** If the address was unproven, another person may have entered it, so all other credentials are removed. */
export async function resetPassword(token: string, password: string, context: Context): Promise<true> {
  const { now, outbox } = context;
  // Checked before the expensive hash, so that guesses are cheap for the server.
  const link = await usableLink(token, now());
  if (!link) throw deadLink();
  const { applicationId, tokenHash } = link;
  const key = { applicationId, tokenHash };
  const problems = passwordProblems(password);
  if (problems.length > 0) throw new InvalidFieldsError({ password: problems });

  const passwordHash = await hashPassword(password, hashOwner(applicationId, context));
  const at = now();
  const { userId } = link;
  const user = { applicationId, userId };
  const revoked = await transact(jobOwnerOf(key), async (transaction) => {
    await useLink(transaction, key, link, at);
    const where = { applicationId_id: { applicationId, id: userId } };
    const before = await transaction.user.findUniqueOrThrow({ where });
    // Another person with access to the account may have changed its address since the link was sent.
    if (before.email !== link.email) throw deadLink();
    const isFirstProof = !isProven('email', before);
    await transaction.user.update({
      where,
      data: { ...(isFirstProof && othersClaims(before)), passwordHash, verifiedEmail: before.email, updatedAt: at },
    });
    await endSessionsOf(transaction, user, at);
    await removeDevices(transaction, user);
    return isFirstProof ? revokeUploads(transaction, user, at) : [];
  });
  outbox.wake();
  await removeReleased(revoked, context);
  return true;
}

async function usableLink(token: string, at: Date): Promise<PasswordReset | undefined> {
  const applicationId = applicationOfToken(token);
  if (applicationId === undefined) return undefined;
  const key = { applicationId, tokenHash: hashSecret(token) };
  const link = await db.passwordReset.findUnique({ where: { applicationId_tokenHash: key } });
  return link && !link.usedAt && link.createdAt > oldestLink(at) ? link : undefined;
}

// A migrated user without any sign-in keeps all credentials, because they were not entered here; unproven values grant
// no access.
function othersClaims(user: User): Partial<User> {
  if (user.passwordHash === null && !hasProvenIdentity(user)) return {};
  const claims = { phone: null, facebookId: null, twitterId: null };
  return { ...claims, ...asProven(claims) };
}

/** User rules plus the length limit of SMTP, 254 bytes. */
function requireAddress(email: string): string {
  const address = email.trimEnd().toLowerCase();
  if (isMailAddress(address) && emailProblems(address).length === 0) return address;
  throw new InvalidFieldsError({ email: ['should look like an email address.'] });
}

async function requireSwitchedOn(id: number): Promise<string> {
  const select = { name: true, passwordReset: true };
  const { name, passwordReset } = await db.application.findUniqueOrThrow({ where: { id }, select });
  if (!passwordReset) throw new PasswordResetOffError();
  return name;
}

/** @returns undefined if the address was sent a link within the last minute; the login only of a proven address */
function storeLink(
  { actor, ...key }: { applicationId: number; tokenHash: string; actor: Actor | undefined },
  email: string,
  at: Date,
): Promise<{ login: string | null } | undefined> {
  const { applicationId } = key;
  return transact(jobOwnerOf({ applicationId, actor }), async (transaction) => {
    const [user] = await transaction.$queryRaw<{ id: number; login: string | null }[]>`
      SELECT id, CASE WHEN verified_email = email THEN login END AS login FROM users
      WHERE application_id = ${applicationId} AND email = ${email} FOR NO KEY UPDATE`;
    if (!user) throw new NotFoundError('No user has this email');
    const latest = await transaction.passwordReset.findFirst({
      where: { applicationId, email, createdAt: { gt: new Date(at.getTime() - MAIL_INTERVAL_MS) } },
      select: { tokenHash: true },
    });
    if (latest) return undefined;
    await transaction.passwordReset.create({ data: { ...key, userId: user.id, email, createdAt: at } });
    return user;
  });
}

/** Locks the user before the link, so that two links of a user cannot deadlock. */
async function useLink(
  transaction: Transaction,
  { applicationId, tokenHash }: { applicationId: number; tokenHash: string },
  { userId }: UserKey,
  at: Date,
): Promise<void> {
  await transaction.$queryRaw`
    SELECT id FROM users WHERE application_id = ${applicationId} AND id = ${userId} FOR NO KEY UPDATE`;
  const used = await transaction.$queryRaw<unknown[]>`
    UPDATE password_resets SET used_at = ${at}
    WHERE application_id = ${applicationId} AND token_hash = ${tokenHash}
      AND used_at IS NULL AND created_at > ${oldestLink(at)}
    RETURNING user_id`;
  if (used.length === 0) throw deadLink();
  await voidPasswordResets(transaction, { applicationId, userId }, at);
}

const oldestLink = (now: Date) => new Date(now.getTime() - RESET_LIFETIME_MS);

const deadLink = () => new InvalidFieldsError({ token: ['is invalid, has expired or was used already'] });

function linkOf(page: string, token: string): string {
  const url = new URL(page);
  url.searchParams.set('reset_token', token);
  return url.href;
}

/** Contains no user text unless the address is proven, so that users cannot use these mails to write to others. */
function resetMail(to: string, { link, applicationName, login }: { link: string } & ValidReset) {
  const application = applicationName.replaceAll(/\s+/g, ' ');
  const account = login === null ? 'the account' : `the account ${login}`;
  const text = `Hello,

someone, most likely you, requested a new password for
${account} of ${application}.
To set it, open this page within one hour:

${link}

The link works once. If you did not request it, ignore this mail: your
password is unchanged.
`;
  return { to, subject: 'Set a new password', text };
}
