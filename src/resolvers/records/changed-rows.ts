import type { ActingContext } from '../../context.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { distinct, type Problem } from '../../lib/problems.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import type { Grants } from '../classes/grants.ts';
import type { StoredFields } from '../classes/values.ts';
import { forbidden } from './access.ts';
import { type ChangedRecord, FieldChanges, MAX_RECORD_BYTES, mentionsUnique, type RecordChanges } from './changes.ts';
import { ClassChanged } from './lock-class.ts';
import { grantsIn, missingKinds, openGrants, type RecordPermissions } from './permissions.ts';
import type { PresentedRecord, RecordGrants, RecordRow } from './rows.ts';
import { mapInSlices } from './sizes.ts';
import type { LockedRow } from './write.ts';

/** Omitted values are unchanged. */
export interface RecordUpdate extends RecordChanges {
  permissions?: RecordPermissions | null;
}

export interface ReadUpdate {
  update: RecordUpdate;
  fields: FieldChanges;
  bytes: number;
}

export function bytesOf(update: RecordUpdate): number {
  return JSON.stringify(update).length;
}

export function addedBytes(bytes: number): number {
  return Math.min(bytes, MAX_RECORD_BYTES);
}

/** @throws {UnprocessableError} problems that do not depend on the records */
export async function readUpdates<Update extends RecordUpdate>(
  definition: ClassDefinition,
  updates: Update[],
): Promise<(ReadUpdate & { update: Update })[]> {
  const problems: Problem[] = [];
  const read = await mapInSlices(updates, (update) => {
    const bytes = bytesOf(update);
    const fields = new FieldChanges(definition.fields, update);
    problems.push(...fields.problems());
    grantsIn(update.permissions, openGrants(definition), (problem) => problems.push(problem));
    return [{ update, fields, bytes }, bytes];
  });
  if (problems.length > 0) throw new UnprocessableError(...distinct(problems));
  return read;
}

export interface RowChange {
  row: ChangeableRow;
  /** Fields as JSON, approximately; a measure of the cost. */
  bytes: number;
  update: ReadUpdate;
}

type ChangeableRow = RecordRow & Pick<LockedRow, 'isReadable'>;

/** @throws {ClassChanged} these kinds of permissions must be noted first */
export async function changedRows(
  definition: ClassDefinition,
  changes: RowChange[],
  problems: Problem[],
  context: ActingContext,
): Promise<(ChangeableRow & { bytes: number })[]> {
  const rows = await mapInSlices(
    changes,
    ({ row, bytes, update: { update, fields, bytes: given } }): [ChangeableRow & { bytes: number }, number] => {
      if (!row.isReadable) requireUnrevealing(definition, row, update, context);
      const changed = fields.changed(row.fields);
      problems.push(...(row.isReadable ? changed.problems : changed.inputProblems));
      const grants = grantsIn(update.permissions, row, (problem) => problems.push(problem));
      if (!mayChangePermissions(row, context.viewer) && !isSame(row, grants)) throw forbidden();
      const next = row.isReadable ? changed.fields : unrevealingFields(row, changed);
      return [{ ...row, ...grants, fields: next, updatedAt: context.now(), bytes: changed.bytes }, bytes + given];
    },
  );
  const missing = problems.length === 0 && missingKinds(definition, rows);
  if (missing) throw new ClassChanged(missing);
  return rows;
}

export function shownRow(
  definition: ClassDefinition,
  { isReadable, bytes: _, ...row }: ChangeableRow & { bytes: number },
): PresentedRecord {
  return { ...row, class: definition, isHidden: !isReadable };
}

// Without read access, refuses changes whose outcome would reveal stored values: permissions and unique fields.
function requireUnrevealing(
  definition: ClassDefinition,
  row: RecordRow,
  update: RecordUpdate,
  { viewer }: ActingContext,
): void {
  const isPermitting = Object.values(update.permissions ?? {}).some((permission) => permission != null);
  if (isPermitting && !mayChangePermissions(row, viewer)) throw forbidden();
  if (mentionsUnique(definition.fields, update)) throw forbidden();
}

/** Ignores changes that only the stored values refuse, so that the result reveals nothing. */
function unrevealingFields(row: RecordRow, { fields, isTooLarge }: ChangedRecord): StoredFields {
  return isTooLarge ? row.fields : fields;
}

/** Otherwise update rights alone would let a user change the permissions of all others. */
function mayChangePermissions({ userId }: RecordRow, viewer: ActingContext['viewer']): boolean {
  return viewer.kind === 'key' || viewer.userId === userId;
}

/** Clients send complete records back, including unchanged permissions. */
function isSame(before: RecordGrants, after: RecordGrants): boolean {
  const isEqual = (one: Grants, other: Grants) => [...one].sort().join('\0') === [...other].sort().join('\0');
  return (
    isEqual(before.readers, after.readers) &&
    isEqual(before.updaters, after.updaters) &&
    isEqual(before.deleters, after.deleters)
  );
}
