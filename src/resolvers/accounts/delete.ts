import type { ActingContext } from '../../context.ts';
import { Prisma, type Transaction } from '../../db/client.ts';
import { transactInTurns } from '../../db/lock-turns.ts';
import { runLong } from '../../db/long-work.ts';
import type { User } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { UnknownUserError } from '../../lib/errors.ts';
import { appendDeletedUser } from '../../realtime/outbox.ts';
import { leaveDialogs } from '../dialogs/leave.ts';
import { removeReactionsOf } from '../messages/reactions-of.ts';
import { findUser, findUserByExternalId } from '../users/find.ts';
import { requireOwn } from '../users/own.ts';
import { endSessionsOf } from '../users/revoke.ts';

/**
 * Deletes a user with their sessions, reactions and dialog memberships; their messages stay.
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

async function remove(user: User, context: ActingContext): Promise<true> {
  requireOwn(user, context);
  const key = { applicationId: user.applicationId, userId: user.id };
  const owner = jobOwnerOf(context.viewer);
  const at = context.now();
  await runLong(owner, async (runStep) => {
    const leave = async (transaction: Transaction) => {
      await lockUser(transaction, key);
      return leaveDialogs(transaction, key, at);
    };
    while ((await transactInTurns(owner, leave, runStep)) === 'more') context.outbox.wake();
    await transactInTurns(owner, (transaction) => removeRows(transaction, key, at), runStep);
  });
  context.outbox.wake();
  return true;
}

interface UserKey {
  applicationId: number;
  userId: number;
}

/** The user first, then dialogs, then members: nobody who holds one of the latter waits for the former. */
async function lockUser(transaction: Transaction, { applicationId, userId }: UserKey): Promise<void> {
  const locked = await transaction.$executeRaw`
    SELECT FROM users WHERE application_id = ${applicationId} AND id = ${userId} FOR UPDATE`;
  if (locked === 0) throw new UnknownUserError();
}

async function removeRows(transaction: Transaction, key: UserKey, at: Date): Promise<void> {
  const { applicationId, userId } = key;
  await lockUser(transaction, key);
  // Dialogs that the user came into since the steps before.
  while ((await leaveDialogs(transaction, key, at)) === 'more');
  const ofUser = Prisma.sql`application_id = ${applicationId} AND user_id = ${userId}`;
  // Public groups have hidden messages and mutes of users who are no members.
  await transaction.$executeRaw`DELETE FROM hidden_messages WHERE ${ofUser}`;
  await transaction.$executeRaw`DELETE FROM muted_dialogs WHERE ${ofUser}`;
  await removeReactionsOf(transaction, key, at);
  await transaction.$executeRaw`DELETE FROM message_keys WHERE ${ofUser}`;
  await endSessionsOf(transaction, key, at);
  await transaction.$executeRaw`DELETE FROM users WHERE application_id = ${applicationId} AND id = ${userId}`;
  await appendDeletedUser(transaction, key, at);
}
