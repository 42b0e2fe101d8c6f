import type { ActingContext } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { releaseFile, removeReleased } from '../files/staged.ts';
import { filesOf, lockBlob, requireBlob, requireOwn } from './rows.ts';

/** Deletes the bytes, too; downloads in flight complete. */
export async function deleteBlob(id: number, context: ActingContext): Promise<true> {
  const found = await requireBlob(id, context.viewer);
  requireOwn(found, context.viewer);

  const files = await transact(jobOwnerOf(context.viewer), async (transaction) => {
    const { upload, ...blob } = await lockBlob(transaction, found);
    const lost = filesOf(blob, upload);
    await releaseFile(transaction, lost, context.now());
    await transaction.blob.delete({ where: { applicationId_id: { applicationId: blob.applicationId, id } } });
    return lost;
  });
  await removeReleased(files, context);
  return true;
}
