import type { Storage } from '../gateways/storage.ts';
import { sweepUnfinishedBlobs } from '../resolvers/content/sweep.ts';
import { sweepStagedFiles } from '../resolvers/files/staged.ts';

/** Ends uploads that nobody has completed, and removes the bytes that belong to nothing: theirs, and what was deleted. */
export async function sweepFiles(now: Date, storage: Storage): Promise<void> {
  await sweepUnfinishedBlobs(now);
  await sweepStagedFiles(now, storage);
}
