import { randomBytes } from 'node:crypto';
import type { Context, IdentifiedContext } from '../../context.ts';
import { db, type Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { User } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
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

/** How long a link can be used. */
export const RESET_LIFETIME_MS = HOUR;

/** An address gets one mail within this time. */
const MAIL_INTERVAL_MS = MINUTE;

/**
 * Mails the user of that address a link by which they set a new password; the second mail within a minute is not sent,
 * and nobody is told.
 * @throws {InvalidFieldsError} `email` is none
 * @throws {PasswordResetOffError} the application does without
 * @throws {NotFoundError} nobody has that address
 */
export async function requestPasswordReset(email: string, { viewer, ...context }: IdentifiedContext): Promise<true> {
  const { applicationId } = viewer;
  const address = requireAddress(email);
  await requireSwitchedOn(applicationId);

  const token = sessionToken(applicationId, randomBytes(SESSION_TOKEN_BYTES));
  const key = { applicationId, tokenHash: hashSecret(token) };
  if (!(await storeLink(key, address, context.now()))) return true;
  try {
    await context.mailer.send(resetMail(address, linkOf(context.resetPageUrl(), token)));
  } catch (error) {
    // Nobody has to wait a minute for a mail that was never sent.
    await db.passwordReset.deleteMany({ where: key });
    throw error;
  }
  return true;
}

/**
 * Sets a new password by the token of a mailed link. A password that breaks the rules leaves the link as it is; the
 * first that keeps them uses it up, with every other link of the user, ends all their sessions and removes their
 * devices. It also proves the address: if nobody had proven it, whoever typed it may be somebody else,
 * so every other way in goes.
 * @throws {InvalidFieldsError} `token` is unknown, an hour old or used up; else `password`
 */
export async function resetPassword(token: string, password: string, context: Context): Promise<true> {
  const { now, outbox } = context;
  const applicationId = applicationOfToken(token);
  if (applicationId === undefined) throw deadLink();
  const key = { applicationId, tokenHash: hashSecret(token) };
  const link = await db.passwordReset.findUnique({ where: { applicationId_tokenHash: key } });
  // Looked at before the hash, which is dear: a guess must not cost it.
  if (!link || link.usedAt || link.createdAt <= oldestLink(now())) throw deadLink();
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
    // Whoever else has the account may have changed its address to read the mail, or to keep its owner from using it.
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

/**
 * What is cleared of a user whose address nobody had proven. Of a user whom nobody could sign in as, as a migration
 * stores them, no value was typed here: they stay, and open nothing until they are proven.
 */
function othersClaims(user: User): Partial<User> {
  if (user.passwordHash === null && !hasProvenIdentity(user)) return {};
  const claims = { phone: null, facebookId: null, twitterId: null };
  return { ...claims, ...asProven(claims) };
}

/** The rule for users, and at most 254 bytes, so that mail can be sent there. */
function requireAddress(email: string): string {
  const address = email.trimEnd().toLowerCase();
  if (isMailAddress(address) && emailProblems(address).length === 0) return address;
  throw new InvalidFieldsError({ email: ['should look like an email address.'] });
}

async function requireSwitchedOn(id: number): Promise<void> {
  const { passwordReset } = await db.application.findUniqueOrThrow({ where: { id }, select: { passwordReset: true } });
  if (!passwordReset) throw new PasswordResetOffError();
}

/** @returns false when the address has just been sent a link; of several requests at the same moment one gets true */
function storeLink(key: { applicationId: number; tokenHash: string }, email: string, at: Date): Promise<boolean> {
  const { applicationId } = key;
  return transact(jobOwnerOf(key), async (transaction) => {
    const [user] = await transaction.$queryRaw<{ id: number }[]>`
      SELECT id FROM users WHERE application_id = ${applicationId} AND email = ${email} FOR NO KEY UPDATE`;
    if (!user) throw new NotFoundError('No user has this email');
    const latest = await transaction.passwordReset.findFirst({
      where: { applicationId, email, createdAt: { gt: new Date(at.getTime() - MAIL_INTERVAL_MS) } },
      select: { tokenHash: true },
    });
    if (latest) return false;
    await transaction.passwordReset.create({ data: { ...key, userId: user.id, email, createdAt: at } });
    return true;
  });
}

/** One use of a link succeeds. The user's row is locked first, so that two of their links never wait for each other. */
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

/** Nothing in it is the user's own text: whoever signs up with another's address can't write to them by our mails. */
function resetMail(to: string, link: string) {
  const text = `Hello,

somebody, most likely you, asked to set a new password for the account
with this address. To do so, open this page within one hour:

${link}

The link works once. If it was not you, there is nothing to do: your
password stays as it is.
`;
  return { to, subject: 'Set a new password', text };
}
