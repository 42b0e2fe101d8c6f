import DataLoader from 'dataloader';
import type { User } from '../../generated/prisma/client.ts';
import { userById } from './rows.ts';

/** Users by id, each read once per request; null for those who are gone. */
export function userLoader(): DataLoader<{ applicationId: number; id: number }, User | null, number> {
  return new DataLoader(async (keys) => Promise.all(keys.map(async (key) => (await userById(key)) ?? null)), {
    cacheKeyFn: ({ id }) => id,
  });
}
