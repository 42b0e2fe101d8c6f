import type { Transaction } from '../../db/client.ts';

interface UserKey {
  applicationId: number;
  userId: number;
}

/** Serializes changes of one user's locations, so that exactly one is the latest. */
export async function lockGeodata(transaction: Transaction, { applicationId, userId }: UserKey): Promise<void> {
  const name = `geodata ${applicationId} ${userId}`;
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
}

export async function markLatest(
  transaction: Transaction,
  { applicationId, userId }: UserKey,
  id: number,
): Promise<void> {
  await transaction.$executeRaw`
    UPDATE geodata SET is_latest = true WHERE application_id = ${applicationId} AND id = (
      SELECT id FROM geodata WHERE application_id = ${applicationId} AND user_id = ${userId} AND id <> ${id}
      ORDER BY created_at DESC, id DESC LIMIT 1)`;
}
