import type { UserContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { NotFoundError, SessionMissingError } from '../../lib/errors.ts';
import { requireSession } from '../users/lock.ts';

/**
 * Has the caller's own calls come one after the other until the transaction ends, so that their devices are counted
 * and told apart as they stand.
 * @throws {SessionMissingError} @throws {NotFoundError} the caller is gone; their next request is told the same
 */
export async function lockOwner(transaction: Transaction, { viewer }: UserContext): Promise<void> {
  const held = await transaction.$queryRaw<unknown[]>`
    SELECT id FROM users WHERE application_id = ${viewer.applicationId} AND id = ${viewer.userId} FOR NO KEY UPDATE`;
  if (held.length === 0) throw viewer.session ? new SessionMissingError() : new NotFoundError();
  await requireSession(transaction, viewer);
}
