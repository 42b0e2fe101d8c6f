import type { ActingContext } from '../../context.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import type { Grants } from '../classes/grants.ts';
import type { StoredFields } from '../classes/values.ts';
import { forbidden } from './access.ts';
import { type ChangedRecord, FieldChanges, MAX_RECORD_BYTES, mentionsUnique, type RecordChanges } from './changes.ts';
import { ClassChanged } from './lock-class.ts';
import { grantsIn, missingKinds, openGrants, type RecordGrants, type RecordPermissions } from './permissions.ts';
import type { PresentedRecord, RecordRow } from './rows.ts';
import { mapInSlices } from './sizes.ts';
import type { LockedRow } from './write.ts';

/** Values, operators and permissions to change; what is left out stays as it is. */
export interface RecordUpdate extends RecordChanges {
  permissions?: RecordPermissions | null;
}

/** An update that is read once for all the records that it changes. */
export interface ReadUpdate {
  update: RecordUpdate;
  fields: FieldChanges;
  bytes: number;
}

/** Of an update, as JSON. */
export function bytesOf(update: RecordUpdate): number {
  return JSON.stringify(update).length;
}

/** Bytes that an update adds to a record at most. */
export function addedBytes(bytes: number): number {
  return Math.min(bytes, MAX_RECORD_BYTES);
}

/** @throws {UnprocessableError} what is wrong whatever the records are like */
export async function readUpdates<Update extends RecordUpdate>(
  known: ClassDefinition,
  updates: Update[],
): Promise<(ReadUpdate & { update: Update })[]> {
  const problems = new Set<string>();
  const read = await mapInSlices(updates, (update) => {
    const bytes = bytesOf(update);
    const fields = new FieldChanges(known.fields, update);
    for (const problem of fields.problems()) problems.add(problem);
    grantsIn(update.permissions, openGrants(known), (sentence) => problems.add(sentence));
    return [{ update, fields, bytes }, bytes];
  });
  if (problems.size > 0) throw new UnprocessableError(...problems);
  return read;
}

export interface RowChange {
  row: ChangeableRow;
  /** Of its fields as JSON, about; they tell how long the change takes. */
  bytes: number;
  update: ReadUpdate;
}

type ChangeableRow = RecordRow & Pick<LockedRow, 'isReadable'>;

/** @throws {ClassChanged} the class has no such records yet */
export async function changedRows(
  known: ClassDefinition,
  changes: RowChange[],
  problems: Set<string>,
  context: ActingContext,
): Promise<(ChangeableRow & { bytes: number })[]> {
  const rows = await mapInSlices(
    changes,
    ({ row, bytes, update: { update, fields, bytes: given } }): [ChangeableRow & { bytes: number }, number] => {
      if (!row.isReadable) requireBlind(known, row, update, context);
      const changed = fields.changed(row.fields);
      for (const problem of row.isReadable ? changed.problems : changed.inputProblems) problems.add(problem);
      const grants = grantsIn(update.permissions, row, (sentence) => problems.add(sentence));
      if (!mayChangePermissions(row, context.viewer) && !isSame(row, grants)) throw forbidden();
      const next = row.isReadable ? changed.fields : blindFields(row, changed);
      return [{ ...row, ...grants, fields: next, updatedAt: context.now(), bytes: changed.bytes }, bytes + given];
    },
  );
  const missing = problems.size === 0 && missingKinds(known, rows);
  if (missing) throw new ClassChanged(missing);
  return rows;
}

export function shownRow(
  known: ClassDefinition,
  { isReadable, bytes: _, ...row }: ChangeableRow & { bytes: number },
): PresentedRecord {
  return { ...row, class: known, isHidden: !isReadable };
}

/**
 * Refuses what would be refused or not by what a record holds, to a caller who may not read it: permissions, of which
 * only those that are there already pass, and operators on unique fields, whose result another record may have.
 * @throws {ForbiddenError}
 */
function requireBlind(known: ClassDefinition, row: RecordRow, update: RecordUpdate, { viewer }: ActingContext): void {
  const isPermitting = Object.values(update.permissions ?? {}).some((permission) => permission != null);
  if (isPermitting && !mayChangePermissions(row, viewer)) throw forbidden();
  if (mentionsUnique(known.fields, update)) throw forbidden();
}

/** Fields after a change by a caller who may not read the record. What only the stored values refuse is left out. */
function blindFields(row: RecordRow, { fields, isTooLarge }: ChangedRecord): StoredFields {
  return isTooLarge ? row.fields : fields;
}

/** Whoever may only update would give themselves all else with them, and take it from others. */
function mayChangePermissions({ userId }: RecordRow, viewer: ActingContext['viewer']): boolean {
  return viewer.kind === 'key' || viewer.userId === userId;
}

/** Clients send whole records back, and with them permissions as they are. */
function isSame(before: RecordGrants, after: RecordGrants): boolean {
  const isEqual = (one: Grants, other: Grants) => [...one].sort().join('\0') === [...other].sort().join('\0');
  return (
    isEqual(before.readers, after.readers) &&
    isEqual(before.updaters, after.updaters) &&
    isEqual(before.deleters, after.deleters)
  );
}
