import { Prisma, plannedForValues, type Transaction } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import type { ActingViewer } from '../../lib/access.ts';
import { NotFoundError, SessionMissingError } from '../../lib/errors.ts';

/** Above this, a generic plan would compare each user with each id. */
const MANY = 100;

/** In id order and before dialogs, as a deletion does, so that they cannot deadlock. Returns the others, by id. */
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

/** Changes of what belongs to a user, one after the other. */
export async function lockOwn(
  transaction: Transaction,
  { applicationId, userId }: { applicationId: number; userId: number },
): Promise<void> {
  const locked = await transaction.$executeRaw`
    SELECT FROM users WHERE application_id = ${applicationId} AND id = ${userId} FOR NO KEY UPDATE`;
  if (locked === 0) throw new SessionMissingError();
}

/** Rejects changes in flight whose session has ended. Lock the user first, as code that ends sessions does. */
export async function requireSession(transaction: Transaction, viewer: ActingViewer): Promise<void> {
  if (viewer.kind !== 'user' || !viewer.session) return;
  const { applicationId, userId, session } = viewer;
  const locked = await transaction.session.count({ where: { applicationId, id: session.id, userId } });
  if (locked === 0) throw new SessionMissingError();
}

/** Against changes of the user until the end of the transaction; null if there is none. */
export async function lockUser(
  transaction: Transaction,
  { applicationId, ...by }: { applicationId: number; id: number } | { applicationId: number; email: string },
): Promise<User | null> {
  const condition = 'id' in by ? Prisma.sql`id = ${by.id}` : Prisma.sql`email = ${by.email}`;
  await transaction.$executeRaw`
    SELECT FROM users WHERE application_id = ${applicationId} AND ${condition} FOR NO KEY UPDATE`;
  const where =
    'id' in by ? { applicationId_id: { applicationId, ...by } } : { applicationId_email: { applicationId, ...by } };
  return transaction.user.findUnique({ where });
}
