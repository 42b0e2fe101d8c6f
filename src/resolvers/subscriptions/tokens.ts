import type { UserContext } from '../../context.ts';
import { db, type Prisma, type Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { PushToken } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { NotFoundError, UnprocessableError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { lockOwner } from './lock.ts';
import { dropOldest, jsonOf } from './rows.ts';
import {
  checkedDevice,
  checkedToken,
  type DeviceInput,
  deviceProblems,
  isTokenOf,
  type PushTokenInput,
  tokenProblems,
} from './rules.ts';

/**
 * Keeps what a provider calls a device of the caller; told again, it is the same token with another sequence. Of more
 * than ten the one that was told of longest ago goes, with the subscriptions made from it.
 * @throws {UnprocessableError} all that is wrong with it
 */
export async function createPushToken(
  { token, device }: { token: PushTokenInput; device: DeviceInput },
  context: UserContext,
  selection: Prisma.PushTokenDefaultArgs = {},
): Promise<PushToken> {
  const problems = [...tokenProblems(token, isTokenOf([], context.pushGateways)), ...deviceProblems(device)];
  if (problems.length > 0) throw new UnprocessableError(...problems);
  const { applicationId, userId } = context.viewer;
  const { keys, ...checked } = checkedToken(token);
  const { environment, bundleIdentifier } = checked;
  const kept = checkedDevice(device);
  const at = context.now();
  return transact(jobOwnerOf(context.viewer), async (transaction) => {
    await lockOwner(transaction, context);
    const known = await transaction.pushToken.findFirst({
      where: { applicationId, userId, environment, bundleIdentifier, udid: kept.udid },
      select: { id: true },
    });
    const sessionId = context.viewer.session?.id ?? null;
    const values = { ...checked, ...kept, keys: jsonOf(keys), sessionId, updatedAt: at };
    if (known) {
      const id = { applicationId, id: known.id };
      return transaction.pushToken.update({ ...selection, where: { applicationId_id: id }, data: values });
    }
    const made = await transaction.pushToken.create({
      ...selection,
      data: { applicationId, userId, ...values, createdAt: at },
    });
    await dropOldest(transaction.pushToken, context);
    return made;
  });
}

/**
 * Forgets a token of the caller's, with the subscriptions made from it.
 * @throws {NotFoundError} unknown, or another's
 */
export async function deletePushToken(id: number, { viewer }: UserContext): Promise<true> {
  const { applicationId, userId } = viewer;
  const { count } = isDatabaseId(id)
    ? await db.pushToken.deleteMany({ where: { applicationId, userId, id } })
    : { count: 0 };
  if (count === 0) throw new NotFoundError();
  return true;
}

/** The token that the user told of last. */
export function latestToken(transaction: Transaction, { viewer }: UserContext): Promise<PushToken | null> {
  const { applicationId, userId } = viewer;
  return transaction.pushToken.findFirst({
    where: { applicationId, userId },
    orderBy: [{ updatedAt: 'desc' }, { id: 'desc' }],
  });
}
