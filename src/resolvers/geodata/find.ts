import type { ActingContext, IdentifiedContext } from '../../context.ts';
import { db, type Prisma } from '../../db/client.ts';
import type { Geodatum } from '../../generated/prisma/client.ts';
import { ForbiddenError, InvalidFieldsError, NotFoundError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';

/** @throws {InvalidFieldsError} {NotFoundError} */
export async function findGeodatum(
  id: number,
  { viewer }: IdentifiedContext,
  selection: Prisma.GeodatumDefaultArgs = {},
): Promise<Geodatum> {
  if (id < 1) throw new InvalidFieldsError({ id: ['NOT_POSITIVE'] });
  const { applicationId } = viewer;
  const geodatum = isDatabaseId(id)
    ? await db.geodatum.findUnique({ ...selection, where: { applicationId_id: { applicationId, id } } })
    : null;
  if (!geodatum) throw new NotFoundError();
  return geodatum;
}

/** @throws {InvalidFieldsError} {NotFoundError} {ForbiddenError} */
export async function requireOwnGeodatum(id: number, context: ActingContext): Promise<Geodatum> {
  const geodatum = await findGeodatum(id, context);
  const { viewer } = context;
  if (viewer.kind === 'user' && viewer.userId !== geodatum.userId) throw new ForbiddenError();
  return geodatum;
}
