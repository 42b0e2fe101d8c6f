import { administratorOf, type Viewer } from '../../lib/access.ts';

/**
 * `signIn`: sign-ins and password resets of users. `console`: those of administrators, so that clients of the same
 * network cannot lock them out. `oldPassword`: checks of a password by its user. `mail`: mails that a caller triggers.
 * `testMail`: test mails of an application, because all applications have one sender; `invitation`: those of administrators.
 * `networkGuesses`, `accountGuesses`: wrong passwords of one account, from one network and from all unknown ones.
 */
export type LimitName =
  | ('default' | 'signIn' | 'console' | 'oldPassword' | 'mail' | 'testMail' | 'invitation')
  | ('networkGuesses' | 'accountGuesses');

/** The window begins with its first operation. */
export interface Limit {
  quota: number;
  windowSeconds: number;
}

export const LIMITS: Record<LimitName, Limit> = {
  default: { quota: 600, windowSeconds: 60 },
  signIn: { quota: 30, windowSeconds: 60 },
  console: { quota: 30, windowSeconds: 60 },
  oldPassword: { quota: 30, windowSeconds: 60 },
  mail: { quota: 30, windowSeconds: 60 },
  testMail: { quota: 30, windowSeconds: 86_400 },
  invitation: { quota: 30, windowSeconds: 86_400 },
  networkGuesses: { quota: 10, windowSeconds: 600 },
  accountGuesses: { quota: 100, windowSeconds: 3600 },
};

export interface RateCount extends Limit {
  remaining: number;
  /** Seconds until the window ends, at least 1. */
  resetSeconds: number;
  isExceeded: boolean;
}

/**
 * Sign-ins count per network, test mails per application; others per administrator, else per API key, else per user, else per network: every client
 * can open application sessions and invent credentials, so these count per network.
 */
export function rateKey(limit: LimitName, viewer: Viewer, network: string): string {
  if (limit === 'signIn' || limit === 'console') return `client:${network}`;
  if (limit === 'testMail' && 'applicationId' in viewer) return `application:${viewer.applicationId}`;
  const administrator = administratorOf(viewer);
  if (administrator) return `administrator:${administrator.id}`;
  if ('apiKeyId' in viewer && viewer.apiKeyId !== undefined) return `key:${viewer.applicationId}:${viewer.apiKeyId}`;
  return viewer.kind === 'user' ? `user:${viewer.applicationId}:${viewer.userId}` : `client:${network}`;
}

export function rateHeaders(count: RateCount | undefined): Record<string, string> {
  if (!count) return {};
  const { quota, windowSeconds, remaining, resetSeconds, isExceeded } = count;
  return {
    'RateLimit-Policy': `"default";q=${quota};w=${windowSeconds}`,
    RateLimit: `"default";r=${remaining};t=${resetSeconds}`,
    ...(isExceeded && { 'Retry-After': String(resetSeconds) }),
  };
}
