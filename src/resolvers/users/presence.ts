import type { ActingContext } from '../../context.ts';
import { BadInputError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import type { LiveQueue } from '../../realtime/live-queue.ts';
import type { PresenceOf } from '../../realtime/presence.ts';

export const MAX_USERS = 100;

/** Unknown users are offline. @throws {BadInputError} more than 100 */
export function findPresence(userIds: number[], { viewer, presence }: ActingContext): PresenceOf[] {
  const { applicationId } = viewer;
  return distinctUsers(userIds).map((userId) => ({ userId, online: presence.isOnline({ applicationId, userId }) }));
}

/** The current state, then changes. @throws {BadInputError} more than 100 */
export function subscribeToPresence(userIds: number[], { viewer, presence }: ActingContext): LiveQueue<PresenceOf> {
  return presence.subscribe(viewer.applicationId, distinctUsers(userIds));
}

function distinctUsers(userIds: number[]): number[] {
  const distinct = [...new Set(userIds)];
  if (distinct.length > MAX_USERS) throw new BadInputError(problem('TOO_MANY_USERS', { max: MAX_USERS }));
  return distinct;
}
