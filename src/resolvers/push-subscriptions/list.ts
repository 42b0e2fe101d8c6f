import type { UserContext } from '../../context.ts';
import { db, type Prisma } from '../../db/client.ts';
import type { PushSubscription } from '../../generated/prisma/client.ts';

export function listSubscriptions(
  { viewer }: UserContext,
  selection: Prisma.PushSubscriptionDefaultArgs = {},
): Promise<PushSubscription[]> {
  const { applicationId, userId } = viewer;
  return db.pushSubscription.findMany({ ...selection, where: { applicationId, userId }, orderBy: { id: 'asc' } });
}
