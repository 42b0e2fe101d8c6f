import type { ActingContext } from '../../context.ts';
import type { Prisma } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { Geodatum } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { NotFoundError, NoUpdateDataError, requireNone } from '../../lib/errors.ts';
import { requireOwnGeodatum } from './find.ts';
import { clampedDegrees, type GeodatumInput, geodatumChangeProblems, statusText } from './rules.ts';

/** Null clears the status. @throws {NoUpdateDataError} {InvalidFieldsError} {NotFoundError} {ForbiddenError} */
export async function updateGeodatum(
  id: number,
  input: GeodatumInput,
  context: ActingContext,
  selection: Prisma.GeodatumDefaultArgs,
): Promise<Geodatum> {
  const { latitude, longitude, status } = input;
  if (latitude === undefined && longitude === undefined && status === undefined) throw new NoUpdateDataError();
  requireNone(geodatumChangeProblems(input));
  const { applicationId } = await requireOwnGeodatum(id, context);
  const update: Prisma.GeodatumUpdateManyAndReturnArgs = {
    ...selection,
    where: { applicationId, id },
    data: {
      latitude: latitude == null ? undefined : clampedDegrees(latitude),
      longitude: longitude == null ? undefined : clampedDegrees(longitude),
      status: status === undefined ? undefined : statusText(status),
      updatedAt: context.now(),
    },
  };
  const [updated] = await transact(jobOwnerOf(context.viewer), (transaction) =>
    transaction.geodatum.updateManyAndReturn(update),
  );
  if (!updated) throw new NotFoundError();
  return updated;
}
