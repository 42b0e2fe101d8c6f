import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { UnprocessableError, UploadDeniedError } from '../../lib/errors.ts';
import { claimFile, releaseFile, removeReleased } from '../files/staged.ts';
import { requireUploadAccess, type UploadFields } from './access.ts';
import { filesOf, lockBlob } from './rows.ts';

export interface UploadedBlob {
  uid: string;
  size: number;
  /** Hex. */
  md5: string;
}

/** Claims the staged file; until completion the latest upload wins, so that clients can retry. */
export async function uploadBlob(fields: UploadFields, context: Context): Promise<UploadedBlob> {
  const { upload: file, now } = context;
  if (!file) throw new UnprocessableError('FILE_MISSING');
  const blob = await requireUploadAccess(fields, context);

  const replaced = await transact(jobOwnerOf(blob), async (transaction) => {
    const { applicationId, upload } = await lockBlob(transaction, blob);
    // Completed or renewed since the check.
    if (upload?.id !== blob.upload.id) throw new UploadDeniedError();
    const earlier = filesOf(upload);
    await claimFile(transaction, file);
    await releaseFile(transaction, earlier, now());
    await transaction.blobUpload.update({
      where: { applicationId_id: { applicationId, id: upload.id } },
      data: { storageKey: file.key, size: file.size },
    });
    return earlier;
  });
  await removeReleased(replaced, context);
  return { uid: blob.uid, size: file.size, md5: file.md5 };
}
