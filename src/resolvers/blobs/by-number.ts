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

const isOpenToSessions = coalesce(
  async (calls: number[], applicationId: number): Promise<boolean[]> => {
    const [row] = await query<{ isOpen: boolean }>`
      SELECT files_by_number = 'session' AS "isOpen" FROM applications WHERE id = ${applicationId}`;
    return calls.map(() => row?.isOpen ?? false);
  },
  { applicationOf: (applicationId) => applicationId },
);
