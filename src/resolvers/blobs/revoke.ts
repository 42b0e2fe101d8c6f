import type { Transaction } from '../../db/client.ts';
import { type ReleasedKey, releaseFile } from '../files/staged.ts';
import { filesOf } from './rows.ts';

/** @returns bytes for `removeReleased` after the transaction */
export async function revokeUploads(
  transaction: Transaction,
  { applicationId, userId }: { applicationId: number; userId: number },
  at: Date,
): Promise<ReleasedKey[]> {
  const revoked = await transaction.$queryRaw<{ applicationId: number; storageKey: string | null }[]>`
    DELETE FROM blob_uploads u USING blobs b
    WHERE b.application_id = ${applicationId} AND b.user_id = ${userId}
      AND u.application_id = b.application_id AND u.blob_id = b.id
    RETURNING u.application_id AS "applicationId", u.storage_key AS "storageKey"`;
  const files = filesOf(...revoked);
  await releaseFile(transaction, files, at);
  return files;
}
