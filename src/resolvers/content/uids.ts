import { randomBytes } from 'node:crypto';
import { isDatabaseId } from '../../lib/tokens.ts';

/**
 * A new uid: 34 hex digits, of which the first 8 name the application, so that a look-up without credentials stays
 * inside one application's rows; nobody guesses the others.
 */
export function newUid(applicationId: number): string {
  return applicationId.toString(16).padStart(8, '0') + randomBytes(13).toString('hex');
}

/** The application that a well-formed uid names, else undefined. */
export function applicationOfUid(uid: string): number | undefined {
  if (!/^[0-9a-f]{34}$/.test(uid)) return undefined;
  const applicationId = Number.parseInt(uid.slice(0, 8), 16);
  return isDatabaseId(applicationId) ? applicationId : undefined;
}
