import { randomBytes } from 'node:crypto';
import type { Context, IdentifiedContext } from '../../context.ts';
import { db, type Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { PasswordReset } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import type { Actor } from '../../lib/actor.ts';
import { isAppUrl } from '../../lib/app-url.ts';
import {
  InvalidFieldsError,
  NotFoundError,
  PasswordResetOffError,
  requireNone,
  ServiceError,
} from '../../lib/errors.ts';
import { HOUR, MINUTE } from '../../lib/time.ts';
import { applicationOfToken, hashSecret, SESSION_TOKEN_BYTES, sessionToken } from '../../lib/tokens.ts';
import { removeReleased } from '../files/staged.ts';
import { takeOwnText } from '../mail/own-texts.ts';
import { renderMail } from '../mail/render.ts';
import { newPasswordProblems } from '../users/password-rules.ts';
import { hashOwner, hashPassword } from '../users/passwords.ts';
import { type UserKey, voidPasswordResets } from '../users/revoke.ts';
import { requireAddress } from '../users/rules.ts';
import { proveAddress } from './prove-address.ts';

export const RESET_LIFETIME_MS = HOUR;

const MAIL_INTERVAL_MS = MINUTE;

/** Sends at most one mail per minute, silently. @throws {InvalidFieldsError} {PasswordResetOffError} {NotFoundError} */
export async function requestPasswordReset(email: string, context: IdentifiedContext): Promise<true> {
  await sendLink(requireAddress(email), context.viewer, context);
  return true;
}

/** @throws {PasswordResetOffError} {NotFoundError} */
async function sendLink(
  address: string,
  { applicationId, actor }: { applicationId: number; actor?: Actor | undefined },
  context: Pick<Context, 'now' | 'resetPageUrl' | 'mailer' | 'observer' | 'rateLimits'>,
): Promise<void> {
  const application = await requireSwitchedOn(applicationId);

  const token = sessionToken(applicationId, randomBytes(SESSION_TOKEN_BYTES));
  const key = { applicationId, tokenHash: hashSecret(token) };
  const user = await storeLink({ ...key, actor }, address, context.now());
  if (!user) return;
  try {
    const link = linkOf(context.resetPageUrl(), token);
    const minutes = String(RESET_LIFETIME_MS / MINUTE);
    const values = { application, name: user.name ?? '', login: user.login ?? '', link, minutes };
    const mayBeOwn = async () => user.isProven || (await takeOwnText(applicationId, context));
    const mail = await renderMail(applicationId, 'passwordReset', values, { mayBeOwn });
    await context.mailer.send({ to: address, ...mail });
  } catch (error) {
    // A mail that was not sent must not delay the next request.
    await db.passwordReset.deleteMany({ where: key });
    context.observer.resetMailFailed();
    throw error;
  }
}

/**
 * For people without a session. Neither the answer nor its time reveals whether the application or the account exists.
 * @throws {InvalidFieldsError} no email address
 */
export function requestResetLink(applicationId: number, email: string, context: Context): true {
  const address = requireAddress(email);
  sendLink(address, { applicationId }, context).catch((error: unknown) => {
    if (error instanceof ServiceError) return;
    context.log.warn({ err: error, application: applicationId }, 'a requested link to reset a password was not mailed');
  });
  return true;
}

export interface ValidReset {
  login: string | null;
  applicationName: string;
  /** Address of the app. */
  appUrl: string | null;
}

/** @returns null if the link is unknown, older than an hour, or used */
export async function findPasswordReset(token: string, { now }: Pick<Context, 'now'>): Promise<ValidReset | null> {
  const link = await usableLink(token, now());
  if (!link) return null;
  const { applicationId, userId: id, email } = link;
  const where = { applicationId_id: { applicationId, id } };
  const select = { login: true, email: true, application: { select: { name: true, appUrl: true } } };
  const user = await db.user.findUnique({ where, select });
  if (user?.email !== email) return null;
  const { name, appUrl } = user.application;
  return { login: user.login, applicationName: name, appUrl: appUrl !== null && isAppUrl(appUrl) ? appUrl : null };
}

/** Proves the address, too. */
export async function resetPassword(token: string, password: string, context: Context): Promise<true> {
  const { now, outbox } = context;
  // Checked before the expensive hash, so that guesses are cheap for the server.
  const link = await usableLink(token, now());
  if (!link) throw deadLink();
  const { applicationId, tokenHash } = link;
  const key = { applicationId, tokenHash };
  const ofUser = await db.user.findUnique({ where: { applicationId_id: { applicationId, id: link.userId } } });
  requireNone(await newPasswordProblems(applicationId, password, ofUser ?? {}));

  const passwordHash = await hashPassword(password, hashOwner(applicationId, context));
  const at = now();
  const { userId } = link;
  const revoked = await transact(jobOwnerOf(key), async (transaction) => {
    await useLink(transaction, key, link, at);
    const where = { applicationId_id: { applicationId, id: userId } };
    const before = await transaction.user.findUniqueOrThrow({ where });
    // Another person with access to the account may have changed its address since the link was sent.
    if (before.email !== link.email) throw deadLink();
    return (await proveAddress(transaction, before, { passwordHash }, at)).revoked;
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

async function requireSwitchedOn(id: number): Promise<string> {
  const select = { name: true, passwordReset: true };
  const application = await db.application.findUnique({ where: { id, importId: null }, select });
  if (!application) throw new NotFoundError();
  const { name, passwordReset } = application;
  if (!passwordReset) throw new PasswordResetOffError();
  return name;
}

interface Recipient {
  login: string | null;
  name: string | null;
  isProven: boolean;
}

/**
 * @returns undefined if the address was sent a link within the last minute; login and name only of a proven address, so
 *    that users cannot use these mails to write to others
 */
function storeLink(
  { actor, ...key }: { applicationId: number; tokenHash: string; actor: Actor | undefined },
  email: string,
  at: Date,
): Promise<Recipient | undefined> {
  const { applicationId } = key;
  return transact(jobOwnerOf({ applicationId, actor }), async (transaction) => {
    const [user] = await transaction.$queryRaw<({ id: number } & Recipient)[]>`
      SELECT id, verified_email IS NOT DISTINCT FROM email AS "isProven",
        CASE WHEN verified_email = email THEN login END AS login,
        CASE WHEN verified_email = email THEN coalesce(full_name, login) END AS name FROM users
      WHERE application_id = ${applicationId} AND email = ${email} FOR NO KEY UPDATE`;
    if (!user) throw new NotFoundError('EMAIL_UNKNOWN');
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

const deadLink = () => new InvalidFieldsError({ token: ['LINK_INVALID'] });

function linkOf(page: string, token: string): string {
  const url = new URL(page);
  url.searchParams.set('reset_token', token);
  return url.href;
}
