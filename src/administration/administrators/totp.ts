import { randomInt } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Services } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import type { AdministratorViewer } from '../../lib/access.ts';
import {
  CodeRequiredError,
  InvalidFieldsError,
  RateLimitedError,
  WrongAdministratorCredentialsError,
} from '../../lib/errors.ts';
import { MINUTE } from '../../lib/time.ts';
import { hashSecret } from '../../lib/tokens.ts';
import { DecryptionError, type Encrypter } from '../../platform/encryption/encrypter.ts';
import { notify } from './notices.ts';
import { transactAs } from './rows.ts';

const ISSUER = 'Atrium';
const PERIOD_SECONDS = 30;
/** Steps before and after the current one, because clocks differ. */
const WINDOW = 1;

/** Per account, so that many networks do not help an attacker who knows the password. */
const MAX_ATTEMPTS = 10;
const ATTEMPTS_WINDOW_MS = 15 * MINUTE;

const RECOVERY_CODES = 10;
const RECOVERY_CODE_LENGTH = 12;
/** Without characters that look alike. */
const RECOVERY_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

export const additionalDataOfTotp = (id: number) => `totp ${id}`;

export interface TotpSecret {
  /** Base32. */
  secret: string;
  /** `otpauth://totp/…`, for a QR code. */
  uri: string;
}

/** Replaces an unconfirmed secret. It counts once `enableTotp` has received its first code. */
export async function createTotpSecret(
  viewer: AdministratorViewer,
  { encrypter }: Pick<Services, 'encrypter'>,
): Promise<TotpSecret> {
  const { id } = viewer.administrator;
  const secret = new Secret({ size: 20 });
  const encryptedTotp = encrypter.encrypt(secret.base32, additionalDataOfTotp(id));
  const email = await transactAs(viewer, async (transaction) => {
    const where = { id, hasTotp: false };
    const [row] = await transaction.administrator.updateManyAndReturn({ where, data: { encryptedTotp } });
    if (!row) throw new InvalidFieldsError({ totp: ['TOTP_ENABLED'] });
    return row.email;
  });
  return { secret: secret.base32, uri: totpOf(secret.base32, email).toString() };
}

/** @returns recovery codes, shown only once; each replaces one code of the app */
export async function enableTotp(
  viewer: AdministratorViewer,
  code: string,
  context: Pick<Services, 'now' | 'encrypter' | 'mailer' | 'log'>,
): Promise<string[]> {
  const { now, encrypter } = context;
  const { id } = viewer.administrator;
  const { email, encryptedTotp, hasTotp } = await db.administrator.findUniqueOrThrow({ where: { id } });
  if (encryptedTotp === null || hasTotp) throw new InvalidFieldsError({ totp: ['TOTP_NOT_PREPARED'] });
  const step = stepOf(encrypter.decrypt(encryptedTotp, additionalDataOfTotp(id)), code, now());
  if (step === undefined) throw new InvalidFieldsError({ code: ['CODE_WRONG'] });
  const codes = Array.from({ length: RECOVERY_CODES }, recoveryCode);
  await transactAs(viewer, async (transaction) => {
    const { count } = await transaction.administrator.updateMany({
      where: { id, encryptedTotp, hasTotp: false },
      data: { hasTotp: true, totpStep: step, recoveryHashes: codes.map(hashSecret), updatedAt: now() },
    });
    if (count === 0) throw new InvalidFieldsError({ totp: ['TOTP_CHANGED'] });
  });
  notify(email, 'totpEnabled', context);
  return codes;
}

export async function disableTotp(
  viewer: AdministratorViewer,
  context: Pick<Services, 'now' | 'mailer' | 'log'>,
): Promise<true> {
  const { id } = viewer.administrator;
  const { email } = await transactAs(viewer, (transaction) =>
    transaction.administrator.update({
      where: { id },
      data: { hasTotp: false, encryptedTotp: null, recoveryHashes: [], updatedAt: context.now() },
    }),
  );
  notify(email, 'totpDisabled', context);
  return true;
}

