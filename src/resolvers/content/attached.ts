import type { Context } from '../../context.ts';
import type { Blob } from '../../generated/prisma/client.ts';
import { isReadableByNumber } from './by-number.ts';
import { blobLoader } from './loader.ts';

interface AttachingMessage {
  applicationId: number;
  senderId: number;
  attachments: unknown;
}

/**
 * The blobs that a message's attachments name, in their order, each once. Other ids name what lies elsewhere; a number is
 * followed only if the sender could read the blob by it, as else a message would reveal the `uid` of any blob.
 */
export async function attachedBlobs(
  { applicationId, senderId, attachments }: AttachingMessage,
  { loaders }: Context,
): Promise<Blob[]> {
  const names = (attachments as { id?: unknown }[]).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  const found = await Promise.all(
    names.map(async (name) => {
      const blob = await loaders.of(blobLoader).load({ applicationId, name });
      return blob && (name === blob.uid || (await isReadableByNumber(blob, senderId))) ? blob : null;
    }),
  );
  return [...new Map(found.flatMap((blob) => (blob ? [[blob.id, blob] as const] : []))).values()];
}
