import type { Viewer } from './access.ts';

/** The two counters of gaps §17: `signIn` for operations that try a password or send a mail, `default` for all others. */
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
 * Who an operation is counted for: the API key, else the user, else the application session, else the client. A
 * credential that was refused says nothing, or a new one with each request would have a quota of its own.
 * @param network see `clientNetwork`
 */
export function rateKey(limit: LimitName, viewer: Viewer, network: string): string {
  if (limit === 'signIn' || viewer.kind === 'anonymous' || viewer.kind === 'refused') return `client:${network}`;
  if ('apiKeyId' in viewer && viewer.apiKeyId !== undefined) return `key:${viewer.applicationId}:${viewer.apiKeyId}`;
  if (viewer.kind === 'user') return `user:${viewer.applicationId}:${viewer.userId}`;
  return viewer.kind === 'application' ? `session:${viewer.applicationId}:${viewer.session.id}` : `client:${network}`;
}

/** The headers that tell of a counter (gaps §17), `Retry-After` when it is exceeded. */
export function rateHeaders(count: RateCount | undefined): Record<string, string> {
  if (!count) return {};
  const { quota, windowSeconds, remaining, resetSeconds, isExceeded } = count;
  return {
    'RateLimit-Policy': `"default";q=${quota};w=${windowSeconds}`,
    RateLimit: `"default";r=${remaining};t=${resetSeconds}`,
    ...(isExceeded && { 'Retry-After': String(resetSeconds) }),
  };
}
