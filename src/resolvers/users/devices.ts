import type { Transaction } from '../../db/client.ts';

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
