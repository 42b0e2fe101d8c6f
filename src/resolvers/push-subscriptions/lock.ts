import type { UserContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { NotFoundError, SessionMissingError } from '../../lib/errors.ts';

/** Serializes calls of one user, so that counting and matching devices is consistent, and with the end of the session. */
export async function lockOwner(transaction: Transaction, { viewer }: UserContext): Promise<void> {
  const locked = await transaction.$queryRaw<unknown[]>`
    SELECT id FROM users WHERE application_id = ${viewer.applicationId} AND id = ${viewer.userId} FOR NO KEY UPDATE`;
  if (locked.length === 0) throw viewer.session ? new SessionMissingError() : new NotFoundError();
  if (!viewer.session) return;
  const sessions = await transaction.$executeRaw`
    SELECT FROM sessions WHERE application_id = ${viewer.applicationId} AND id = ${viewer.session.id}
      AND user_id = ${viewer.userId} FOR SHARE`;
  if (sessions === 0) throw new SessionMissingError();
}
