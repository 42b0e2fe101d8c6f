import { randomInt } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { CodeRequiredError, InvalidFieldsError, RateLimitedError } from '../../lib/errors.ts';
import { MINUTE } from '../../lib/time.ts';
import { hashSecret } from '../../lib/tokens.ts';
import { DecryptionError, type Encrypter } from '../encryption/encrypter.ts';

const PERIOD_SECONDS = 30;
/** Steps before and after the current one, because clocks differ. */
const WINDOW = 1;

/** Per account, so that many networks do not help an attacker who knows the password. */
const MAX_ATTEMPTS = 10;
const ATTEMPTS_WINDOW_MS = 15 * MINUTE;

export const RECOVERY_CODES = 10;
const RECOVERY_CODE_LENGTH = 12;
/** Without characters that look alike. */
const RECOVERY_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

export interface TotpSecret {
  /** Base32. */
  secret: string;
  /** `otpauth://totp/…`, for a QR code. */
  uri: string;
}

/** Of an account: an administrator, or a user of an application. */
export interface CodeStore {
  /** Null: only recovery codes. */
  encryptedTotp: string | null;
  /** Binds the encrypted secret to its account. */
  additionalData: string;
  /** @param windowStart attempts up to then no longer count @returns those in the window, with this one */
  countAttempt: (at: Date, windowStart: Date) => Promise<{ attempts: number; since: Date } | undefined>;
  resetAttempts: () => Promise<unknown>;
  /** @returns whether the step is later than each one that was used */
  useStep: (step: bigint) => Promise<boolean>;
  /** @returns whether it was an unused one */
  useRecoveryCode: (hash: string) => Promise<boolean>;
}

export function newTotpSecret(issuer: string, label: string): TotpSecret {
  const secret = new Secret({ size: 20 }).base32;
  return { secret, uri: totpOf(secret, issuer, label).toString() };
}

export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    Array.from({ length: RECOVERY_CODE_LENGTH }, () => RECOVERY_ALPHABET[randomInt(RECOVERY_ALPHABET.length)]!).join(
      '',
    ),
  );
}

/**
 * Accepts each code of the app and each recovery code only once. Call it only after a right password or link.
 * @returns whether the code is right
 * @throws {CodeRequiredError} {RateLimitedError} {InvalidFieldsError} the secret of the app cannot be decrypted
 */
export async function useCode(
  store: CodeStore,
  code: string | null | undefined,
  now: Date,
  encrypter: Encrypter,
): Promise<boolean> {
  const typed = code?.replaceAll(/[\s-]/g, '').toLowerCase();
  if (!typed) throw new CodeRequiredError();
  await countAttempt(store, now);
  // Recovery codes also work if the encryption key was lost.
  const step =
    isTotp(typed) && store.encryptedTotp !== null ? stepOf(decrypted(store, encrypter), typed, now) : undefined;
  const isRight = isTotp(typed)
    ? step !== undefined && (await store.useStep(step))
    : await store.useRecoveryCode(hashSecret(typed));
  if (isRight) await store.resetAttempts();
  return isRight;
}

/** @throws {RateLimitedError} */
async function countAttempt(store: CodeStore, at: Date): Promise<void> {
  const windowStart = new Date(at.getTime() - ATTEMPTS_WINDOW_MS);
  const counted = await store.countAttempt(at, windowStart);
  if (!counted || counted.attempts <= MAX_ATTEMPTS) return;
  throw new RateLimitedError(Math.ceil((counted.since.getTime() - windowStart.getTime()) / 1000));
}

/** @throws {InvalidFieldsError} */
function decrypted({ encryptedTotp, additionalData }: CodeStore, encrypter: Encrypter): string {
  try {
    return encrypter.decrypt(encryptedTotp!, additionalData);
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    throw new InvalidFieldsError({ code: ['TOTP_UNREADABLE'] });
  }
}

/** The time step of a valid code. */
export function stepOf(secret: string, code: string, now: Date): bigint | undefined {
  const timestamp = now.getTime();
  const delta = isTotp(code) ? totpOf(secret).validate({ token: code, timestamp, window: WINDOW }) : null;
  return delta === null ? undefined : BigInt(Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta);
}

const isTotp = (code: string) => /^\d{6}$/.test(code);

function totpOf(secret: string, issuer = '', label = ''): TOTP {
  return new TOTP({ issuer, label, secret: Secret.fromBase32(secret), period: PERIOD_SECONDS });
}
