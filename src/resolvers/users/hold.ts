import type { UserContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { NotFoundError, SessionMissingError } from '../../lib/errors.ts';

/**
 * Keeps the caller and others from being deleted until the transaction ends. They are locked in the order of their ids
 * and before dialogs, as a deletion does, so that nobody waits in a circle.
 * @returns which of the others there still are, by id
 * @throws {SessionMissingError} @throws {NotFoundError} the caller is gone; their next request is told the same
 */
export async function holdUsers(
  transaction: Transaction,
  otherIds: number[],
  { viewer }: UserContext,
): Promise<number[]> {
  const { applicationId, userId, session } = viewer;
  const held = await transaction.$queryRaw<{ id: number }[]>`
    SELECT id FROM users WHERE application_id = ${applicationId} AND id = ANY(${[userId, ...otherIds]}::int[])
    ORDER BY id FOR KEY SHARE`;
  const ids = held.map(({ id }) => id);
  if (!ids.includes(userId)) throw session ? new SessionMissingError() : new NotFoundError();
  return ids.filter((id) => id !== userId);
}