/**
 * Accepts each code only once. Does nothing for an account without TOTP. Call it only after a right password or link.
 * @throws {CodeRequiredError} {WrongAdministratorCredentialsError} {RateLimitedError} {InvalidFieldsError} the secret of
 * the app cannot be decrypted
 */
export async function requireCode(
  { id, hasTotp, encryptedTotp }: { id: number; hasTotp: boolean; encryptedTotp: string | null },
  code: string | null | undefined,
  { now, encrypter }: Pick<Services, 'now' | 'encrypter'>,
): Promise<void> {
  if (!hasTotp || encryptedTotp === null) return;
  const typed = code?.replaceAll(/[\s-]/g, '').toLowerCase();
  if (!typed) throw new CodeRequiredError();
  await countAttempt(id, now());
  // Recovery codes also work if the encryption key was lost.
  const isAccepted = isTotp(typed)
    ? await useStep(id, stepOf(decrypted(encryptedTotp, id, encrypter), typed, now()))
    : await useRecoveryCode(id, typed);
  if (!isAccepted) throw new WrongAdministratorCredentialsError();
  await db.administrator.updateMany({ where: { id }, data: { codeAttempts: 0 } });
}

/** @throws {InvalidFieldsError} */
function decrypted(encryptedTotp: string, id: number, encrypter: Encrypter): string {
  try {
    return encrypter.decrypt(encryptedTotp, additionalDataOfTotp(id));
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    throw new InvalidFieldsError({
      code: ['TOTP_UNREADABLE'],
    });
  }
}

/** @throws {RateLimitedError} */
async function countAttempt(id: number, at: Date): Promise<void> {
  const windowStart = new Date(at.getTime() - ATTEMPTS_WINDOW_MS);
  const isNew = Prisma.sql`code_attempts = 0 OR codes_since <= ${windowStart}`;
  const [counted] = await query<{ attempts: number; since: Date }>`
    UPDATE administrators SET code_attempts = CASE WHEN ${isNew} THEN 1 ELSE code_attempts + 1 END,
      codes_since = CASE WHEN ${isNew} THEN ${at} ELSE codes_since END
    WHERE id = ${id}
    RETURNING code_attempts AS attempts, codes_since AS since`;
  if (!counted || counted.attempts <= MAX_ATTEMPTS) return;
  throw new RateLimitedError(Math.ceil((counted.since.getTime() - windowStart.getTime()) / 1000));
}

async function useStep(id: number, step: bigint | undefined): Promise<boolean> {
  if (step === undefined) return false;
  const { count } = await db.administrator.updateMany({
    where: { id, totpStep: { lt: step } },
    data: { totpStep: step },
  });
  return count > 0;
}

async function useRecoveryCode(id: number, code: string): Promise<boolean> {
  const hash = hashSecret(code);
  const used = await db.$executeRaw`
    UPDATE administrators SET recovery_hashes = array_remove(recovery_hashes, ${hash})
    WHERE id = ${id} AND ${hash} = ANY(recovery_hashes)`;
  return used > 0;
}

const isTotp = (code: string) => /^\d{6}$/.test(code);

/** The time step of a valid code. */
function stepOf(secret: string, code: string, now: Date): bigint | undefined {
  const timestamp = now.getTime();
  const delta = isTotp(code) ? totpOf(secret).validate({ token: code, timestamp, window: WINDOW }) : null;
  return delta === null ? undefined : BigInt(Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta);
}

function totpOf(secret: string, label = ''): TOTP {
  return new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), period: PERIOD_SECONDS });
}

function recoveryCode(): string {
  const letters = Array.from(
    { length: RECOVERY_CODE_LENGTH },
    () => RECOVERY_ALPHABET[randomInt(RECOVERY_ALPHABET.length)]!,
  );
  return letters.join('');
}
