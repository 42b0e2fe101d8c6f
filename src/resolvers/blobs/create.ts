import type { UserContext } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { InvalidFieldsError } from '../../lib/errors.ts';
import { newAccess } from './access.ts';
import type { BlobRow } from './rows.ts';
import { type BlobInput, checkedBlob, newBlobProblems } from './rules.ts';
import { newUid } from './uids.ts';

/** The right to upload expires after an hour. @throws {InvalidFieldsError} */
export async function createBlob(input: BlobInput, { viewer, now }: UserContext): Promise<BlobRow> {
  const problems = newBlobProblems(input);
  if (Object.keys(problems).length > 0) throw new InvalidFieldsError(problems);

  const { applicationId, userId } = viewer;
  const at = now();
  const { upload, ...blob } = await transact(jobOwnerOf(viewer), (transaction) =>
    transaction.blob.create({
      data: {
        ...checkedBlob(input),
        applicationId,
        userId,
        uid: newUid(applicationId),
        createdAt: at,
        updatedAt: at,
        upload: { create: newAccess(at) },
      },
      include: { upload: true },
    }),
  );
  return { ...blob, upload: upload! };
}
