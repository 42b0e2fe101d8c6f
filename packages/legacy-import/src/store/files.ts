import type { Readable } from 'node:stream';
import { FileUnavailable } from '../errors.ts';
import type { Cursor, StoredItem } from '../ledger.ts';
import type { OwnedBlob } from '../read/blobs.ts';
import type { Run } from '../run.ts';
import {
  BadInputError,
  claimFile,
  db,
  type FileValue,
  newUid,
  releaseFile,
  reloadCatalogue,
  removeReleased,
  type StagedFile,
  stageFile,
  type Transaction,
} from '../service.ts';
import type { SourceClass, SourceRecord } from '../shapes.ts';
import { fileFieldsOf, fileOf } from './records.ts';
import { reserveIds } from './users.ts';

const MAX_BYTES = 100 * 1024 * 1024;

export async function storeFiles(run: Run): Promise<void> {
  const { ledger } = run;
  if (ledger.cursor.kind !== 'record') await storeBlobs(run);
  await storeRecordFiles(run);
}

async function storeBlobs(run: Run): Promise<void> {
  const { ledger, progress } = run;
  progress.begin('files stored', await ledger.size('blob'));
  for await (const item of ledger.items<OwnedBlob>('blob', String(ledger.cursor.after ?? ''))) {
    await storeBlob(item, run);
    progress.advance();
  }
  await reserveIds('blobs', ledger.applicationId);
}

async function storeBlob({ id, content: blob }: StoredItem<OwnedBlob>, run: Run): Promise<void> {
  const { source, ledger } = run;
  const { applicationId, since } = ledger;
  const found = await db.blob.findUnique({ where: { applicationId_id: { applicationId, id: blob.id } } });
  const isDeleted = !found && since !== undefined && new Date(blob.created_at) < since;
  const isStored = found && (found.storageKey !== null || blob.blob_status !== 'complete');
  if (isDeleted || isStored) return ledger.stage({ after: id });

  const isComplete = blob.blob_status === 'complete';
  const file = isComplete ? await fetchFile(run, (use) => source.blobFile(blob.id, blob.userId, use)) : undefined;
  ledger.count(file ? 'filesStored' : isComplete ? 'filesWithoutBytes' : 'filesNeverUploaded');
  await storeWith(file, { after: id }, run, async (transaction) => {
    const bytes = file
      ? { storageKey: file.key, size: file.size, completedAt: blob.set_completed_at ?? blob.updated_at }
      : {};
    const where = { applicationId_id: { applicationId, id: blob.id } };
    await transaction.blob.upsert({
      where,
      create: {
        applicationId,
        id: blob.id,
        uid: uidOf(blob, run),
        userId: blob.userId,
        name: blob.name,
        contentType: blob.content_type,
        isPublic: blob.public,
        tags: blob.tags?.split(',') ?? [],
        createdAt: blob.created_at,
        updatedAt: blob.updated_at,
        ...bytes,
      },
      update: bytes,
    });
  });
}

/** The first digits of a uid identify its application, so a uid with other digits is replaced. */
function uidOf({ uid }: OwnedBlob, { ledger }: Run): string {
  const replacement = newUid(ledger.applicationId);
  if (/^[0-9a-f]{34}$/.test(uid) && uid.slice(0, 8) === replacement.slice(0, 8)) return uid;
  ledger.count('filesWithNewUid');
  return replacement;
}

async function storeRecordFiles(run: Run): Promise<void> {
  const { ledger, progress } = run;
  const { applicationId } = ledger;
  const resumed = ledger.cursor.kind === 'record' ? { ...ledger.cursor } : undefined;
  for await (const { id: className } of ledger.items<SourceClass>('class')) {
    if (resumed && className < String(resumed.className)) continue;
    const definition = (await reloadCatalogue(applicationId)).byName.get(className);
    const fields = definition ? fileFieldsOf(definition) : [];
    if (fields.length === 0) continue;
    progress.begin(`files of ${className}`);
    const after = resumed?.className === className ? String(resumed.after) : '';
    for await (const batch of ledger.batches<SourceRecord>('record', after, className)) {
      for (const item of batch) {
        for (const field of fields) {
          if (fileOf(item.content, field)) await storeRecordFile({ className, field, item }, run);
        }
      }
      await ledger.stage({ kind: 'record', className, after: batch.at(-1)!.id });
      progress.advance(batch.length);
    }
  }
}

interface RecordFile {
  className: string;
  field: string;
  item: StoredItem<SourceRecord>;
}

async function storeRecordFile({ className, field, item }: RecordFile, run: Run): Promise<void> {
  const { source, ledger, context } = run;
  const { applicationId } = ledger;
  const { id } = item;
  const found = fileOf(item.content, field)!;
  const fileId = String(found.file_id);
  const record = await db.record.findUnique({
    where: { applicationId_id: { applicationId, id } },
    select: { fields: true },
  });
  if (!record) return;
  const before = (record.fields as Record<string, unknown>)[field] as FileValue | undefined;
  if (before?.fileId === fileId) return;
  const file = await fetchFile(run, (use) => source.recordFile({ className, id, field }, use));
  ledger.count(file ? 'recordFilesStored' : 'recordFilesMissing');
  if (!file) return;
  const value: FileValue = {
    fileId,
    key: file.key,
    name: String(found.name ?? field),
    size: file.size,
    contentType: String(found.content_type ?? 'application/octet-stream'),
  };
  const released = before ? [{ applicationId, key: before.key }] : [];
  await storeWith(file, ledger.cursor, run, async (transaction) => {
    await releaseFile(transaction, released, context.now());
    await transaction.$executeRaw`
      UPDATE records SET fields = jsonb_set(fields, ARRAY[${field}], ${JSON.stringify(value)}::jsonb)
      WHERE application_id = ${applicationId} AND id = ${id}`;
  });
  await removeReleased(released, context);
}

/** @returns undefined if the other server has no readable file */
async function fetchFile(
  { ledger: { applicationId }, context }: Run,
  fetch: (use: (stream: Readable) => Promise<StagedFile>) => Promise<StagedFile>,
): Promise<StagedFile | undefined> {
  try {
    return await fetch((stream) =>
      stageFile({ applicationId, name: undefined, contentType: '', stream, maxBytes: MAX_BYTES }, context),
    );
  } catch (error) {
    if (error instanceof FileUnavailable || error instanceof BadInputError) return undefined;
    throw error;
  }
}

async function storeWith(
  file: StagedFile | undefined,
  cursor: Cursor,
  { ledger, context }: Run,
  work: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  try {
    await ledger.write(cursor, async (transaction) => {
      if (file) await claimFile(transaction, file);
      await work(transaction);
    });
  } catch (error) {
    if (file) await removeReleased([file], context);
    throw error;
  }
}
