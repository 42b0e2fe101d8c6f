import { db, type Transaction } from '../../db/client.ts';
import type { Blob, BlobUpload } from '../../generated/prisma/client.ts';
import type { ActingViewer, IdentifiedViewer } from '../../lib/access.ts';
import { ForbiddenError, InvalidFieldsError, NotFoundError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { applicationOfUid } from './uids.ts';

/** A blob; with the right to upload it where that has just been given. */
export type BlobRow = Blob & { access?: BlobUpload };

export type BlobWithUpload = Blob & { upload: BlobUpload | null };

/**
 * A blob of the caller's application.
 * @throws {InvalidFieldsError} an id that is no positive integer @throws {NotFoundError}
 */
export async function requireBlob(id: number, { applicationId }: IdentifiedViewer): Promise<Blob> {
  requirePositive(id);
  const blob = isDatabaseId(id)
    ? await db.blob.findUnique({ where: { applicationId_id: { applicationId, id } } })
    : null;
  if (!blob) throw new NotFoundError();
  return blob;
}

/** Who may call without a credential finds a blob by its uid, whatever application it is of. */
export async function findBlobByUid(uid: string): Promise<BlobWithUpload | null> {
  const applicationId = applicationOfUid(uid);
  if (applicationId === undefined) return null;
  return db.blob.findUnique({ where: { applicationId_uid: { applicationId, uid } }, include: { upload: true } });
}

/** Whoever changes a blob holds its row first. @throws {NotFoundError} it has just been deleted */
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

/** A blob is changed by its maker or by an API key alone. @throws {ForbiddenError} */
export function requireOwn({ userId }: Blob, viewer: ActingViewer): void {
  if (viewer.kind === 'user' && viewer.userId !== userId) throw new ForbiddenError();
}

/** The bytes of these, where there are any, as keys of the storage. */
export function filesOf(
  ...owners: ({ applicationId: number; storageKey: string | null } | null)[]
): { applicationId: number; key: string }[] {
  return owners.flatMap((owner) =>
    owner?.storageKey ? [{ applicationId: owner.applicationId, key: owner.storageKey }] : [],
  );
}

export function requirePositive(id: number): void {
  if (id < 1) throw new InvalidFieldsError({ id: ['should be a positive integer'] });
}
