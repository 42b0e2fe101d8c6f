import type { Viewer } from '../../lib/access.ts';

/** The two counters: `signIn` for operations that try a password or send a mail, `default` for all others. */
export type LimitName = 'default' | 'signIn';

/** Operations within a window, which begins with the first of them. */
export interface Limit {
  quota: number;
  windowSeconds: number;
}

export const LIMITS: Record<LimitName, Limit> = {
  default: { quota: 600, windowSeconds: 60 },
  signIn: { quota: 30, windowSeconds: 60 },
};

/** Where a counter stands after an operation. */
export interface RateCount extends Limit {
  remaining: number;
  /** Until the window ends, at least 1. */
  resetSeconds: number;
  /** The operation was one too many. */
  isExceeded: boolean;
}

/**
 * The counter of an operation: that of the API key, else of the user, else of the network. Application sessions count
 * by network because every client can open them at will, and refused credentials because every client can invent them.
 * @param network see `clientNetwork`
 */
export function rateKey(limit: LimitName, viewer: Viewer, network: string): string {
  if (limit === 'signIn') return `client:${network}`;
  if ('apiKeyId' in viewer && viewer.apiKeyId !== undefined) return `key:${viewer.applicationId}:${viewer.apiKeyId}`;
  return viewer.kind === 'user' ? `user:${viewer.applicationId}:${viewer.userId}` : `client:${network}`;
}

/** The headers that tell of a counter, `Retry-After` when it is exceeded. */
export function rateHeaders(count: RateCount | undefined): Record<string, string> {
  if (!count) return {};
  const { quota, windowSeconds, remaining, resetSeconds, isExceeded } = count;
  return {
    'RateLimit-Policy': `"default";q=${quota};w=${windowSeconds}`,
    RateLimit: `"default";r=${remaining};t=${resetSeconds}`,
    ...(isExceeded && { 'Retry-After': String(resetSeconds) }),
  };
}
