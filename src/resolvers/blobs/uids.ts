import { randomBytes } from 'node:crypto';
import { isDatabaseId } from '../../lib/tokens.ts';

/** 34 hex digits: 8 for the application id, so that lookups need no credentials, and 26 random ones. */
export function newUid(applicationId: number): string {
  return applicationId.toString(16).padStart(8, '0') + randomBytes(13).toString('hex');
}

export function applicationOfUid(uid: string): number | undefined {
  if (!/^[0-9a-f]{34}$/.test(uid)) return undefined;
  const applicationId = Number.parseInt(uid.slice(0, 8), 16);
  return isDatabaseId(applicationId) ? applicationId : undefined;
}
