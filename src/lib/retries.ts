import { DAY, HOUR, SECOND } from './time.ts';

/** How long a push is worth being sent, and how long the provider keeps it for a device that is away. */
export const PUSH_LIFETIME = DAY;

const FIRST_WAIT = 10 * SECOND;
const LONGEST_WAIT = HOUR;

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
  const wait = Math.min(FIRST_WAIT * 2 ** Math.min(attempts - 1, 20), LONGEST_WAIT);
  const at = new Date(now.getTime() + Math.max(wait, retryAfter * SECOND));
  return at < expiresAt ? at : undefined;
}
