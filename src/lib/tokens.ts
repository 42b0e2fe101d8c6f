import { createHash } from 'node:crypto';

/** What is stored of a token or an API key, in hex. They are random, so a fast hash without salt hides them well. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/**
 * A session token: 40 hex digits, of which the first 8 name the application. With them the look-up by hash
 * stays inside one application's rows; the 128 random bits that follow are the secret.
 */
export function sessionToken(applicationId: number, random: Buffer): string {
  return applicationId.toString(16).padStart(8, '0') + random.toString('hex');
}

/** Random bytes a session token holds. */
export const SESSION_TOKEN_BYTES = 16;

/** The application that a well-formed token names, else undefined. */
export function applicationOfToken(token: string): number | undefined {
  if (!/^[0-9a-f]{40}$/.test(token)) return undefined;
  const applicationId = Number.parseInt(token.slice(0, 8), 16);
  return isDatabaseId(applicationId) ? applicationId : undefined;
}

/** Whether a number can be the id of a user, session or application: 1 … 2147483647. */
export function isDatabaseId(id: number): boolean {
  return Number.isInteger(id) && id >= 1 && id <= 2_147_483_647;
}
