import { randomBytes } from 'node:crypto';
import type { CallingPage, Context, Services } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import type { PasskeyChallengePurpose } from '../../generated/prisma/client.ts';
import type { AdministratorViewer } from '../../lib/access.ts';
import { hashSecret } from '../../lib/tokens.ts';
import { CHALLENGE_LIFETIME_MS, latestExpiredChallenge } from '../../platform/second-factors/challenges.ts';
import { requirePage } from './sessions.ts';

/** Per session or browser, for several tabs. */
const MAX_PER_CALLER = 5;
/** Maximum pending challenges. The oldest are evicted, so that one client cannot block sign-ins. */
const MAX_SIGN_INS = 10_000;

const TOKEN_BYTES = 32;
const BROWSER_TOKEN = /^[\w-]{43}$/;

/** Who may use a challenge, and for what. */
export interface ChallengeBinding {
  purpose: PasskeyChallengePurpose;
  sessionId: number | null;
  browserHash: string | null;
}

export function boundToSession(
  purpose: PasskeyChallengePurpose,
  { administrator }: AdministratorViewer,
): ChallengeBinding {
  return { purpose, sessionId: administrator.sessionId, browserHash: null };
}

/** @returns undefined for a browser that has requested no challenge */
export function boundToBrowser({ browser }: Pick<CallingPage, 'browser'>): ChallengeBinding | undefined {
  if (browser === undefined || !BROWSER_TOKEN.test(browser)) return undefined;
  return { purpose: 'signIn', sessionId: null, browserHash: hashSecret(browser) };
}

/** Also sets the cookie that recognizes the browser; tabs share it. @throws {BadInputError} */
export function bindBrowser(context: Pick<Context, 'page'>): ChallengeBinding {
  const page = requirePage(context);
  const known = boundToBrowser(page);
  const browser = known ? page.browser! : randomBytes(TOKEN_BYTES).toString('base64url');
  page.setBrowser(browser, CHALLENGE_LIFETIME_MS / 1000);
  return known ?? boundToBrowser({ browser })!;
}

/** @returns the challenge in base64url, valid once */
export async function createChallenge(binding: ChallengeBinding, { now }: Pick<Services, 'now'>): Promise<string> {
  const challenge = randomBytes(TOKEN_BYTES).toString('base64url');
  const { sessionId, browserHash } = binding;
  await db.passkeyChallenge.create({ data: { ...binding, challengeHash: hashSecret(challenge), createdAt: now() } });
  const isOfCaller =
    sessionId === null ? Prisma.sql`browser_hash = ${browserHash}` : Prisma.sql`session_id = ${sessionId}`;
  await deleteOldest(isOfCaller, MAX_PER_CALLER);
  if (sessionId === null) await deleteOldest(Prisma.sql`session_id IS NULL`, MAX_SIGN_INS);
  return challenge;
}

async function deleteOldest(where: Prisma.Sql, max: number): Promise<void> {
  await db.$executeRaw`
    DELETE FROM passkey_challenges WHERE challenge_hash IN (
      SELECT challenge_hash FROM passkey_challenges WHERE ${where}
      ORDER BY created_at DESC, challenge_hash OFFSET ${max})`;
}

/** @returns whether the challenge was valid; it no longer is */
export async function useChallenge(
  challenge: string,
  binding: ChallengeBinding,
  { now }: Pick<Services, 'now'>,
): Promise<boolean> {
  const createdAt = { gt: latestExpiredChallenge(now()) };
  const { count } = await db.passkeyChallenge.deleteMany({
    where: { challengeHash: hashSecret(challenge), ...binding, createdAt },
  });
  return count > 0;
}
