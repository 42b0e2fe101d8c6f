import type { Context } from '../../context.ts';
import type { Blob } from '../../generated/prisma/client.ts';
import { isReadableByNumber } from './by-number.ts';
import { blobLoader } from './loader.ts';

interface AttachingMessage {
  applicationId: number;
  senderId: number;
  attachments: unknown;
}

/** A numeric id must be readable by the sender, because a message would otherwise reveal the `uid` of any blob. */
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
