import type { Storage } from '../gateways/storage.ts';
import { sweepLooseFiles } from '../resolvers/files/loose.ts';

/** Removes the bytes of files that belong to nothing: uploads that came to nothing, and what was deleted. */
export async function sweepFiles(now: Date, storage: Storage): Promise<void> {
  await sweepLooseFiles(now, storage);
}
