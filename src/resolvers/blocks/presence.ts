import type { ActingContext } from '../../context.ts';
import type { ActingViewer } from '../../lib/access.ts';
import { BadInputError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import type { LiveQueue } from '../../realtime/live-queue.ts';
import type { PresenceOf } from '../../realtime/presence-subscriptions.ts';
import { hiddenUsers } from './between.ts';

export const MAX_USERS = 100;

/** Unknown users are offline, and those who block the caller or whom the caller blocks. @throws {BadInputError} */
export async function findPresence(userIds: number[], context: ActingContext): Promise<PresenceOf[]> {
  const { viewer, presence } = context;
  const { applicationId } = viewer;
  const distinct = distinctUsers(userIds);
  const hidden = await hiddenFrom(viewer, distinct);
  const isOnline = (userId: number) => !hidden.has(userId) && presence.isOnline({ applicationId, userId });
  return distinct.map((userId) => ({ userId, online: isOnline(userId) }));
}

/** The current state, then changes. @throws {BadInputError} more than 100 */
export async function subscribeToPresence(
  userIds: number[],
  { viewer, presence }: ActingContext,
): Promise<LiveQueue<PresenceOf>> {
  const distinct = distinctUsers(userIds);
  const hidden = await hiddenFrom(viewer, distinct);
  const subscriber = viewer.kind === 'user' ? { userId: viewer.userId, hidden } : undefined;
  return presence.subscribe(viewer.applicationId, distinct, subscriber);
}

async function hiddenFrom(viewer: ActingViewer, userIds: number[]): Promise<ReadonlySet<number>> {
  if (viewer.kind === 'key') return new Set();
  const { applicationId, userId } = viewer;
  return hiddenUsers({ applicationId, userId, otherIds: userIds });
}

function distinctUsers(userIds: number[]): number[] {
  const distinct = [...new Set(userIds)];
  if (distinct.length > MAX_USERS) throw new BadInputError(problem('TOO_MANY_USERS', { max: MAX_USERS }));
  return distinct;
}
