import type { Transaction } from '../../db/client.ts';
import { columns, type RowOf, select } from '../../db/columns.ts';
import { queryIn } from '../../db/query.ts';
import { BACKGROUND, transact } from '../../db/transact.ts';
import { DAY } from '../../lib/time.ts';
import { releaseFile } from '../files/staged.ts';

/** How long after its right to upload a blob may still be completed, or be given a new right. */
const UPLOAD_LIFETIME_MS = DAY;

/** Blobs of one transaction. */
const BATCH = 100;

const UNFINISHED = columns({
  applicationId: ['int', 'u.application_id'],
  blobId: ['int', 'u.blob_id'],
  uploadId: ['int', 'u.id'],
  // Of the uploaded bytes.
  key: ['text | null', 'u.storage_key'],
});
type Unfinished = RowOf<[typeof UNFINISHED]>;

/** Ends uploads that nobody has completed; a blob that was never complete goes with its upload. */
export async function sweepUnfinishedBlobs(now: Date): Promise<void> {
  while ((await sweepBatch(now)) === BATCH);
}

function sweepBatch(now: Date): Promise<number> {
  const before = new Date(now.getTime() - UPLOAD_LIFETIME_MS);
  return transact(BACKGROUND, async (transaction) => {
    // Both rows are held, so what has been completed or uploaded since this statement began is seen as it is now. One
    // that somebody else holds is being used.
    const statement = select`
      SELECT ${UNFINISHED} FROM blob_uploads u JOIN blobs b ON b.application_id = u.application_id AND b.id = u.blob_id
      WHERE u.expires_at < ${before} ORDER BY u.expires_at LIMIT ${BATCH} FOR UPDATE OF b, u SKIP LOCKED`;
    const unfinished = await queryIn(transaction, statement);
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
