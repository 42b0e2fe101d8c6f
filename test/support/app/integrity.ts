import { join } from 'node:path';
import type { ClientConfig } from 'pg';
import { expect } from 'vitest';
import { DiskStorage } from '../../../src/gateways/disk-storage.ts';
import type { Check, Difference } from '../../../src/operator/integrity/check.ts';
import { MESSAGE_CHECKS } from '../../../src/operator/integrity/messages.ts';
import { checkDatabase } from '../../../src/operator/integrity/run.ts';
import { countUndecryptable } from '../../../src/resolvers/applications/secrets.ts';
import { APPLICATION, ENCRYPTER, running } from './app.ts';

interface Wanted {
  applicationId?: number;
  repairs?: boolean;
  hasStorage?: boolean;
  /** Default: the database and the data folder of the test process. */
  database?: ClientConfig;
  dataDir?: string;
  checks?: readonly Check[];
}

/** The differences that `npm run cli -- check` would report in a database. */
export async function findDifferences({
  repairs = false,
  hasStorage = true,
  database = running.database.config,
  dataDir = running.dataDir,
  applicationId,
  ...wanted
}: Wanted = {}) {
  const found: (Difference & { isRepaired: boolean })[] = [];
  await checkDatabase({
    ...wanted,
    database,
    storage: hasStorage ? new DiskStorage(join(dataDir, 'files')) : undefined,
    countUndecryptable: (id) => countUndecryptable(ENCRYPTER, { applicationId: id }),
    now: new Date(),
    applicationId,
    repairs,
    onDifference: (difference, isRepaired) => found.push({ ...difference, isRepaired }),
  });
  return found;
}

/** Asserts that all counters of a dialog agree with its messages, and that deleted ones left no rows. */
export async function expectCounted(dialogId: string): Promise<void> {
  const found = await findDifferences({ applicationId: APPLICATION.id, hasStorage: false, checks: MESSAGE_CHECKS });
  expect(found.filter(({ row }) => (row.dialogId ?? dialogId) === dialogId)).toEqual([]);
}
