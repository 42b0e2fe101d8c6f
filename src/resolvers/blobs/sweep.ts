import type { Transaction } from '../../db/client.ts';
import { columns, type RowOf, select } from '../../db/columns.ts';
import { queryIn } from '../../db/query.ts';
import { BACKGROUND, transact } from '../../db/transact.ts';
import { DAY } from '../../lib/time.ts';
import { releaseFile } from '../files/staged.ts';

/** Counted from the expiry of the right to upload. */
const UPLOAD_LIFETIME_MS = DAY;

const BATCH = 100;

const UNFINISHED = columns({
  applicationId: ['int', 'u.application_id'],
  blobId: ['int', 'u.blob_id'],
  uploadId: ['int', 'u.id'],
  key: ['text | null', 'u.storage_key'],
});
type Unfinished = RowOf<[typeof UNFINISHED]>;

export async function sweepUnfinishedBlobs(now: Date): Promise<void> {
  while ((await sweepBatch(now)) === BATCH);
}

function sweepBatch(now: Date): Promise<number> {
  const before = new Date(now.getTime() - UPLOAD_LIFETIME_MS);
  return transact(BACKGROUND, async (transaction) => {
    // Locks both rows, so that an upload or completion since the statement began is seen; a locked blob is in use.
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
