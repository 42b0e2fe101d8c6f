import { db } from '../../db/client.ts';
import { latestExpiredChallenge } from '../../platform/second-factors/challenges.ts';
import { latestExpired } from './sessions.ts';

/** Deletes sessions, links and challenges that no longer work. */
export async function deleteExpired(now: Date): Promise<void> {
  const { seenBefore, createdBefore } = latestExpired(now);
  const isExpired = { OR: [{ seenAt: { lte: seenBefore } }, { createdAt: { lte: createdBefore } }] };
  await db.administratorSession.deleteMany({ where: isExpired });
  await db.administratorLink.deleteMany({ where: { expiresAt: { lte: now } } });
  await db.passkeyChallenge.deleteMany({ where: { createdAt: { lte: latestExpiredChallenge(now) } } });
}
