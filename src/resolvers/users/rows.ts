import { db } from '../../db/client.ts';
import type { User } from '../../generated/prisma/client.ts';
import { indexBy } from '../../lib/collections.ts';

/** Ids of one statement, which takes no more than 32,767 values. */
const AT_ONCE = 10_000;

/** The users in the order of the ids, without those that are gone. */
export async function usersById(applicationId: number, ids: number[]): Promise<User[]> {
  const found: User[] = [];
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const id = { in: ids.slice(start, start + AT_ONCE) };
    found.push(...(await db.user.findMany({ where: { applicationId, id } })));
  }
  const users = indexBy(found, (user) => user.id);
  return ids.flatMap((id) => users.get(id) ?? []);
}
