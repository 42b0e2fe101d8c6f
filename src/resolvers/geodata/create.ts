import type { UserContext } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import type { Geodatum } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { lockUsers } from '../users/lock.ts';
import { holdPlaces, requireNone } from './latest.ts';
import { type GeodatumInput, geodatumProblems, soundDegrees, statusText } from './rules.ts';
/**
 * Stores where the caller is (gaps §14).
 * @throws {InvalidFieldsError} all fields at fault, all texts
 */
export async function createGeodatum(input: GeodatumInput, context: UserContext): Promise<Geodatum> {
  requireNone(geodatumProblems(input));
  const { applicationId, userId } = context.viewer;
  const at = context.now();
  const { latitude, longitude, status } = input;
  return transact(jobOwnerOf(context.viewer), async (transaction) => {
    await lockUsers(transaction, [], context);
    await holdPlaces(transaction, { applicationId, userId });
    await transaction.$executeRaw`
      UPDATE geodata SET is_latest = false
      WHERE application_id = ${applicationId} AND user_id = ${userId} AND is_latest`;
    return transaction.geodatum.create({
      data: {
        applicationId,
        userId,
        latitude: soundDegrees(latitude!),
        longitude: soundDegrees(longitude!),
        status: statusText(status),
        isLatest: true,
        createdAt: at,
        updatedAt: at,
      },
    });
  });
}
