import { randomBytes, randomInt } from 'node:crypto';
import type { Context, UserContext } from '../../context.ts';
import { db, type Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { Application, CodePurpose, MailedCode, User } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { InvalidFieldsError, UnprocessableError } from '../../lib/errors.ts';
import { isSameSecret } from '../../lib/signature.ts';
import { DAY, MINUTE } from '../../lib/time.ts';
import { applicationOfToken, hashSecret, SESSION_TOKEN_BYTES, sessionToken } from '../../lib/tokens.ts';
import { takeOwnText } from '../mail/own-texts.ts';
import { renderMail } from '../mail/render.ts';
import { isProven } from '../users/identities.ts';
import { lockUser } from '../users/lock.ts';

export const CODE_LIFETIME_MS = 15 * MINUTE;
/** Longer than the windows in which mails to an address are counted. */
export const CODE_RETENTION_MS = DAY;

/** Guesses of one code, whose token only one client has. */
const MAX_ATTEMPTS = 5;

/** Mails to one address, which bound the guesses of its codes. A network alone cannot use up those of all. */
const MAX_MAILS = {
  perMinute: { network: 1, all: 5 },
  perDay: { network: 10, all: 50 },
};

/** The code is valid only with the token, so that it signs in only the client that requested it. */
export interface RequestedCode {
  token: string;
  expiresAt: Date;
}

export interface NewCode {
  applicationId: number;
  purpose: CodePurpose;
  email: string;
  userId: number | null;
  language: string | null | undefined;
}

export type CodeContext = Pick<
  Context,
  'now' | 'network' | 'mailer' | 'log' | 'observer' | 'rateLimits' | 'verifyPageUrl'
>;

/** @throws {UnprocessableError} no address, or it is verified */
export async function requestEmailVerification(
  language: string | null | undefined,
  context: UserContext,
): Promise<RequestedCode> {
  const { applicationId, userId } = context.viewer;
  const user = await db.user.findUniqueOrThrow({ where: { applicationId_id: { applicationId, id: userId } } });
  if (user.email === null) throw new UnprocessableError('EMAIL_MISSING');
  if (isProven('email', user)) throw new UnprocessableError('EMAIL_ALREADY_VERIFIED');
  return verificationOf(user, language, context);
}

/** Whether the application verifies new addresses. */
export async function isVerifyingEmails({ applicationId: id }: { applicationId: number }): Promise<boolean> {
  const select = { verifyEmails: true };
  return (await db.application.findUniqueOrThrow({ where: { id }, select })).verifyEmails;
}

export async function verifyNewAddress(user: User, context: CodeContext): Promise<void> {
  if (user.email !== null && !isProven('email', user)) await verificationOf(user, undefined, context);
}

function verificationOf(user: User, language: string | null | undefined, context: CodeContext): Promise<RequestedCode> {
  const { applicationId, id: userId, email } = user;
  return issue({ applicationId, purpose: 'verification', email: email!, userId, language }, user, true, context);
}

/** @param isWanted whether a mail is sent, unless the address has received too many */
export async function issue(
  input: NewCode,
  user: User | null,
  isWanted: boolean,
  context: CodeContext,
): Promise<RequestedCode> {
  const { applicationId, purpose, email, userId } = input;
  const token = sessionToken(applicationId, randomBytes(SESSION_TOKEN_BYTES));
  const linkToken = sessionToken(applicationId, randomBytes(SESSION_TOKEN_BYTES));
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const at = context.now();
  const row = {
    applicationId,
    tokenHash: hashSecret(token),
    linkHash: purpose === 'verification' ? hashSecret(linkToken) : null,
    codeHash: hashSecret(token + code),
    purpose,
    email,
    userId,
    network: context.network,
    createdAt: at,
  };
  const isMailed = await transact(jobOwnerOf({ applicationId }), async (transaction) => {
    // Counted in any case, so that the time does not reveal whether the account exists.
    const isAllowed = (await mayMail(transaction, row, at)) && isWanted;
    await transaction.mailedCode.create({ data: { ...row, isMailed: isAllowed } });
    return isAllowed;
  });
  if (isMailed)
    void mail(input, user, { code, linkToken }, context).catch((error: unknown) => reportFailure(error, context));
  return { token, expiresAt: new Date(at.getTime() + CODE_LIFETIME_MS) };
}

function reportFailure(error: unknown, { log, observer }: CodeContext): void {
  observer.resetMailFailed();
  log.warn({ err: error }, 'a requested code was not mailed; check the mail settings');
}

/** Serializes requests for one address, so that they do not exceed the limits together. */
async function mayMail(
  transaction: Transaction,
  row: Pick<MailedCode, 'applicationId' | 'email' | 'network'>,
  at: Date,
) {
  const { applicationId, email, network } = row;
  const name = `mailed code ${applicationId} ${email}`;
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
  const minute = new Date(at.getTime() - MINUTE);
  const [sent] = await transaction.$queryRaw<Record<'minute' | 'ofNetwork' | 'day' | 'dayOfNetwork', number>[]>`
    SELECT count(*) FILTER (WHERE created_at > ${minute})::int AS minute,
      count(*) FILTER (WHERE created_at > ${minute} AND network = ${network})::int AS "ofNetwork",
      count(*)::int AS day, count(*) FILTER (WHERE network = ${network})::int AS "dayOfNetwork"
    FROM mailed_codes
    WHERE application_id = ${applicationId} AND email = ${email} AND is_mailed
      AND created_at > ${new Date(at.getTime() - DAY)}`;
  const { perMinute, perDay } = MAX_MAILS;
  return (
    sent!.minute < perMinute.all &&
    sent!.ofNetwork < perMinute.network &&
    sent!.day < perDay.all &&
    sent!.dayOfNetwork < perDay.network
  );
}

async function mail(
  { applicationId, purpose, email, language }: NewCode,
  user: User | null,
  { code, linkToken }: { code: string; linkToken: string },
  context: CodeContext,
): Promise<void> {
  const application = await db.application.findUniqueOrThrow({ where: { id: applicationId } });
  const isKnown = user !== null && isProven('email', user);
  const values = {
    application: application.name,
    // Users must not write to others by their names.
    name: (isKnown && (user.fullName ?? user.login)) || '',
    login: (isKnown && user.login) || '',
    minutes: String(CODE_LIFETIME_MS / MINUTE),
    code,
    link: purpose === 'verification' ? verificationLink(linkToken, context) : signInLink(application, code),
  };
  const kind = purpose === 'verification' ? 'emailVerification' : 'signInCode';
  const mayBeOwn = async () => isKnown || (await takeOwnText(applicationId, context));
  await context.mailer.send({ to: email, ...(await renderMail(applicationId, kind, values, { mayBeOwn, language })) });
}

function verificationLink(token: string, { verifyPageUrl }: Pick<Context, 'verifyPageUrl'>): string {
  return `${verifyPageUrl()}?token=${token}`;
}

/** Empty without an address of the app, which combines the code with its token. */
function signInLink({ appUrl }: Application, code: string): string {
  if (appUrl === null) return '';
  const link = new URL(appUrl);
  link.searchParams.set('sign_in_code', code);
  return link.href;
}

/**
 * Verifies the address of a user by the token of a mailed link, or by the token of the request with its code.
 * @throws {InvalidFieldsError} wrong, used or expired, or the user has another address now
 */
export async function verifyEmail(token: string, code: string | null | undefined, context: Context): Promise<true> {
  const found =
    code == null
      ? await usableLink(token, context.now())
      : await tryCode('verification', { token, code }, context.now());
  if (!found) throw wrongCode();
  await transact(jobOwnerOf({ applicationId: found.applicationId }), async (transaction) => {
    const at = context.now();
    const user = await lockUser(transaction, { applicationId: found.applicationId, email: found.email });
    if (user?.id !== found.userId || !(await markUsed(transaction, found, at))) throw wrongCode();
    const { applicationId, email } = found;
    const where = { applicationId_id: { applicationId, id: user.id } };
    await transaction.user.update({ where, data: { verifiedEmail: email, isGuest: false, updatedAt: at } });
  });
  return true;
}

const wrongCode = () => new InvalidFieldsError({ code: ['CODE_INVALID'] });

async function usableLink(token: string, at: Date): Promise<MailedCode | undefined> {
  const applicationId = applicationOfToken(token);
  if (applicationId === undefined) return undefined;
  const where = { applicationId_linkHash: { applicationId, linkHash: hashSecret(token) } };
  const found = await db.mailedCode.findUnique({ where });
  return found && !found.usedAt && found.createdAt > oldest(at) ? found : undefined;
}

/** The address that a link would verify; undefined if it is unknown, used or expired. */
export async function findVerification(token: string, { now }: Pick<Context, 'now'>): Promise<string | null> {
  return (await usableLink(token, now()))?.email ?? null;
}

export interface EmailCode {
  token?: string | null | undefined;
  code?: string | null | undefined;
}

/** Counts the attempt before it compares, so that concurrent guesses count, too. */
export async function tryCode(
  purpose: CodePurpose,
  { token, code }: EmailCode,
  at: Date,
): Promise<MailedCode | undefined> {
  const applicationId = applicationOfToken(token ?? '');
  if (applicationId === undefined || !token || !code) return undefined;
  const where = {
    ...{ applicationId, purpose, tokenHash: hashSecret(token), isMailed: true, usedAt: null },
    ...{ attempts: { lt: MAX_ATTEMPTS }, createdAt: { gt: oldest(at) } },
  };
  const [row] = await db.mailedCode.updateManyAndReturn({ where, data: { attempts: { increment: 1 } } });
  return row && isSameSecret(hashSecret(token + code.trim()), row.codeHash) ? row : undefined;
}

export async function markUsed(transaction: Transaction, { applicationId, tokenHash }: MailedCode, at: Date) {
  const where = { applicationId, tokenHash, usedAt: null };
  return (await transaction.mailedCode.updateMany({ where, data: { usedAt: at } })).count === 1;
}

const oldest = (now: Date) => new Date(now.getTime() - CODE_LIFETIME_MS);
