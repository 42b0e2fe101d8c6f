import type { Context, KnownContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import type { Blob } from '../../generated/prisma/client.ts';
import { refusal } from '../../lib/access.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { type ServedFile, servedFile } from '../files/content.ts';
import { findBlobByUid, requireBlob, requirePositive } from './rows.ts';

/** @throws {InvalidFieldsError} an id that is no positive integer @throws {NotFoundError} */
export function findBlob(id: number, { viewer }: KnownContext): Promise<Blob> {
  return requireBlob(id, viewer);
}

/**
 * The bytes of a blob, by its uid or its id: those of a public one for everybody, those of another one for whoever has
 * a credential of its application (gaps §13.3).
 * @throws {InvalidFieldsError} an id that is no positive integer
 * @throws {NotFoundError} unknown or not complete; of another application and not public
 * @throws what `refusal` says of a caller without a credential
 */
export async function findBlobFile(
  { uid, id }: { uid?: string | null; id?: number | null },
  context: Context,
): Promise<ServedFile> {
  const blob = uid != null ? await findBlobByUid(uid) : await findBlobById(id ?? 0);
  if (!blob?.storageKey) throw new NotFoundError();
  if (blob.isPublic) await requireServed(blob);
  else requireMember(blob, context);
  const { storageKey: key, name, contentType, size } = blob;
  return servedFile({ key, name, contentType, size: size!, path: blobPath(blob) }, context);
}

/** Where REST serves the bytes of a blob. */
export function blobPath({ uid }: Pick<Blob, 'uid'>): string {
  return `/blobs/${uid}`;
}

/** A public blob needs no credential, which nobody has of an application that is just being imported. */
async function requireServed({ applicationId }: Blob): Promise<void> {
  if ((await db.application.count({ where: { id: applicationId, importId: null } })) === 0) throw new NotFoundError();
}

/**
 * Without a credential there is no application to look in; ids are given once over all of them. Each is looked for alone:
 * what is asked for at once by several applications is not mixed into one statement.
 */
function findBlobById(id: number): Promise<Blob | null> {
  requirePositive(id);
  return isDatabaseId(id) ? db.blob.findFirst({ where: { id } }) : Promise.resolve(null);
}

function requireMember({ applicationId }: Blob, { viewer }: Context): void {
  const refused = refusal('session', viewer);
  if (refused) throw refused;
  if (!('applicationId' in viewer) || viewer.applicationId !== applicationId) throw new NotFoundError();
}
