import type { ActingContext } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import type { Blob } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { releaseFile, removeReleased } from '../files/staged.ts';
import { filesOf, lockBlob, requireBlob, requireOwn } from './rows.ts';

/** Ends the right to upload. Idempotent, so that clients can retry. @throws {UnprocessableError} no upload */
export async function completeBlob(id: number, context: ActingContext): Promise<Blob> {
  const found = await requireBlob(id, context.viewer);
  requireOwn(found, context.viewer);

  const at = context.now();
  const { blob, replaced } = await transact(jobOwnerOf(context.viewer), async (transaction) => {
    const { upload, ...before } = await lockBlob(transaction, found);
    if (!upload && before.storageKey) return { blob: before, replaced: [] };
    if (!upload?.storageKey) throw new UnprocessableError('NOT_UPLOADED');

    const { applicationId } = before;
    const { storageKey, size } = upload;
    const earlier = filesOf(before);
    await releaseFile(transaction, earlier, at);
    await transaction.blobUpload.delete({ where: { applicationId_id: { applicationId, id: upload.id } } });
    const after = await transaction.blob.update({
      where: { applicationId_id: { applicationId, id } },
      data: { storageKey, size, completedAt: at, updatedAt: at },
    });
    return { blob: after, replaced: earlier };
  });
  await removeReleased(replaced, context);
  return blob;
}
