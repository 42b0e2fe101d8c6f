import type { Services } from '../../context.ts';
import type { Prisma, Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { User } from '../../generated/prisma/client.ts';
import { jobOwnerOf, type OfApplication } from '../../lib/access.ts';
import { UnknownUserError } from '../../lib/errors.ts';
import { knownId } from '../../lib/tokens.ts';
import { endSessionsOf, removeDevices } from './revoke.ts';

type ModerationContext = Pick<Services, 'now' | 'outbox'> & { viewer: OfApplication };

/** Ends the sessions of the user, removes their devices and refuses later sign-ins. @throws {UnknownUserError} */
export async function blockEverywhere(id: number, context: ModerationContext): Promise<User> {
  const at = context.now();
  const blocked = await change(id, { blockedAt: at, updatedAt: at }, context, async (transaction, applicationId) => {
    await endSessionsOf(transaction, { applicationId, userId: id }, at);
    await removeDevices(transaction, { applicationId, userId: id });
  });
  context.outbox.wake();
  return blocked;
}

/** @throws {UnknownUserError} */
export function unblockEverywhere(id: number, context: ModerationContext): Promise<User> {
  return change(id, { blockedAt: null, updatedAt: context.now() }, context);
}

/** @returns the number of ended sessions @throws {UnknownUserError} */
export async function endUserSessions(id: number, context: ModerationContext): Promise<number> {
  const { applicationId } = context.viewer;
  const at = context.now();
  const count = await transact(jobOwnerOf(context.viewer), async (transaction) => {
    const users = await transaction.$executeRaw`
      SELECT FROM users WHERE application_id = ${applicationId} AND id = ${knownId(id)} FOR NO KEY UPDATE`;
    if (users === 0) throw new UnknownUserError();
    const open = await transaction.session.count({ where: { applicationId, userId: id } });
    await endSessionsOf(transaction, { applicationId, userId: id }, at);
    return open;
  });
  context.outbox.wake();
  return count;
}

function change(
  id: number,
  data: Prisma.UserUpdateManyMutationInput,
  { viewer }: ModerationContext,
  work?: (transaction: Transaction, applicationId: number) => Promise<void>,
): Promise<User> {
  const { applicationId } = viewer;
  return transact(jobOwnerOf(viewer), async (transaction) => {
    const where = { applicationId, id: knownId(id) };
    const [user] = await transaction.user.updateManyAndReturn({ where, data });
    if (!user) throw new UnknownUserError();
    await work?.(transaction, applicationId);
    return user;
  });
}
