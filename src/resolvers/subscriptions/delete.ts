import type { UserContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
export async function deleteSubscription(id: number, { viewer }: UserContext): Promise<true> {
  const { applicationId, userId } = viewer;
  const { count } = isDatabaseId(id)
    ? await db.pushSubscription.deleteMany({ where: { applicationId, userId, id } })
    : { count: 0 };
  if (count === 0) throw new NotFoundError();
  return true;
}
