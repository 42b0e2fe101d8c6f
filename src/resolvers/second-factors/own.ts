import type { UserTokenContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { User } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { SessionMissingError } from '../../lib/errors.ts';
import { requireFresh } from '../users/credentials.ts';
import { lockUser, requireSession } from '../users/lock.ts';

/** Serializes changes of how one user signs in. @throws {ConfirmationRequiredError} the sign-in is older than 10 minutes */
export function changeOwn<Result>(
  context: UserTokenContext,
  change: (transaction: Transaction, user: User) => Promise<Result>,
): Promise<Result> {
  const { viewer, now } = context;
  requireFresh(viewer, now());
  return transact(jobOwnerOf(viewer), async (transaction) => {
    const user = await lockUser(transaction, { applicationId: viewer.applicationId, id: viewer.userId });
    if (!user) throw new SessionMissingError();
    await requireSession(transaction, viewer);
    return change(transaction, user);
  });
}

/** The person has proven a second factor in this session. */
export async function markMultiFactor(transaction: Transaction, { viewer }: UserTokenContext, confirmedAt?: Date) {
  await transaction.session.updateMany({
    where: { applicationId: viewer.applicationId, id: viewer.session.id },
    data: { isMultiFactor: true, ...(confirmedAt && { confirmedAt }) },
  });
}
