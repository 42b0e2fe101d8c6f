import { Prisma, type Transaction } from '../../db/client.ts';
import { appendNotices } from '../../realtime/outbox.ts';

/** With sign-ins that wait for a second factor. Sockets close once the outbox is woken after the commit. @param but a session to keep */
export async function endSessionsOf(
  transaction: Transaction,
  { applicationId, userId, but }: { applicationId: number; userId: number; but?: number | undefined },
  now: Date,
): Promise<void> {
  await transaction.signInChallenge.deleteMany({ where: { applicationId, userId } });
  // In key order, like the session clock, so that they cannot deadlock.
  const ended = await transaction.$queryRaw<{ id: number }[]>`
    WITH ended AS (
      SELECT id FROM sessions
      WHERE application_id = ${applicationId} AND user_id = ${userId} AND id IS DISTINCT FROM ${but ?? null}::int
      ORDER BY id FOR UPDATE)
    DELETE FROM sessions s USING ended WHERE s.application_id = ${applicationId} AND s.id = ended.id
    RETURNING s.id`;
  const ids = ended.map(({ id }) => id);
  if (ids.length > 0) await appendNotices(transaction, 'sessionEnded', { applicationId, ids }, now);
}

/** Links were issued for the previous password. */
export async function voidPasswordResets(transaction: Transaction, user: UserKey, at: Date): Promise<void> {
  await transaction.passwordReset.updateMany({ where: { ...user, usedAt: null }, data: { usedAt: at } });
}

/** @param but a session whose devices to keep */
export async function removeDevices(
  transaction: Transaction,
  { applicationId, userId, but }: UserKey & { but?: number | undefined },
): Promise<void> {
  await deleteDevices(transaction, { applicationId, userId }, Prisma.sql`IS DISTINCT FROM ${but ?? null}::int`);
}

type UserSession = UserKey & { session: { id: number } };

/** Of a session that its user ends: the next person on the device must not see their pushes. */
export async function removeDevicesOf(
  transaction: Transaction,
  { userId, applicationId, session }: UserSession,
): Promise<void> {
  await deleteDevices(transaction, { applicationId, userId }, Prisma.sql`= ${session.id}`);
}

/** @param sessionId of the same user; a device of any other session would not be removed with it */
export async function moveDevices(
  transaction: Transaction,
  { userId, applicationId, session }: UserSession,
  sessionId: number,
): Promise<void> {
  const where = { applicationId, userId, sessionId: session.id };
  await transaction.pushSubscription.updateMany({ where, data: { sessionId } });
  await transaction.pushToken.updateMany({ where, data: { sessionId } });
}

/** Keeps subscriptions by e-mail, which have no device. @param session condition of the session that registered them */
async function deleteDevices(
  transaction: Transaction,
  { applicationId, userId }: UserKey,
  session: Prisma.Sql,
): Promise<void> {
  const condition = Prisma.sql`application_id = ${applicationId} AND user_id = ${userId} AND session_id ${session}`;
  await transaction.$executeRaw`DELETE FROM push_subscriptions WHERE ${condition} AND channel <> 'email'`;
  await transaction.$executeRaw`DELETE FROM push_tokens WHERE ${condition}`;
}

export interface UserKey {
  applicationId: number;
  userId: number;
}
