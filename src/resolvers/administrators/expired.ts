import { db } from '../../db/client.ts';
import { latestExpired } from './sessions.ts';

/** Deletes sessions and links that no longer work. */
export async function deleteExpired(now: Date): Promise<void> {
  const { seenBefore, createdBefore } = latestExpired(now);
  const isExpired = { OR: [{ seenAt: { lte: seenBefore } }, { createdAt: { lte: createdBefore } }] };
  await db.administratorSession.deleteMany({ where: isExpired });
  await db.administratorLink.deleteMany({ where: { expiresAt: { lte: now } } });
}
