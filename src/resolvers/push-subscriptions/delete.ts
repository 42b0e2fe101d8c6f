import type { UserContext } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';

export async function deleteSubscription(id: number, { viewer }: UserContext): Promise<true> {
  const { applicationId, userId } = viewer;
  const where = { applicationId, userId, id: isDatabaseId(id) ? id : 0 };
  const { count } = await transact(jobOwnerOf(viewer), (transaction) =>
    transaction.pushSubscription.deleteMany({ where }),
  );
  if (count === 0) throw new NotFoundError();
  return true;
}
