import type { ActingContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import type { Blob } from '../../generated/prisma/client.ts';
import { type ConnectionArguments, type CountedConnection, connection, numericPage } from '../../lib/pagination.ts';

const ALL = 0;

/** Newest first; an API key alone lists all blobs. @param skip the cost grows with it */
export async function listBlobs(
  { skip, ...listing }: ConnectionArguments & { skip?: number | null },
  { viewer }: ActingContext,
): Promise<CountedConnection<Blob>> {
  const { applicationId } = viewer;
  const own = viewer.kind === 'user' ? { userId: viewer.userId } : {};
  const page = numericPage(listing);
  const blobs = await db.blob.findMany({
    where: { applicationId, ...own, id: { lt: page.afterId, gt: page.beforeId } },
    orderBy: { id: page.isBackward ? 'asc' : 'desc' },
    take: page.limit + 1,
    skip: Math.max(skip ?? 0, 0),
  });
  return {
    ...connection(blobs, page, ({ id }) => ({ value: id, id: String(id) })),
    totalCount: () => countBlobs(applicationId, own.userId ?? ALL),
  };
}

async function countBlobs(applicationId: number, userId: number): Promise<number> {
  const count = await db.blobCount.findUnique({ where: { applicationId_userId: { applicationId, userId } } });
  return count?.number ?? 0;
}
