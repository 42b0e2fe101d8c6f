import type { ActingContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { BlobUpload } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { InvalidFieldsError } from '../../lib/errors.ts';
import { releaseFile, removeReleased } from '../files/staged.ts';
import { newAccess } from './access.ts';
import { admitAdministrator } from './administrators.ts';
import { type BlobRow, type BlobWithUpload, filesOf, lockBlob, requireBlob, requireOwn } from './rows.ts';
import { type BlobInput, changeProblems, checkedChanges } from './rules.ts';

export interface BlobChanges extends BlobInput {
  /** Issues a new right to upload; the previous one ends and its bytes are released. */
  new?: unknown;
}

/** The bytes are unchanged until a new upload is completed. */
export async function updateBlob(id: number, input: BlobChanges, context: ActingContext): Promise<BlobRow> {
  const problems = changeProblems(input);
  if (Object.keys(problems).length > 0) throw new InvalidFieldsError(problems);
  const found = await requireBlob(id, context.viewer);
  requireOwn(found, context.viewer);
  // Every client can read a public file, and the permission to upload contains its `uid`.
  if (input.public === true || input.new === true) await admitAdministrator(found, context);

  const at = context.now();
  const { blob, abandoned } = await transact(jobOwnerOf(context.viewer), async (transaction) => {
    const before = await lockBlob(transaction, found);
    const { applicationId } = before;
    const lost = input.new === true ? filesOf(before.upload) : [];
    await releaseFile(transaction, lost, at);
    const upload = input.new === true ? await renewAccess(transaction, before, at) : undefined;
    const after = await transaction.blob.update({
      where: { applicationId_id: { applicationId, id } },
      data: { ...checkedChanges(input), updatedAt: at },
    });
    return { blob: { ...after, ...(upload && { upload }) }, abandoned: lost };
  });
  await removeReleased(abandoned, context);
  return blob;
}

async function renewAccess(
  transaction: Transaction,
  { applicationId, id: blobId, upload }: BlobWithUpload,
  at: Date,
): Promise<BlobUpload> {
  if (upload) await transaction.blobUpload.delete({ where: { applicationId_id: { applicationId, id: upload.id } } });
  return transaction.blobUpload.create({ data: { applicationId, blobId, ...newAccess(at) } });
}
