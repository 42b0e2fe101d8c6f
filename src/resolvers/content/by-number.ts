import { coalesce } from '../../db/coalesce.ts';
import { query } from '../../db/query.ts';
import type { Blob } from '../../generated/prisma/client.ts';

/** Ids are consecutive, so with `files_by_number = 'owner'` sessions find only public blobs and their own by id. */
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
