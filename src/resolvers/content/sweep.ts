import type { Transaction } from '../../db/client.ts';
import { BACKGROUND, transact } from '../../db/transact.ts';
import { DAY } from '../../lib/time.ts';
import { releaseFile } from '../files/staged.ts';

/** How long after its right to upload a blob may still be completed, or be given a new right. */
const UPLOAD_LIFETIME_MS = DAY;

/** Blobs of one transaction. */
const BATCH = 100;

interface Unfinished {
  applicationId: number;
  blobId: number;
  uploadId: number;
  /** Of what was uploaded. */
  key: string | null;
}

/** Ends uploads that nobody has completed; a blob that was never complete goes with its upload. */
export async function sweepUnfinishedBlobs(now: Date): Promise<void> {
  while ((await sweepBatch(now)) === BATCH);
}

function sweepBatch(now: Date): Promise<number> {
  const before = new Date(now.getTime() - UPLOAD_LIFETIME_MS);
  return transact(BACKGROUND, async (transaction) => {
    // Both rows are held, so what has been completed or uploaded since this statement began is seen as it is now. One
    // that somebody else holds is being used.
    const unfinished = await transaction.$queryRaw<Unfinished[]>`
      SELECT u.application_id AS "applicationId", u.blob_id AS "blobId", u.id AS "uploadId", u.storage_key AS key
      FROM blob_uploads u JOIN blobs b ON b.application_id = u.application_id AND b.id = u.blob_id
      WHERE u.expires_at < ${before} ORDER BY u.expires_at LIMIT ${BATCH} FOR UPDATE OF b, u SKIP LOCKED`;
    if (unfinished.length > 0) await remove(transaction, unfinished, now);
    return unfinished.length;
  });
}

async function remove(transaction: Transaction, unfinished: Unfinished[], now: Date): Promise<void> {
  const files = unfinished.flatMap(({ applicationId, key }) => (key ? [{ applicationId, key }] : []));
  const applicationIds = unfinished.map(({ applicationId }) => applicationId);
  await releaseFile(transaction, files, now);
  await transaction.$executeRaw`
    DELETE FROM blob_uploads WHERE (application_id, id) IN (
      SELECT * FROM unnest(${applicationIds}::int[], ${unfinished.map(({ uploadId }) => uploadId)}::int[]))`;
  await transaction.$executeRaw`
    DELETE FROM blobs WHERE storage_key IS NULL AND (application_id, id) IN (
      SELECT * FROM unnest(${applicationIds}::int[], ${unfinished.map(({ blobId }) => blobId)}::int[]))`;
}
