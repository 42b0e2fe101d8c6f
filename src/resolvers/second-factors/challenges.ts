import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import { db } from '../../db/client.ts';
import type { ChallengePurpose, SignInChallenge } from '../../generated/prisma/client.ts';
import { CodeRequiredError } from '../../lib/errors.ts';
import { applicationOfToken, hashSecret, SESSION_TOKEN_BYTES, sessionToken } from '../../lib/tokens.ts';
import { CHALLENGE_LIFETIME_MS, latestExpiredChallenge } from '../../platform/second-factors/challenges.ts';
import type { PasskeyAssertion } from '../../platform/second-factors/passkeys.ts';

/** Of one user at a time, for several devices. */
const MAX_PER_USER = 5;
const CHALLENGE_BYTES = 32;

export type FactorMethod = 'TOTP' | 'RECOVERY_CODE' | 'PASSKEY';

/** What a client answers with the token, which only it has. */
export interface OpenChallenge {
  token: string;
  expiresAt: Date;
  methods: FactorMethod[];
  /** What browsers pass to an authenticator; null without passkeys. */
  passkeyOptions: unknown;
}

export interface ChallengeAnswer {
  token?: string | null | undefined;
  code?: string | null | undefined;
  passkey?: PasskeyAssertion | null | undefined;
}

/** Extends `CODE_REQUIRED` by what the client answers. */
export class SecondFactorRequiredError extends CodeRequiredError {
  constructor(challenge: OpenChallenge) {
    super({ challenge: { ...challenge, expiresAt: challenge.expiresAt.toISOString() } });
  }
}

interface NewChallenge {
  applicationId: number;
  purpose: ChallengePurpose;
  /** Null: the passkey identifies the user. */
  userId: number | null;
  sessionId?: number;
  /** Default: random. */
  challenge?: string;
  /** What a provider has said about the person. */
  identity?: object;
}

/** @returns the challenge in base64url, and the token that it is valid with, once */
export async function createChallenge(
  { challenge = randomBytes(CHALLENGE_BYTES).toString('base64url'), ...values }: NewChallenge,
  { now }: Pick<Context, 'now'>,
): Promise<{ token: string; challenge: string; expiresAt: Date }> {
  const { applicationId, userId } = values;
  const token = sessionToken(applicationId, randomBytes(SESSION_TOKEN_BYTES));
  const createdAt = now();
  await db.signInChallenge.create({ data: { ...values, challenge, createdAt, tokenHash: hashSecret(token) } });
  if (userId !== null) {
    await db.$executeRaw`
      DELETE FROM sign_in_challenges WHERE application_id = ${applicationId} AND token_hash IN (
        SELECT token_hash FROM sign_in_challenges WHERE application_id = ${applicationId} AND user_id = ${userId}
        ORDER BY created_at DESC, token_hash OFFSET ${MAX_PER_USER})`;
  }
  return { token, challenge, expiresAt: new Date(createdAt.getTime() + CHALLENGE_LIFETIME_MS) };
}

/** @returns undefined if it is unknown, used or expired, or of another application or purpose */
export async function findChallenge(
  token: string | null | undefined,
  of: { applicationId: number; purpose: ChallengePurpose[]; userId?: number; sessionId?: number },
  { now }: Pick<Context, 'now'>,
): Promise<SignInChallenge | undefined> {
  const { applicationId, purpose, userId, sessionId } = of;
  if (!token || applicationOfToken(token) !== applicationId) return undefined;
  const where = { applicationId_tokenHash: { applicationId, tokenHash: hashSecret(token) } };
  const found = await db.signInChallenge.findUnique({ where });
  const isOf =
    found &&
    purpose.includes(found.purpose) &&
    (userId === undefined || found.userId === userId) &&
    (sessionId === undefined || found.sessionId === sessionId);
  return isOf && found.createdAt > latestExpiredChallenge(now()) ? found : undefined;
}

/** @returns whether it was unused */
export async function useChallenge({ applicationId, tokenHash }: SignInChallenge): Promise<boolean> {
  const { count } = await db.signInChallenge.deleteMany({ where: { applicationId, tokenHash } });
  return count > 0;
}
