import type { ActingContext, IdentifiedContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { newId } from '../../db/ids.ts';
import { isKeyOf } from '../../gateways/storage.ts';
import { NotFoundError, UnprocessableError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { type ClassDefinition, classNamed } from '../classes/catalogue.ts';
import type { FileValue } from '../classes/values.ts';
import { type ServedFile, servedFile } from '../files/served-file.ts';
import { claimFile, releaseFile, removeReleased } from '../files/staged.ts';
import { forbidden } from './access.ts';
import { findRecord } from './find.ts';
import { withFields } from './large-fields.ts';
import { withClass } from './lock-class.ts';
import { type RecordRow, storedOf } from './rows.ts';
import { changing, lockRow, setFields } from './write.ts';

export interface RecordFileKey {
  className: string;
  id: string;
  fieldName: string;
}

export interface RecordFile extends FileValue {
  recordId: string;
}

/** Replaces the field's file with the upload. @throws {UnprocessableError} {ForbiddenError} {NotFoundError} */
export async function uploadRecordFile(place: RecordFileKey, context: ActingContext): Promise<RecordFile> {
  const { upload, now } = context;
  return replaceFile(place, context, async (transaction) => {
    if (!upload) throw new UnprocessableError('FILE_MISSING');
    await claimFile(transaction, upload);
    const { key, size, contentType } = upload;
    return { fileId: newId(now()), key, name: upload.name ?? place.fieldName, size, contentType };
  });
}

/** @throws like `uploadRecordFile` @throws {NotFoundError} there is no file */
export async function deleteRecordFile(place: RecordFileKey, context: ActingContext): Promise<true> {
  await replaceFile(place, context, async (_transaction, before, isReadable) => {
    // Only readers of the record may learn whether a file exists.
    if (!before && isReadable) throw new NotFoundError();
    return undefined;
  });
  return true;
}

/** @throws {UnprocessableError} {ForbiddenError} unreadable @throws {NotFoundError} unknown record, or no file */
export async function findRecordFile(
  { className, id, fieldName }: RecordFileKey,
  context: IdentifiedContext,
): Promise<ServedFile> {
  requireFileField(await classNamed(className, context.viewer), fieldName);
  const record = await findRecord(className, id, context);
  const file = await withFields(record, fieldName, context, (fields) => fileIn(fields, fieldName));
  if (!file || !isKeyOf(record.applicationId, file.key)) throw new NotFoundError();
  const path = `/data/${className}/${id}/file?field_name=${fieldName}`;
  return servedFile({ ...file, path }, context);
}

type Replacement<File> = (
  transaction: Transaction,
  before: FileValue | undefined,
  isReadable: boolean,
) => Promise<File>;

async function replaceFile<File extends FileValue | undefined>(
  { className, id, fieldName }: RecordFileKey,
  context: ActingContext,
  replace: Replacement<File>,
): Promise<File & { recordId: string }> {
  const { viewer, now } = context;
  const { applicationId } = viewer;
  return withClass(className, context, async (definition) => {
    requireFileField(definition, fieldName);
    const { file, old } = await changing(definition, context, async (transaction) => {
      const row = await lockRow(transaction, definition, id, context);
      if (!row) throw new NotFoundError();
      if (!row.isAllowed) throw forbidden();
      const before = fileIn(row.fields, fieldName);
      const next = await replace(transaction, before, row.isReadable);
      const released = before ? [{ applicationId, key: before.key }] : [];
      await releaseFile(transaction, released, now());
      const { [fieldName]: _before, ...others } = row.fields;
      await setFields(transaction, definition, row, next ? { ...others, [fieldName]: next } : others, context);
      return { file: next, old: released };
    });
    await removeReleased(old, context);
    return { ...file, recordId: id };
  });
}

function requireFileField({ fields }: ClassDefinition, name: string): void {
  if (name === '') throw new UnprocessableError('FIELD_NAME_MISSING');
  if (fields.get(name)?.type !== 'File') throw new UnprocessableError(problem('NOT_A_FILE_FIELD', { field: name }));
}

function fileIn(fields: RecordRow['fields'], name: string): FileValue | undefined {
  return storedOf(fields, name) as FileValue | undefined;
}
