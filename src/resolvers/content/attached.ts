import type { Context } from '../../context.ts';
import type { Blob } from '../../generated/prisma/client.ts';

/** The blobs that a message's attachments name, in their order, each once. Other ids name what lies elsewhere. */
export async function attachedBlobs(
  { applicationId, attachments }: { applicationId: number; attachments: unknown },
  { loaders }: Context,
): Promise<Blob[]> {
  const names = (attachments as { id?: unknown }[]).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  const found = await Promise.all(names.map((name) => loaders.blob.load({ applicationId, name })));
  return [...new Map(found.flatMap((blob) => (blob ? [[blob.id, blob] as const] : []))).values()];
}
