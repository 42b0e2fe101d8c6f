import DataLoader from 'dataloader';
import type { Dialog } from '../../generated/prisma/client.ts';
import type { Loaders } from '../../lib/loaders.ts';
import { type PresentedData, presentData } from './data.ts';

function dataLoader(): DataLoader<Dialog, PresentedData | null, string> {
  return new DataLoader(presentData, { cacheKeyFn: (dialog) => dialog.id });
}

/** Passes the data to `make`; null for a dialog without data, or whose class was deleted. */
export function dataOf<Result>(
  dialog: Dialog,
  loaders: Loaders,
  make: (data: PresentedData) => Result,
): Result | null | Promise<Result | null> {
  if (dialog.dataClassKey === null) return null;
  return loaders
    .of(dataLoader)
    .load(dialog)
    .then((data) => data && make(data));
}
