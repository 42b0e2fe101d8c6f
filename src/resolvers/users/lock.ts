import { Prisma, plannedForValues, type Transaction } from '../../db/client.ts';
import type { ActingViewer } from '../../lib/access.ts';
import { NotFoundError, SessionMissingError } from '../../lib/errors.ts';

/** A plan for any values would compare each user with each of more ids than this. */
const MANY = 100;

/**
 * Keeps the caller, if it is a user, and others from being deleted until the transaction ends. They are locked in the order of their ids
 * and before dialogs, as a deletion does, so that nobody waits in a circle.
 * @returns which of the others there still are, by id
 * @throws {SessionMissingError} @throws {NotFoundError} the caller is gone; their next request is told the same
 */
export async function lockUsers(
  transaction: Transaction,
  otherIds: number[],
  { viewer }: { viewer: ActingViewer },
): Promise<number[]> {
  const ownIds = viewer.kind === 'user' ? [viewer.userId] : [];
  const locked = await transaction.$queryRaw<{ id: number }[]>`
    ${otherIds.length > MANY ? plannedForValues : Prisma.empty} SELECT id FROM users
    WHERE application_id = ${viewer.applicationId} AND id = ANY(${[...ownIds, ...otherIds]}::int[])
    ORDER BY id FOR KEY SHARE`;
  const ids = locked.map(({ id }) => id);
  if (viewer.kind !== 'user') return ids;
  if (!ids.includes(viewer.userId)) throw viewer.session ? new SessionMissingError() : new NotFoundError();
  return ids.filter((id) => id !== viewer.userId);
}

/**
 * Keeps a change out that was in flight while the caller's session ended. Call it once the user's row is locked, as
 * those who end the user's sessions lock it first.
 * @throws {SessionMissingError}
 */
export async function requireSession(transaction: Transaction, viewer: ActingViewer): Promise<void> {
  if (viewer.kind !== 'user' || !viewer.session) return;
  const { applicationId, userId, session } = viewer;
  const locked = await transaction.session.count({ where: { applicationId, id: session.id, userId } });
  if (locked === 0) throw new SessionMissingError();
}
