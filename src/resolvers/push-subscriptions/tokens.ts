import type { UserContext } from '../../context.ts';
import type { Prisma, Transaction } from '../../db/client.ts';
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

/** Repeating it updates the token. Drops the oldest beyond ten, with their subscriptions. */
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

/** Also deletes its subscriptions. */
export async function deletePushToken(id: number, { viewer }: UserContext): Promise<true> {
  const { applicationId, userId } = viewer;
  const where = { applicationId, userId, id: isDatabaseId(id) ? id : 0 };
  const { count } = await transact(jobOwnerOf(viewer), (transaction) => transaction.pushToken.deleteMany({ where }));
  if (count === 0) throw new NotFoundError();
  return true;
}

export function latestToken(transaction: Transaction, { viewer }: UserContext): Promise<PushToken | null> {
  const { applicationId, userId } = viewer;
  return transaction.pushToken.findFirst({
    where: { applicationId, userId },
    orderBy: [{ updatedAt: 'desc' }, { id: 'desc' }],
  });
}
