import type { UserContext } from '../../context.ts';
import type { Prisma } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { Geodatum } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { requireNone } from '../../lib/errors.ts';
import { lockUsers } from '../users/lock.ts';
import { lockGeodata } from './latest.ts';
import { clampedDegrees, type GeodatumInput, geodatumProblems, statusText } from './rules.ts';

export async function createGeodatum(
  input: GeodatumInput,
  context: UserContext,
  selection: Prisma.GeodatumDefaultArgs,
): Promise<Geodatum> {
  requireNone(geodatumProblems(input));
  const { applicationId, userId } = context.viewer;
  const at = context.now();
  const { latitude, longitude, status } = input;
  return transact(jobOwnerOf(context.viewer), async (transaction) => {
    await lockUsers(transaction, [], context);
    await lockGeodata(transaction, { applicationId, userId });
    await transaction.$executeRaw`
      UPDATE geodata SET is_latest = false
      WHERE application_id = ${applicationId} AND user_id = ${userId} AND is_latest`;
    return transaction.geodatum.create({
      ...selection,
      data: {
        applicationId,
        userId,
        latitude: clampedDegrees(latitude!),
        longitude: clampedDegrees(longitude!),
        status: statusText(status),
        isLatest: true,
        createdAt: at,
        updatedAt: at,
      },
    });
  });
}
