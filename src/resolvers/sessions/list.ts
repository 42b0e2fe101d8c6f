import type { ActingContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { isDatabaseId } from '../../lib/tokens.ts';

export interface ListedSession {
  id: number;
  createdAt: Date;
  updatedAt: Date;
  expiresAt: Date;
}

export const MAX_SESSIONS = 100;

/** Valid sessions of a user, latest request first, at most 100; none for an unknown user. */
export async function listUserSessions(
  userId: number,
  { viewer: { applicationId }, now, sessionClock }: ActingContext,
): Promise<ListedSession[]> {
  if (!isDatabaseId(userId)) return [];
  const [application, rows] = await Promise.all([
    db.application.findUniqueOrThrow({ where: { id: applicationId }, select: { sessionMinutes: true } }),
    db.session.findMany({ where: { applicationId, userId }, orderBy: { updatedAt: 'desc' }, take: MAX_SESSIONS }),
  ]);
  return rows
    .map((row) => {
      const updatedAt = sessionClock.latestRequest(row);
      return {
        id: row.id,
        createdAt: row.createdAt,
        updatedAt,
        expiresAt: sessionClock.expiry(updatedAt, application),
      };
    })
    .filter(({ expiresAt }) => expiresAt > now());
}
