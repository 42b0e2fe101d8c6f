import { Prisma, type Transaction } from '../../db/client.ts';
import { applicationOf, coalesce } from '../../db/coalesce.ts';
import { query } from '../../db/query.ts';
import { ForbiddenError } from '../../lib/errors.ts';

/** Whether private messages of the sender to the recipient are refused. Evaluated only where it is needed, in a CASE. */
export function isRefused(applicationId: number, senderId: Prisma.Sql, recipientId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT true FROM user_blocks b
    WHERE b.application_id = ${applicationId}
      AND (b.user_id, b.blocked_id) IN ((${recipientId}, ${senderId}), (${senderId}, ${recipientId}))
      AND CASE WHEN b.user_id = ${senderId} THEN b.is_mutual ELSE b.in_private END LIMIT 1) IS TRUE`;
}

/** @throws {ForbiddenError} */
export async function requireUnblocked(
  transaction: Transaction,
  { applicationId, userId }: { applicationId: number; userId: number },
  recipientId: number,
): Promise<void> {
  const refused = isRefused(applicationId, Prisma.sql`${userId}::int`, Prisma.sql`${recipientId}::int`);
  const [row] = await transaction.$queryRaw<{ refused: boolean }[]>`SELECT ${refused} AS refused`;
  if (row!.refused) throw new ForbiddenError('BLOCKED');
}

interface Others {
  applicationId: number;
  userId: number;
  otherIds: readonly number[];
}

/** The others who do not see whether the user is online, and whom the user does not see either. */
export const hiddenUsers = coalesce(
  async (wanted: Others[], applicationId: number): Promise<Set<number>[]> => {
    const pairs = wanted.flatMap(({ userId, otherIds }, ord) => otherIds.map((otherId) => ({ ord, userId, otherId })));
    const rows = await query<{ ord: number; otherId: number }>`
      SELECT w.ord, w.other_id AS "otherId"
      FROM unnest(${pairs.map(({ ord }) => ord)}::int[], ${pairs.map(({ userId }) => userId)}::int[],
        ${pairs.map(({ otherId }) => otherId)}::int[]) AS w (ord, user_id, other_id)
      WHERE EXISTS (SELECT FROM user_blocks b WHERE b.application_id = ${applicationId} AND b.in_private
        AND (b.user_id, b.blocked_id) IN ((w.user_id, w.other_id), (w.other_id, w.user_id)))`;
    const hidden = wanted.map(() => new Set<number>());
    for (const { ord, otherId } of rows) hidden[ord]!.add(otherId);
    return hidden;
  },
  { applicationOf },
);

type Standing = 'open' | 'refused' | 'unknown';

/** Whether the sender may send to the user. */
export const standingWith = coalesce(
  async (
    wanted: { applicationId: number; senderId: number; userId: number }[],
    applicationId: number,
  ): Promise<Standing[]> => {
    const refused = isRefused(applicationId, Prisma.sql`w.sender_id`, Prisma.sql`u.id`);
    const rows = await query<{ ord: number; refused: boolean }>`
      SELECT w.ord::int AS ord, ${refused} AS refused
      FROM unnest(${wanted.map(({ senderId }) => senderId)}::int[], ${wanted.map(({ userId }) => userId)}::int[])
        WITH ORDINALITY AS w (sender_id, user_id, ord)
      JOIN users u ON u.application_id = ${applicationId} AND u.id = w.user_id`;
    const known = new Map(rows.map((row) => [row.ord, row.refused]));
    return wanted.map((_, index) => {
      const isKnownRefused = known.get(index + 1);
      return isKnownRefused === undefined ? 'unknown' : isKnownRefused ? 'refused' : 'open';
    });
  },
  { applicationOf },
);

/** Users who do not receive what this user does in groups, or in private dialogs. */
export const blockersOf = coalesce(
  async (
    wanted: { applicationId: number; userId: number; isInGroup: boolean }[],
    applicationId: number,
  ): Promise<number[][]> => {
    const rows = await query<{ ord: number; userId: number }>`
      SELECT w.ord::int AS ord, b.user_id AS "userId"
      FROM unnest(${wanted.map(({ userId }) => userId)}::int[], ${wanted.map(({ isInGroup }) => isInGroup)}::boolean[])
        WITH ORDINALITY AS w (user_id, in_group, ord)
      JOIN user_blocks b ON b.application_id = ${applicationId} AND b.blocked_id = w.user_id
        AND CASE WHEN w.in_group THEN b.in_groups ELSE b.in_private END`;
    const blockers = wanted.map((): number[] => []);
    for (const { ord, userId } of rows) blockers[ord - 1]!.push(userId);
    return blockers;
  },
  { applicationOf },
);
