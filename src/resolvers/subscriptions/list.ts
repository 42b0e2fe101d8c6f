import type { UserContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import type { PushSubscription } from '../../generated/prisma/client.ts';

/** All subscriptions of the caller, by id. */
export function listSubscriptions({ viewer }: UserContext): Promise<PushSubscription[]> {
  const { applicationId, userId } = viewer;
  return db.pushSubscription.findMany({ where: { applicationId, userId }, orderBy: { id: 'asc' } });
}
