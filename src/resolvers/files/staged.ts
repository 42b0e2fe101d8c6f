import type { Readable } from 'node:stream';
import type { Services } from '../../context.ts';
import { db, type Transaction } from '../../db/client.ts';
import { columnsOf, select } from '../../db/columns.ts';
import { queryIn } from '../../db/query.ts';
import { BACKGROUND, transact } from '../../db/transact.ts';
import { newStorageKey, type StagedFile, type Storage } from '../../gateways/storage.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { ServiceUnavailableError } from '../../lib/errors.ts';
import { HOUR } from '../../lib/time.ts';

/** Longer than any upload lasts. */
const STAGED_LIFETIME_MS = HOUR;

/** Files that one transaction of the sweep holds while their bytes are removed. */
const BATCH = 20;

export interface IncomingFile {
  applicationId: number;
  name: string | undefined;
  contentType: string;
  stream: Readable;
  maxBytes: number;
}

type FileServices = Pick<Services, 'storage' | 'now' | 'log'>;

/**
 * Stores the bytes of an upload. Whoever makes a row of them takes them over (`claimFile`) in the row's transaction;
 * what nobody takes over within an hour is removed.
 * @throws {BadInputError} 413 beyond `maxBytes`
 */
export async function stageFile(file: IncomingFile, services: FileServices): Promise<StagedFile> {
  const { applicationId, name, contentType, stream, maxBytes } = file;
  const key = newStorageKey(applicationId);
  const removeAfter = new Date(services.now().getTime() + STAGED_LIFETIME_MS);
  await db.unclaimedFile.create({ data: { applicationId, key, removeAfter } });
  try {
    const stored = await services.storage.put(key, stream, { maxBytes });
    return { applicationId, key, name, contentType, ...stored };
  } catch (error) {
    await removeReleased([{ applicationId, key }], services);
    throw error;
  }
}

/**
 * Makes staged bytes those of a row, which the same transaction stores.
 * @throws {ServiceUnavailableError} they have been removed: the request has taken longer than an hour
 */
export async function claimFile(transaction: Transaction, { applicationId, key }: ReleasedKey): Promise<void> {
  const { count } = await transaction.unclaimedFile.deleteMany({ where: { applicationId, key } });
  if (count === 0) throw new ServiceUnavailableError();
}

export interface ReleasedKey {
  applicationId: number;
  key: string;
}

/** Gives up bytes in the transaction that deletes their rows; after it the caller calls `removeReleased`. */
export async function releaseFile(transaction: Transaction, files: ReleasedKey[], removeAfter: Date): Promise<void> {
  if (files.length === 0) return;
  await transaction.unclaimedFile.createMany({
    data: files.map(({ applicationId, key }) => ({ applicationId, key, removeAfter })),
  });
}

/** Removes bytes now unless a row has taken them over; what fails is left to the sweep. */
export async function removeReleased(files: ReleasedKey[], { storage, log }: Omit<FileServices, 'now'>): Promise<void> {
  for (const { applicationId, key } of files) {
    try {
      await transact(jobOwnerOf({ applicationId }), async (transaction) => {
        const { count } = await transaction.unclaimedFile.deleteMany({ where: { applicationId, key } });
        if (count > 0) await storage.delete(key);
      });
    } catch (error) {
      log.warn({ err: error, key }, 'a file could not be removed; the sweep will try it again');
    }
  }
}

const KEY = columnsOf('UnclaimedFile', 'f', ['applicationId', 'key']);

/** Removes unclaimed files that are due. Skips those that another process has locked; a claim waits, and fails. */
export async function sweepStagedFiles(now: Date, storage: Storage): Promise<void> {
  while ((await sweepBatch(now, storage)) === BATCH);
}

function sweepBatch(now: Date, storage: Storage): Promise<number> {
  return transact(BACKGROUND, async (transaction) => {
    const statement = select`
      SELECT ${KEY} FROM loose_files f
      WHERE f.remove_after <= ${now} ORDER BY f.remove_after LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`;
    const files = await queryIn(transaction, statement);
    for (const { applicationId, key } of files) {
      await storage.delete(key);
      await transaction.unclaimedFile.delete({ where: { applicationId_key: { applicationId, key } } });
    }
    return files.length;
  });
}
