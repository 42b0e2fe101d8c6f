import { coalesce } from '../../db/coalesce.ts';
import { query } from '../../db/query.ts';
import type { Blob } from '../../generated/prisma/client.ts';

/**
 * Whether a session finds the blob by its number: numbers are consecutive, so by `owner` they open to others
 * only what is public.
 * @param readerId the user; null: an application session
 */
export async function isReadableByNumber(
  { applicationId, isPublic, userId }: Pick<Blob, 'applicationId' | 'isPublic' | 'userId'>,
  readerId: number | null,
): Promise<boolean> {
  return isPublic || userId === readerId || isOpenToSessions(applicationId);
}

const isOpenToSessions = coalesce(async (applicationIds: number[]): Promise<boolean[]> => {
  const rows = await query<{ id: number }>`
    SELECT id FROM applications WHERE id = ANY(${applicationIds}::int[]) AND files_by_number = 'session'`;
  const open = new Set(rows.map(({ id }) => id));
  return applicationIds.map((id) => open.has(id));
});
