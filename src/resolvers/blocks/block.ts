import type { ActingContext, UserContext } from '../../context.ts';
import { query } from '../../db/query.ts';
import type { User } from '../../generated/prisma/client.ts';
import { UnknownUserError, UnprocessableError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { findUser } from '../users/find.ts';
import { lockOwn, lockUsers } from '../users/lock.ts';
import { blockEverywhere, unblockEverywhere } from '../users/moderation.ts';
import { changeBlocks } from './change.ts';
import { removeFromDefaultList } from './privacy-lists.ts';
import { MAX_BLOCKED_USERS } from './rules.ts';

export interface BlockedUser {
  userId: number;
  /** Whether the caller cannot send to the user either. */
  isMutual: boolean;
}

/**
 * For the caller; an API key alone blocks the user in the whole application.
 * @throws {UnknownUserError} @throws {UnprocessableError} oneself, or too many
 */
export async function blockUser(userId: number, isMutual: boolean, context: ActingContext): Promise<User> {
  if (!isOfUser(context)) return blockEverywhere(userId, context);
  const { viewer } = context;
  const blocked = await findOther(userId, context);
  await changeBlocks(context, async (transaction) => {
    const others = await lockUsers(transaction, [userId], context);
    if (others.length === 0) throw new UnknownUserError();
    await lockOwn(transaction, viewer);
    const { applicationId, userId: ownId } = viewer;
    const key = { applicationId, userId: ownId, blockedId: userId, source: 'user' as const };
    await transaction.userBlock.upsert({
      where: { applicationId_userId_blockedId_source: key },
      create: { ...key, inPrivate: true, inGroups: true, isMutual, createdAt: context.now() },
      update: { isMutual },
    });
    const count = await transaction.userBlock.count({ where: { applicationId, userId: ownId, source: 'user' } });
    if (count > MAX_BLOCKED_USERS)
      throw new UnprocessableError(problem('TOO_MANY_BLOCKED_USERS', { max: MAX_BLOCKED_USERS }));
    return [userId];
  });
  return blocked;
}

/** Also removes the user from the default privacy list. @throws like `blockUser` */
export async function unblockUser(userId: number, context: ActingContext): Promise<User> {
  if (!isOfUser(context)) return unblockEverywhere(userId, context);
  const { viewer } = context;
  const unblocked = await findOther(userId, context);
  await changeBlocks(context, async (transaction) => {
    await lockOwn(transaction, viewer);
    const where = { applicationId: viewer.applicationId, userId: viewer.userId, blockedId: userId };
    await transaction.userBlock.deleteMany({ where });
    await removeFromDefaultList(transaction, viewer, userId);
    return [userId];
  });
  return unblocked;
}

/** Those of `blockUser` and of the default privacy list, by id. */
export function listBlockedUsers({ viewer }: UserContext): Promise<BlockedUser[]> {
  return query<{ userId: number; isMutual: boolean }>`
    SELECT blocked_id AS "userId", bool_or(is_mutual) AS "isMutual" FROM user_blocks
    WHERE application_id = ${viewer.applicationId} AND user_id = ${viewer.userId}
    GROUP BY blocked_id ORDER BY blocked_id`;
}

function isOfUser(context: ActingContext): context is UserContext {
  return context.viewer.kind === 'user';
}

async function findOther(userId: number, context: UserContext): Promise<User> {
  if (userId === context.viewer.userId) throw new UnprocessableError('OWN_USER');
  return findUser(userId, context);
}
