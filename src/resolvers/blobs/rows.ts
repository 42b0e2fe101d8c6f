import { db, type Transaction } from '../../db/client.ts';
import type { Blob, BlobUpload } from '../../generated/prisma/client.ts';
import type { ActingViewer, IdentifiedViewer } from '../../lib/access.ts';
import { ForbiddenError, NotFoundError, requirePositive } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { applicationOfUid } from './uids.ts';

/** `upload`: of a new file, or one that is replaced. */
export type BlobRow = Blob & { upload?: BlobUpload };

export type BlobWithUpload = Blob & { upload: BlobUpload | null };

/** @throws {InvalidFieldsError} {NotFoundError} */
export async function requireBlob(id: number, { applicationId }: IdentifiedViewer): Promise<Blob> {
  requirePositive(id);
  const blob = isDatabaseId(id)
    ? await db.blob.findUnique({ where: { applicationId_id: { applicationId, id } } })
    : null;
  if (!blob) throw new NotFoundError();
  return blob;
}

/** Searches all applications, because the caller may have no credential. */
export async function findBlobByUid(uid: string): Promise<BlobWithUpload | null> {
  const applicationId = applicationOfUid(uid);
  if (applicationId === undefined) return null;
  // Not `findUnique`: Prisma would merge simultaneous look-ups of different applications into one statement.
  return db.blob.findFirst({ where: { applicationId, uid }, include: { upload: true } });
}

/** Every change of a blob locks its row first. @throws {NotFoundError} deleted in the meantime */
export async function lockBlob(
  transaction: Transaction,
  { applicationId, id }: Pick<Blob, 'applicationId' | 'id'>,
): Promise<BlobWithUpload> {
  await transaction.$executeRaw`
    SELECT FROM blobs WHERE application_id = ${applicationId} AND id = ${id} FOR UPDATE`;
  const blob = await transaction.blob.findUnique({
    where: { applicationId_id: { applicationId, id } },
    include: { upload: true },
  });
  if (!blob) throw new NotFoundError();
  return blob;
}

/** @throws {ForbiddenError} */
export function requireOwn({ userId }: Blob, viewer: ActingViewer): void {
  if (viewer.kind === 'user' && viewer.userId !== userId) throw new ForbiddenError();
}

export function filesOf(
  ...owners: ({ applicationId: number; storageKey: string | null } | null)[]
): { applicationId: number; key: string }[] {
  return owners.flatMap((owner) =>
    owner?.storageKey ? [{ applicationId: owner.applicationId, key: owner.storageKey }] : [],
  );
}
