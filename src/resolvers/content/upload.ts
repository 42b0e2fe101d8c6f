import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { UnprocessableError, UploadDeniedError } from '../../lib/errors.ts';
import { claimFile, releaseFile, removeReleased } from '../files/staged.ts';
import { requireUploadAccess, type UploadFields } from './access.ts';
import { filesOf, lockBlob } from './rows.ts';

/** Bytes that have come for a blob, which nobody sees before they are completed. */
export interface UploadedBlob {
  uid: string;
  size: number;
  /** In hex. */
  md5: string;
}

/**
 * Takes over the file that came with the request as the bytes of a blob. Uploaded again before it is completed, say
 * after a lost answer, the latest bytes count.
 * @throws {UnprocessableError} no file @throws {UploadDeniedError} expired, badly signed, unknown or completed
 */
export async function uploadBlob(fields: UploadFields, context: Context): Promise<UploadedBlob> {
  const { upload: file, now } = context;
  if (!file) throw new UnprocessableError('File is missing');
  const blob = await requireUploadAccess(fields, context);

  const replaced = await transact(jobOwnerOf(blob), async (transaction) => {
    const { applicationId, upload } = await lockBlob(transaction, blob);
    // Completed, or given anew, since it was looked at.
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
