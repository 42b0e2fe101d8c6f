import type { Context, IdentifiedContext } from '../../context.ts';
import type { Blob } from '../../generated/prisma/client.ts';
import { BadInputError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { admitAdministrator } from './administrators.ts';
import { blobPath, isReadableBy } from './find.ts';
import { blobLoader } from './loader.ts';
import { newTicket } from './tickets.ts';

export interface FileAddress {
  url: string;
  /** Null for a public file. */
  expiresAt: Date | null;
}

export const MAX_FILES = 100;

/**
 * Addresses that need no credentials, for images and links of browsers, which send no headers. Each opens one file.
 * @param names ids and uids of blobs
 * @returns in the same order; null for files that are unknown, incomplete or not readable by the caller
 * @throws {BadInputError} {ForbiddenError} {ReasonRequiredError}
 */
export async function listFileAddresses(
  names: readonly string[],
  context: IdentifiedContext,
): Promise<(FileAddress | null)[]> {
  if (names.length > MAX_FILES) throw new BadInputError(problem('TOO_MANY_FILES', { max: MAX_FILES }));
  const { viewer, loaders } = context;
  const { applicationId } = viewer;
  return Promise.all(
    names.map(async (name) => {
      const blob = await loaders.of(blobLoader).load({ applicationId, name });
      if (!blob || !(name === blob.uid || (await isReadableBy(blob, viewer)))) return null;
      await admitAdministrator(blob, context);
      return addressOf(blob, context);
    }),
  );
}

function addressOf(blob: Blob, context: Pick<Context, 'now' | 'encrypter' | 'publicUrl'>): FileAddress {
  const url = context.publicUrl() + blobPath(blob);
  if (blob.isPublic) return { url, expiresAt: null };
  const { text, expiresAt } = newTicket(blob, context);
  return { url: `${url}?ticket=${text}`, expiresAt };
}
