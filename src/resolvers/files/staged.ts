import type { Readable } from 'node:stream';
import type { Services } from '../../context.ts';
import { db, type Transaction } from '../../db/client.ts';
import { columnsOf, select } from '../../db/columns.ts';
import { queryIn } from '../../db/query.ts';
import { BACKGROUND, transact } from '../../db/transact.ts';
import { newStorageKey, ownsKey, type StagedFile, type Storage } from '../../gateways/storage.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { ServiceUnavailableError } from '../../lib/errors.ts';
import { headerType } from '../../lib/header-type.ts';
import { HOUR } from '../../lib/time.ts';

/** Longer than any upload takes. */
const STAGED_LIFETIME_MS = HOUR;

const BATCH = 20;

/** Instead of a time to remove a file: its bytes are being deleted. */
const REMOVING = new Date(0);

export interface IncomingFile {
  applicationId: number;
  name: string | undefined;
  contentType: string;
  stream: Readable;
  maxBytes: number;
}

type FileServices = Pick<Services, 'storage' | 'now' | 'log'>;

/** Of a file that a client uploads. */
export const MAX_UPLOAD_BYTES = 100 * 1024 * 1024;

/** Stores bytes that a row must claim within an hour (`claimFile`). @throws {BadInputError} 413 above `maxBytes` */
export async function stageFile(file: IncomingFile, services: FileServices): Promise<StagedFile> {
  const { applicationId, name, contentType, stream, maxBytes } = file;
  const key = newStorageKey(applicationId);
  const removeAfter = new Date(services.now().getTime() + STAGED_LIFETIME_MS);
  await db.unclaimedFile.create({ data: { applicationId, key, removeAfter } });
  try {
    const stored = await services.storage.put(key, stream, { maxBytes });
    return { applicationId, key, name, contentType: headerType(contentType), ...stored };
  } catch (error) {
    await removeReleased([{ applicationId, key }], services);
    throw error;
  }
}

/** Call it in the transaction that stores the row. @throws {ServiceUnavailableError} the upload took over an hour */
export async function claimFile(transaction: Transaction, { applicationId, key }: ReleasedKey): Promise<void> {
  const where = { applicationId, key, removeAfter: { not: REMOVING } };
  const { count } = await transaction.unclaimedFile.deleteMany({ where });
  if (count === 0) throw new ServiceUnavailableError();
}

export interface ReleasedKey {
  applicationId: number;
  key: string;
}

/** Call it in the transaction that deletes the rows, then `removeReleased`. */
export async function releaseFile(transaction: Transaction, files: ReleasedKey[], removeAfter: Date): Promise<void> {
  // Imported rows may name other keys.
  const own = files.filter(({ applicationId, key }) => ownsKey(applicationId, key));
  if (own.length === 0) return;
  await transaction.unclaimedFile.createMany({
    data: own.map(({ applicationId, key }) => ({ applicationId, key, removeAfter })),
  });
}

/** Deletes the bytes unless a row has claimed them; the sweep retries failures. */
export async function removeReleased(files: ReleasedKey[], { storage, log }: Omit<FileServices, 'now'>): Promise<void> {
  for (const { applicationId, key } of files) {
    try {
      await transact(jobOwnerOf({ applicationId }), (transaction) =>
        markRemoving(transaction, [{ applicationId, key }]),
      );
      await removeMarked({ applicationId, key }, storage);
    } catch (error) {
      log.warn({ err: error, key }, 'could not delete a file; the sweep will retry');
    }
  }
}

/** No row can claim them any more. Their bytes are deleted after the transaction, which a slow storage would hold. */
async function markRemoving(transaction: Transaction, files: ReleasedKey[]): Promise<void> {
  for (const { applicationId, key } of files) {
    await transaction.unclaimedFile.updateMany({ where: { applicationId, key }, data: { removeAfter: REMOVING } });
  }
}

async function removeMarked({ applicationId, key }: ReleasedKey, storage: Storage): Promise<void> {
  const where = { applicationId, key, removeAfter: REMOVING };
  if ((await db.unclaimedFile.count({ where })) === 0) return;
  if (ownsKey(applicationId, key)) await storage.delete(key);
  await db.unclaimedFile.deleteMany({ where });
}

const KEY = columnsOf('UnclaimedFile', 'f', ['applicationId', 'key']);

/** Skips files that another process has locked; a concurrent claim waits and then fails. */
export async function sweepStagedFiles(now: Date, storage: Storage): Promise<void> {
  while ((await sweepBatch(now, storage)) === BATCH);
}

async function sweepBatch(now: Date, storage: Storage): Promise<number> {
  const files = await transact(BACKGROUND, async (transaction) => {
    const statement = select`
      SELECT ${KEY} FROM unclaimed_files f
      WHERE f.remove_after <= ${now} ORDER BY f.remove_after LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`;
    const found = await queryIn(transaction, statement);
    await markRemoving(transaction, found);
    return found;
  });
  for (const file of files) await removeMarked(file, storage);
  return files.length;
}
