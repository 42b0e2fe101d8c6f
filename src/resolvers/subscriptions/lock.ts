import type { UserContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { NotFoundError, SessionMissingError } from '../../lib/errors.ts';
import { requireSession } from '../users/lock.ts';

/** Serializes calls of one user, so that counting and matching devices is consistent. */
export async function lockOwner(transaction: Transaction, { viewer }: UserContext): Promise<void> {
  const locked = await transaction.$queryRaw<unknown[]>`
    SELECT id FROM users WHERE application_id = ${viewer.applicationId} AND id = ${viewer.userId} FOR NO KEY UPDATE`;
  if (locked.length === 0) throw viewer.session ? new SessionMissingError() : new NotFoundError();
  await requireSession(transaction, viewer);
}
