import type { Context, IdentifiedContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { fromReachable } from '../../db/shards.ts';
import type { Blob } from '../../generated/prisma/client.ts';
import { type IdentifiedViewer, isIdentified, refusal } from '../../lib/access.ts';
import { ForbiddenError, NotFoundError, requirePositive } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { type ServedFile, servedFile } from '../files/served-file.ts';
import { admitAdministrator } from './administrators.ts';
import { isReadableByNumber } from './by-number.ts';
import { findBlobByUid, requireBlob } from './rows.ts';
import { isValidTicket } from './tickets.ts';

const EXPIRED = 'FILE_ADDRESS_EXPIRED';

/** @throws {InvalidFieldsError} {NotFoundError} */
export async function findBlob(id: number, { viewer }: IdentifiedContext): Promise<Blob> {
  const blob = await requireBlob(id, viewer);
  await requireReadableByNumber(blob, viewer);
  return blob;
}

interface BlobName {
  uid?: string | null;
  id?: number | null;
  /** Of an address (`addresses.ts`); for a `uid`. */
  ticket?: string | null;
}

/**
 * Non-public blobs need a ticket or a credential of their application; reading by id also depends on `files_by_number`.
 */
export async function findBlobFile({ uid, id, ticket }: BlobName, context: Context): Promise<ServedFile> {
  const blob = uid != null ? await findBlobByUid(uid) : await findBlobById(id ?? 0);
  if (!blob?.storageKey) throw new NotFoundError();
  const isOpen = blob.isPublic || (uid != null && ticket != null && isValidTicket(ticket, blob, context));
  if (isOpen) await requireServed(blob);
  else if (ticket != null && !isIdentified(context.viewer)) throw new ForbiddenError(EXPIRED);
  else {
    await requireReader(blob, uid == null, context);
    await admitAdministrator(blob, context);
  }
  const { storageKey: key, name, contentType, size } = blob;
  return servedFile({ key, name, contentType, size: size!, path: blobPath(blob) }, context);
}

export function blobPath({ uid }: Pick<Blob, 'uid'>): string {
  return `/blobs/${uid}`;
}

/** Hides the blobs of an application that is still being imported. */
async function requireServed({ applicationId }: Blob): Promise<void> {
  if ((await db.application.count({ where: { id: applicationId, importId: null } })) === 0) throw new NotFoundError();
}

// Ids are unique across applications. Not `findUnique`, which would batch reads of several applications.
async function findBlobById(id: number): Promise<Blob | undefined> {
  requirePositive(id);
  if (!isDatabaseId(id)) return undefined;
  const read = async () => [await db.blob.findFirst({ where: { id } })].filter((blob) => blob !== null);
  const [found] = await fromReachable(read, ({ length }) => length > 0);
  return found;
}

async function requireReader(blob: Blob, isByNumber: boolean, { viewer }: Context): Promise<void> {
  const refused = refusal('session', viewer);
  if (refused) throw refused;
  if (!('applicationId' in viewer) || viewer.applicationId !== blob.applicationId) throw new NotFoundError();
  if (isByNumber) await requireReadableByNumber(blob, viewer);
}

async function requireReadableByNumber(blob: Blob, viewer: IdentifiedViewer): Promise<void> {
  if (!(await isReadableBy(blob, viewer))) throw new NotFoundError();
}

/** Whether the viewer may read the blob by its id. */
export async function isReadableBy(blob: Blob, viewer: IdentifiedViewer): Promise<boolean> {
  return viewer.kind === 'key' || isReadableByNumber(blob, viewer.kind === 'user' ? viewer.userId : null);
}
