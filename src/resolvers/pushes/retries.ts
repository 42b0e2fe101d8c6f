import { DAY, HOUR, MINUTE, SECOND } from '../../lib/time.ts';

/** Lifetime of a push, also at the provider. */
export const PUSH_LIFETIME_MS = DAY;

const MIN_RETRY_DELAY_MS = 10 * SECOND;
const MAX_RETRY_DELAY_MS = HOUR;

const MIN_PAUSE_MS = 5 * SECOND;
const MAX_PAUSE_MS = 15 * MINUTE;

/** Half the push's age, so that each is checked about 20 times a day. @param waitMs minimum pause of the provider */
export function nextLook({ createdAt, waitMs }: { createdAt: Date; waitMs: number }, now: Date): Date {
  const age = now.getTime() - createdAt.getTime();
  const rest = Math.min(Math.max(age / 2, MIN_PAUSE_MS), MAX_PAUSE_MS);
  return new Date(now.getTime() + Math.max(rest, waitMs));
}

/** 10 s, doubled up to an hour, and at least `retryAfter` (seconds). @returns undefined after the expiry */
export function nextAttempt(
  { attempts, retryAfter = 0, expiresAt }: { attempts: number; retryAfter?: number | undefined; expiresAt: Date },
  now: Date,
): Date | undefined {
  const wait = Math.min(MIN_RETRY_DELAY_MS * 2 ** Math.min(attempts - 1, 20), MAX_RETRY_DELAY_MS);
  const at = new Date(now.getTime() + Math.max(wait, retryAfter * SECOND));
  return at < expiresAt ? at : undefined;
}
