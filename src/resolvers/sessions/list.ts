import type { IdentifiedContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { isDatabaseId } from '../../lib/tokens.ts';

export interface ListedSession {
  id: number;
  /** `Firefox on Linux`. */
  device: string | null;
  network: string | null;
  /** Whether it is the one of the request. */
  isCurrent: boolean;
  createdAt: Date;
  updatedAt: Date;
  expiresAt: Date;
}

export const MAX_SESSIONS = 100;

/** Valid sessions of a user, latest request first, at most 100; none for an unknown user. */
export async function listUserSessions(
  userId: number,
  { viewer, now, sessionClock }: IdentifiedContext,
): Promise<ListedSession[]> {
  if (!isDatabaseId(userId)) return [];
  const { applicationId } = viewer;
  const current = 'session' in viewer ? viewer.session?.id : undefined;
  const [application, rows] = await Promise.all([
    db.application.findUniqueOrThrow({
      where: { id: applicationId },
      select: { sessionMinutes: true, maxSessionMinutes: true },
    }),
    db.session.findMany({ where: { applicationId, userId }, orderBy: { updatedAt: 'desc' }, take: MAX_SESSIONS }),
  ]);
  return rows
    .map((row) => {
      const updatedAt = sessionClock.latestRequest(row);
      return {
        id: row.id,
        device: row.device,
        network: row.network,
        isCurrent: row.id === current,
        createdAt: row.createdAt,
        updatedAt,
        expiresAt: sessionClock.expiry(updatedAt, { ...application, signedInAt: row.signedInAt ?? row.createdAt }),
      };
    })
    .filter(({ expiresAt }) => expiresAt > now());
}
