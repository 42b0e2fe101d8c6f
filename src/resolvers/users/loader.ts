import DataLoader from 'dataloader';
import type { User } from '../../generated/prisma/client.ts';
import { userById } from './rows.ts';

/** Null if deleted. */
export function userLoader(): DataLoader<{ applicationId: number; id: number }, User | null, number> {
  return new DataLoader(async (keys) => Promise.all(keys.map(async (key) => (await userById(key)) ?? null)), {
    cacheKeyFn: ({ id }) => id,
  });
}
