import DataLoader from 'dataloader';
import { db } from '../../db/client.ts';
import type { Blob } from '../../generated/prisma/client.ts';
import { indexBy } from '../../lib/collections.ts';
import { isDatabaseId } from '../../lib/tokens.ts';

/** `name` is the decimal id or the uid. */
interface BlobReference {
  applicationId: number;
  name: string;
}

export function blobLoader(): DataLoader<BlobReference, Blob | null, string> {
  return new DataLoader(
    async (keys) => {
      const { applicationId } = keys[0]!;
      const ids = keys.map(({ name }) => (/^\d{1,10}$/.test(name) ? Number(name) : 0)).filter(isDatabaseId);
      const uids = keys.map(({ name }) => name).filter((name) => /^[0-9a-f]{34}$/.test(name));
      const blobs = await db.blob.findMany({
        where: { applicationId, storageKey: { not: null }, OR: [{ id: { in: ids } }, { uid: { in: uids } }] },
      });
      const byId = indexBy(blobs, ({ id }) => String(id));
      const byUid = indexBy(blobs, ({ uid }) => uid);
      return keys.map(({ name }) => byUid.get(name) ?? byId.get(String(Number(name))) ?? null);
    },
    { cacheKeyFn: ({ name }) => name },
  );
}
