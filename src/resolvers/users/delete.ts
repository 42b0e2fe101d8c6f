import type { ActingContext } from '../../context.ts';
import { transactInTurns } from '../../db/lock-turns.ts';
import type { User } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { UnknownUserError } from '../../lib/errors.ts';
import { announceDeletedUser } from '../../realtime/outbox.ts';
import { leaveAllDialogs } from '../dialogs/leave.ts';
import { removeReactionsOf } from '../messages/reactions-of.ts';
import { endSessionsOf } from '../sessions/end.ts';
import { findUser, findUserByExternalId } from './find.ts';
import { requireOwn } from './own.ts';

/**
 * Deletes a user with their sessions, reactions and dialog memberships; their messages stay (gaps §4.2).
 * @throws {InvalidFieldsError} an id that is no positive integer
 * @throws {UnknownUserError} @throws {OtherUserError} checked in this order
 */
export async function deleteUser(id: number, context: ActingContext): Promise<true> {
  return remove(await findUser(id, context), context);
}

/** The same by the user's id in an integrated external system. */
export async function deleteUserByExternalId(externalUserId: number, context: ActingContext): Promise<true> {
  return remove(await findUserByExternalId(externalUserId, context), context);
}

/** A user may be in thousands of dialogs. */
const TIMEOUT_MS = 60_000;

async function remove(user: User, context: ActingContext): Promise<true> {
  requireOwn(user, context);
  const { applicationId, id: userId } = user;
  const at = context.now();
  await transactInTurns(
    jobOwnerOf(context.viewer),
    async (transaction) => {
      // The user first, then dialogs, then members: nobody who holds one of the latter waits for the former.
      const locked = await transaction.$executeRaw`
        SELECT FROM users WHERE application_id = ${applicationId} AND id = ${userId} FOR UPDATE`;
      if (locked === 0) throw new UnknownUserError();
      await leaveAllDialogs(transaction, { applicationId, userId }, at);
      await removeReactionsOf(transaction, { applicationId, userId }, at);
      await transaction.$executeRaw`
        DELETE FROM message_keys WHERE application_id = ${applicationId} AND user_id = ${userId}`;
      await endSessionsOf(transaction, { applicationId, userId }, at);
      await transaction.$executeRaw`DELETE FROM users WHERE application_id = ${applicationId} AND id = ${userId}`;
      await announceDeletedUser(transaction, { applicationId, userId }, at);
    },
    { timeout: TIMEOUT_MS },
  );
  context.outbox.wake();
  return true;
}
