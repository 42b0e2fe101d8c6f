import { createHash } from 'node:crypto';

/** SHA-256 without salt is sufficient because tokens and API keys are random. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The first 8 of 40 hex digits are the application id, so that the lookup by hash reads rows of one application. */
export function sessionToken(applicationId: number, random: Buffer): string {
  return applicationId.toString(16).padStart(8, '0') + random.toString('hex');
}

export const SESSION_TOKEN_BYTES = 16;

export function applicationOfToken(token: string): number | undefined {
  if (!/^[0-9a-f]{40}$/.test(token)) return undefined;
  const applicationId = Number.parseInt(token.slice(0, 8), 16);
  return isDatabaseId(applicationId) ? applicationId : undefined;
}

/** The ids of users, sessions and applications are PostgreSQL integers. */
export function isDatabaseId(id: number): boolean {
  return Number.isInteger(id) && id >= 1 && id <= 2_147_483_647;
}

/** 0, which no row has, in place of an id that no row can have. */
export function knownId(id: number): number {
  return isDatabaseId(id) ? id : 0;
}
