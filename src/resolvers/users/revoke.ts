import type { Transaction } from '../../db/client.ts';
import { appendEndedSessions } from '../../realtime/outbox.ts';
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
  if (ended.length > 0) await appendEndedSessions(transaction, ended, now);
}

/** Makes the user's open links void: they were given for a former password. */
export async function voidPasswordResets(transaction: Transaction, user: UserKey, at: Date): Promise<void> {
  await transaction.passwordReset.updateMany({ where: { ...user, usedAt: null }, data: { usedAt: at } });
}

/**
 * Removes the devices that get a user's pushes. Subscriptions by e-mail stay: they have no device.
 * @param but the session whose devices stay, if one does
 */
export async function removeDevices(
  transaction: Transaction,
  { applicationId, userId, but }: { applicationId: number; userId: number; but?: number | undefined },
): Promise<void> {
  await transaction.$executeRaw`
    DELETE FROM push_subscriptions WHERE application_id = ${applicationId} AND user_id = ${userId}
      AND channel <> 'email' AND session_id IS DISTINCT FROM ${but ?? null}::int`;
  await transaction.$executeRaw`
    DELETE FROM push_tokens WHERE application_id = ${applicationId} AND user_id = ${userId}
      AND session_id IS DISTINCT FROM ${but ?? null}::int`;
}

export interface UserKey {
  applicationId: number;
  userId: number;
}
