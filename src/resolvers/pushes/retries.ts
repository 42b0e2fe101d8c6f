import { DAY, HOUR, MINUTE, SECOND } from '../../lib/time.ts';

/** How long a push is worth being sent, and how long the provider keeps it for a device that is away. */
export const PUSH_LIFETIME_MS = DAY;

const MIN_RETRY_DELAY_MS = 10 * SECOND;
const MAX_RETRY_DELAY_MS = HOUR;

const MIN_PAUSE_MS = 5 * SECOND;
const MAX_PAUSE_MS = 15 * MINUTE;

/**
 * When a push that its provider could not be asked about is looked at again: after half its age, so that any number of
 * them is looked at some twenty times a day.
 * @param waitMs how long the provider rests at least
 */
export function nextLook({ createdAt, waitMs }: { createdAt: Date; waitMs: number }, now: Date): Date {
  const age = now.getTime() - createdAt.getTime();
  const rest = Math.min(Math.max(age / 2, MIN_PAUSE_MS), MAX_PAUSE_MS);
  return new Date(now.getTime() + Math.max(rest, waitMs));
}

/**
 * When a push is tried again: after 10 s, then twice as long each time, at most an hour, and not before the provider
 * asks for it.
 * @param attempts how often it has been tried
 * @param retryAfter seconds the provider asks for
 * @returns undefined when it would be too late
 */
export function nextAttempt(
  { attempts, retryAfter = 0, expiresAt }: { attempts: number; retryAfter?: number | undefined; expiresAt: Date },
  now: Date,
): Date | undefined {
  const wait = Math.min(MIN_RETRY_DELAY_MS * 2 ** Math.min(attempts - 1, 20), MAX_RETRY_DELAY_MS);
  const at = new Date(now.getTime() + Math.max(wait, retryAfter * SECOND));
  return at < expiresAt ? at : undefined;
}
