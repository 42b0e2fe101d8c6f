import type { Transaction } from '../../db/client.ts';
import { announceEndedSessions } from '../../realtime/outbox.ts';

/**
 * Ends a user's sessions, and the sockets that live on them once the stream is woken after the transaction.
 * @param but the session that stays, if one does
 */
export async function endSessionsOf(
  transaction: Transaction,
  { applicationId, userId, but }: { applicationId: number; userId: number; but?: number | undefined },
  now: Date,
): Promise<void> {
  // Locked in the order of their keys, as the session clock does, so that neither waits for the other in a circle.
  const ended = await transaction.$queryRaw<{ applicationId: number; id: number }[]>`
    WITH ended AS (
      SELECT id FROM sessions
      WHERE application_id = ${applicationId} AND user_id = ${userId} AND id IS DISTINCT FROM ${but ?? null}::int
      ORDER BY id FOR UPDATE)
    DELETE FROM sessions s USING ended WHERE s.application_id = ${applicationId} AND s.id = ended.id
    RETURNING s.application_id AS "applicationId", s.id`;
  if (ended.length > 0) await announceEndedSessions(transaction, ended, now);
}
