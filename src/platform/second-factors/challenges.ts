import { MINUTE } from '../../lib/time.ts';

/** Of administrators and of users. */
export const CHALLENGE_LIFETIME_MS = 5 * MINUTE;

export function latestExpiredChallenge(now: Date): Date {
  return new Date(now.getTime() - CHALLENGE_LIFETIME_MS);
}
