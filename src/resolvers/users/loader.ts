import DataLoader from 'dataloader';
import { db } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import { indexBy } from '../../lib/collections.ts';

/** Users by id; null for those who are gone. */
export function userLoader(): DataLoader<{ applicationId: number; id: number }, User | null, number> {
  return new DataLoader(
    async (keys) => {
      const ids = keys.map((key) => key.id);
      const users = await db.user.findMany({ where: { applicationId: keys[0]!.applicationId, id: { in: ids } } });
      const byId = indexBy(users, (user) => user.id);
      return ids.map((id) => byId.get(id) ?? null);
    },
    { cacheKeyFn: ({ id }) => id },
  );
}
