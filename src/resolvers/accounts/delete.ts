import type { ActingContext } from '../../context.ts';
import { Prisma, type Transaction } from '../../db/client.ts';
import { transactInTurns } from '../../db/lock-turns.ts';
import { runLong } from '../../db/long-work.ts';
import type { User } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { UnknownUserError } from '../../lib/errors.ts';
import { appendNotices } from '../../realtime/outbox.ts';
import { removeContactsOf } from '../chat-contacts/change.ts';
import { leaveDialogs } from '../dialogs/leave.ts';
import { removeReactionsOf } from '../messages/reactions-of.ts';
import { requireFresh } from '../users/credentials.ts';
import { findUser, findUserByExternalId } from '../users/find.ts';
import { requireOwn } from '../users/own.ts';
import { endSessionsOf } from '../users/revoke.ts';

/** @throws {InvalidFieldsError} {UnknownUserError} {OtherUserError} in this order */
export async function deleteUser(id: number, context: ActingContext): Promise<true> {
  return remove(await findUser(id, context), context);
}

export async function deleteUserByExternalId(externalUserId: number, context: ActingContext): Promise<true> {
  return remove(await findUserByExternalId(externalUserId, context), context);
}

async function remove(user: User, context: ActingContext): Promise<true> {
  requireOwn(user, context);
  if (user.needsSecondFactor) requireFresh(context.viewer, context.now());
  return removeUser(user, context);
}

/** In short steps. */
export async function removeUser(
  user: User,
  context: Pick<ActingContext, 'viewer' | 'now'> & { outbox: Pick<ActingContext['outbox'], 'wake'> },
): Promise<true> {
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

/** Lock order is user, dialogs, members, so that transactions holding a dialog or a member never wait for the user. */
async function lockUser(transaction: Transaction, { applicationId, userId }: UserKey): Promise<void> {
  const locked = await transaction.$executeRaw`
    SELECT FROM users WHERE application_id = ${applicationId} AND id = ${userId} FOR UPDATE`;
  if (locked === 0) throw new UnknownUserError();
}

async function removeRows(transaction: Transaction, key: UserKey, at: Date): Promise<void> {
  const { applicationId, userId } = key;
  await lockUser(transaction, key);
  // The user may have joined dialogs since the previous steps.
  while ((await leaveDialogs(transaction, key, at)) === 'more');
  const ofUser = Prisma.sql`application_id = ${applicationId} AND user_id = ${userId}`;
  // In public groups, users who are not members can hide messages and mute the dialog.
  await transaction.$executeRaw`DELETE FROM hidden_messages WHERE ${ofUser}`;
  await transaction.$executeRaw`DELETE FROM muted_dialogs WHERE ${ofUser}`;
  await removeReactionsOf(transaction, key, at);
  await transaction.$executeRaw`DELETE FROM message_keys WHERE ${ofUser}`;
  await removeContactsOf(transaction, key, at);
  await endSessionsOf(transaction, key, at);
  await transaction.$executeRaw`DELETE FROM users WHERE application_id = ${applicationId} AND id = ${userId}`;
  await appendNotices(transaction, 'userDeleted', { applicationId, ids: [userId] }, at);
}
