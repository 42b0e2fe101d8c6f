import { applicationOf, coalesce } from '../../db/coalesce.ts';
import { columns, columnsOf } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import type { User } from '../../generated/prisma/client.ts';
import { indexBy } from '../../lib/collections.ts';

export const USER_COLUMNS = columnsOf('User', 'u');
const ORD = columns({ ord: ['int', 'wanted.ord::int'] });

export const userById = coalesce(
  async (wanted: { applicationId: number; id: number }[], applicationId: number): Promise<(User | undefined)[]> => {
    const rows = await query`
      SELECT ${USER_COLUMNS}, ${ORD}
      FROM unnest(${wanted.map(({ id }) => id)}::int[]) WITH ORDINALITY AS wanted (id, ord)
      JOIN users u ON u.application_id = ${applicationId} AND u.id = wanted.id`;
    const users = indexBy(rows, ({ ord }) => ord);
    return wanted.map((_one, index) => users.get(index + 1));
  },
  { max: 1_000, applicationOf },
);

/** In the order of the ids, without deleted users. */
export async function usersById(applicationId: number, ids: number[]): Promise<User[]> {
  if (ids.length === 0) return [];
  const rows = await query`
    SELECT ${USER_COLUMNS} FROM users u WHERE u.application_id = ${applicationId} AND u.id = ANY(${ids}::int[])`;
  const users = indexBy(rows, ({ id }) => id);
  return ids.flatMap((id) => users.get(id) ?? []);
}
