import type { ActingContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { BadInputError, NotFoundError, UnprocessableError } from '../../lib/errors.ts';
import { MAX_PAGE } from '../../lib/pagination.ts';
import type { KnownClass } from '../classes/catalogue.ts';
import type { Grants } from '../classes/grants.ts';
import type { StoredFields } from '../classes/values.ts';
import { forbidden } from './access.ts';
import { type BatchChange, changeInBatches } from './batches.ts';
import { type ChangedRecord, changedFields, mentionsUnique, problemsOf, type RecordChanges } from './changes.ts';
import { MAX_RECORDS } from './create.ts';
import type { FoundRecords } from './find.ts';
import { ClassChanged, withClass } from './lock-class.ts';
import { grantsIn, missingKinds, openGrants, type RecordGrants, type RecordPermissions } from './permissions.ts';
import { RECORD_COLUMNS, type RecordRow, type ShownRecord } from './rows.ts';
import { changing, type LockedRow, lockRows, write } from './write.ts';

/** Values, operators and permissions to change; what is left out stays as it is. */
export interface RecordUpdate extends RecordChanges {
  permissions?: RecordPermissions | null;
}

/**
 * Changes a record (gaps §9.3, §9.4). Its permissions are its owner's and API keys' to change. A caller who may not read
 * it learns nothing of what it holds: neither from the answer nor from what is refused (gaps §22.7).
 * @throws {ForbiddenError} `Undefined class`; the caller may not update it
 * @throws {UnprocessableError} values, operators or permissions against the rules
 * @throws {NotFoundError} unknown record
 */
export async function updateRecord(
  className: string,
  id: string,
  update: RecordUpdate,
  context: ActingContext,
): Promise<ShownRecord> {
  const [record] = await withClass(className, context, async (known) => {
    requireSound(known, [update]);
    return changing(known, context, async (transaction) => {
      const [row] = await lockRows(transaction, known, [id], context);
      if (!row) throw new NotFoundError();
      if (!row.isAllowed) throw forbidden();
      return change(transaction, known, [{ row, update }], context);
    });
  });
  return record!;
}

/**
 * Changes several records, all or none of those the caller may update; the others are not found.
 * @throws {BadInputError} none, or more than 100
 * @throws {UnprocessableError} as `updateRecord`
 */
export async function updateRecords(
  className: string,
  updates: (RecordUpdate & { id: string })[],
  context: ActingContext,
): Promise<FoundRecords> {
  if (updates.length === 0) throw new BadInputError('Record data is missing');
  if (updates.length > MAX_RECORDS) throw new BadInputError(`A request may hold at most ${MAX_RECORDS} records`);
  const ids = [...new Set(updates.map(({ id }) => id))];
  return withClass(className, context, async (known) => {
    requireSound(known, updates);
    const changed = await changing(known, context, async (transaction) => {
      const held = await lockRows(transaction, known, ids, context);
      const rows = new Map(held.filter(({ isAllowed }) => isAllowed).map((row) => [row.id, row]));
      // A record that is named twice is changed twice.
      for (const round of rounds(updates)) {
        const changes = round.flatMap(({ id, ...update }) => {
          const row = rows.get(id);
          return row ? [{ row, update }] : [];
        });
        for (const record of await change(transaction, known, changes, context)) {
          rows.set(record.id, { ...rows.get(record.id)!, ...record });
        }
      }
      return rows;
    });
    return {
      records: ids.flatMap((id) => {
        const row = changed.get(id);
        return row ? [{ ...row, class: known, isHidden: !row.isReadable }] : [];
      }),
      notFoundIds: ids.filter((id) => !changed.has(id)),
    };
  });
}

/** What became of the records that criteria name. */
export interface UpdatedByCriteria {
  skip: number;
  limit: number;
  totalFound: number;
  items: ShownRecord[];
}

/**
 * Changes every record that the criteria name and that the caller may read and update, and shows a page of them.
 * @throws as `changeInBatches` and `updateRecord`
 */
export async function updateRecordsByCriteria(
  className: string,
  { criteria, skip, limit, ...update }: RecordUpdate & { criteria?: unknown; skip: number; limit: number },
  context: ActingContext,
): Promise<UpdatedByCriteria> {
  if (limit < 1 || limit > MAX_PAGE) throw new BadInputError(`limit should be between 1 and ${MAX_PAGE}`);
  if (skip < 0) throw new BadInputError('skip should not be negative');
  const items: ShownRecord[] = [];
  let totalFound = 0;
  const batches: BatchChange<ShownRecord> = {
    operation: 'update',
    criteria,
    noCriteria: 'search_criteria is required',
    async change(transaction, known, matching) {
      requireSound(known, [update]);
      const rows = await transaction.$queryRaw<RecordRow[]>`
        SELECT ${RECORD_COLUMNS} FROM records r ${matching} FOR NO KEY UPDATE`;
      const changes = rows.map((row) => ({ row: { ...row, isReadable: true }, update }));
      return change(transaction, known, changes, context);
    },
    onCommit(records) {
      const from = Math.max(skip - totalFound, 0);
      items.push(...records.slice(from, Math.max(from, skip + limit - totalFound)));
      totalFound += records.length;
    },
  };
  await changeInBatches(className, batches, context);
  return { skip, limit, totalFound, items };
}

/** @throws {UnprocessableError} what is wrong whatever the records are like */
function requireSound(known: KnownClass, updates: RecordUpdate[]): void {
  const problems = updates.flatMap((update) => {
    const found = problemsOf(known.fields, update);
    grantsIn(update.permissions, openGrants(known), (sentence) => found.push(sentence));
    return found;
  });
  if (problems.length > 0) throw new UnprocessableError(...new Set(problems));
}

async function change(
  transaction: Transaction,
  known: KnownClass,
  changes: { row: ChangeableRow; update: RecordUpdate }[],
  context: ActingContext,
): Promise<ShownRecord[]> {
  if (changes.length === 0) return [];
  const problems: string[] = [];
  const rows = changes.map(({ row, update }): ChangeableRow => {
    if (!row.isReadable) requireBlind(known, row, update, context);
    const changed = changedFields(known.fields, row.fields, update);
    problems.push(...(row.isReadable ? changed.problems : changed.inputProblems));
    const grants = grantsIn(update.permissions, row, (sentence) => problems.push(sentence));
    if (!mayChangePermissions(row, context.viewer) && !isSame(row, grants)) throw forbidden();
    const fields = row.isReadable ? changed.fields : blindFields(row, changed);
    return { ...row, ...grants, fields, updatedAt: context.now() };
  });
  if (problems.length > 0) throw new UnprocessableError(...new Set(problems));
  const missing = missingKinds(known, rows);
  if (missing) throw new ClassChanged(missing);
  await write(transaction, known, rows, context);
  return rows.map(({ isReadable, ...row }) => ({ ...row, class: known, isHidden: !isReadable }));
}

type ChangeableRow = RecordRow & Pick<LockedRow, 'isReadable'>;

/**
 * Refuses what would be refused or not by what a record holds, to a caller who may not read it: permissions, of which
 * only those that are there already pass, and operators on unique fields, whose result another record may have.
 * @throws {ForbiddenError}
 */
function requireBlind(known: KnownClass, row: RecordRow, update: RecordUpdate, { viewer }: ActingContext): void {
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

/** Splits updates so that no part names a record twice, in their order. */
function rounds<Update extends { id: string }>(updates: Update[]): Update[][] {
  const parts: Update[][] = [];
  const seen = new Map<string, number>();
  for (const update of updates) {
    const round = seen.get(update.id) ?? 0;
    seen.set(update.id, round + 1);
    parts[round] ??= [];
    parts[round].push(update);
  }
  return parts;
}
