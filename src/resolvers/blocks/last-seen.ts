import DataLoader from 'dataloader';
import type { Context, Services } from '../../context.ts';
import type { User } from '../../generated/prisma/client.ts';
import { blockersOf } from './between.ts';

interface UserKey {
  applicationId: number;
  userId: number;
}

/** Registers an open connection of the user. @returns unregisters it, and stores when the user was last seen */
export function goOnline(user: UserKey, { presence, sessionClock, now }: Services): () => void {
  const leave = presence.connect(user);
  return () => {
    leave();
    sessionClock.touchSeen(user, now());
  };
}

/** Now while the user is online; null: never, or the user blocks the caller. */
export async function lastSeenAt(
  user: User,
  { viewer, loaders, presence, sessionClock, now }: Context,
): Promise<Date | null> {
  const { applicationId, id } = user;
  if (viewer.kind === 'user' && viewer.userId !== id) {
    const blockers = await loaders.of(blockersLoader).load({ applicationId, userId: viewer.userId });
    if (blockers.has(id)) return null;
  }
  return presence.isOnline({ applicationId, userId: id }) ? now() : sessionClock.latestSeenOf(user);
}

/** Users who block the user. */
function blockersLoader(): DataLoader<UserKey, ReadonlySet<number>, number> {
  const blockers = async (key: UserKey) => new Set(await blockersOf({ ...key, isInGroup: false }));
  return new DataLoader((keys) => Promise.all(keys.map(blockers)), { cacheKeyFn: ({ userId }) => userId });
}
