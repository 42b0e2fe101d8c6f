import { createHash } from 'node:crypto';

/** Hash of tokens and API keys in the database, in hex. SHA-256 without salt is sufficient because they are random. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/**
 * 40 hex digits. The first 8 encode the application id, so that the lookup by hash reads only rows of one application;
 * the remaining 128 random bits are the secret.
 */
export function sessionToken(applicationId: number, random: Buffer): string {
  return applicationId.toString(16).padStart(8, '0') + random.toString('hex');
}

export const SESSION_TOKEN_BYTES = 16;

/** @returns undefined for a malformed token */
export function applicationOfToken(token: string): number | undefined {
  if (!/^[0-9a-f]{40}$/.test(token)) return undefined;
  const applicationId = Number.parseInt(token.slice(0, 8), 16);
  return isDatabaseId(applicationId) ? applicationId : undefined;
}

/** The ids of users, sessions and applications are PostgreSQL integers. */
export function isDatabaseId(id: number): boolean {
  return Number.isInteger(id) && id >= 1 && id <= 2_147_483_647;
}
