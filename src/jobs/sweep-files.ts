import type { Storage } from '../gateways/storage.ts';
import { sweepUnfinishedBlobs } from '../resolvers/blobs/sweep.ts';
import { sweepStagedFiles } from '../resolvers/files/staged.ts';

export async function sweepFiles(now: Date, storage: Storage): Promise<void> {
  await sweepUnfinishedBlobs(now);
  await sweepStagedFiles(now, storage);
}
