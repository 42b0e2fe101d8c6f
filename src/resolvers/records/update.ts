import type { ActingContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { BadInputError, NotFoundError, UnprocessableError } from '../../lib/errors.ts';
import { MAX_PAGE } from '../../lib/pagination.ts';
import { distinct, type Problem, problem } from '../../lib/problems.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import { forbidden } from './access.ts';
import { type BatchChange, changeInBatches } from './batches.ts';
import {
  addedBytes,
  bytesOf,
  changedRows,
  type ReadUpdate,
  type RecordUpdate,
  type RowChange,
  readUpdates,
  shownRow,
} from './changed-rows.ts';
import { MAX_RECORDS } from './create.ts';
import type { FoundRecords } from './find.ts';
import { KeptFields } from './large-fields.ts';
import { withClass } from './lock-class.ts';
import type { PresentedRecord } from './rows.ts';
import { batchesOf, type HeldRecord } from './sizes.ts';
import { type UniqueRow, uniqueRow } from './unique.ts';
import { changing, claim, lockRights, lockRow, readHeld, write, writeRows } from './write.ts';

/** Neither the response nor errors reveal values that the caller may not read. */
export async function updateRecord(
  className: string,
  id: string,
  update: RecordUpdate,
  context: ActingContext,
): Promise<PresentedRecord> {
  const [changed] = await withClass(className, context, async (definition) => {
    const [read] = await readUpdates(definition, [update]);
    return changing(definition, context, async (transaction) => {
      const row = await lockRow(transaction, definition, id, context);
      if (!row) throw new NotFoundError();
      if (!row.isAllowed) throw forbidden();
      return change(transaction, definition, [{ row, bytes: 0, update: read! }], context);
    });
  });
  return changed!.record;
}

/** All or none; records that the caller may not update count as not found. @throws {BadInputError} */
export async function updateRecords(
  className: string,
  updates: (RecordUpdate & { id: string })[],
  context: ActingContext,
): Promise<FoundRecords> {
  if (updates.length === 0) throw new BadInputError('RECORDS_MISSING');
  if (updates.length > MAX_RECORDS) throw new BadInputError(problem('TOO_MANY_RECORDS', { max: MAX_RECORDS }));
  const ids = [...new Set(updates.map(({ id }) => id))];
  return withClass(className, context, async (definition) => {
    const read = await readUpdates(definition, updates);
    const changed = await changing(definition, context, (transaction) =>
      changeHeld(transaction, definition, read, context),
    );
    return {
      records: ids.flatMap((id) => {
        return changed.get(id) ?? [];
      }),
      notFoundIds: ids.filter((id) => !changed.has(id)),
    };
  });
}

export interface UpdatedByCriteria {
  skip: number;
  limit: number;
  totalFound: number;
  items: PresentedRecord[];
}

/** Returns a page of the changed records. @throws like `changeInBatches` and `updateRecord` */
export async function updateRecordsByCriteria(
  className: string,
  { criteria, skip, limit, ...update }: RecordUpdate & { criteria?: unknown; skip: number; limit: number },
  context: ActingContext,
): Promise<UpdatedByCriteria> {
  if (limit < 1 || limit > MAX_PAGE)
    throw new BadInputError(problem('OUT_OF_RANGE', { name: 'limit', min: 1, max: MAX_PAGE }));
  if (skip < 0) throw new BadInputError(problem('NEGATIVE_NUMBER', { name: 'skip' }));
  const items: PresentedRecord[] = [];
  let totalFound = 0;
  let latest: { definition: ClassDefinition; read: ReadUpdate } | undefined;
  const kept = new KeptFields();
  const batches: BatchChange<ChangedRow> = {
    operation: 'update',
    criteria,
    noCriteria: 'CRITERIA_REQUIRED',
    addedBytes: addedBytes(bytesOf(update)),
    async change(transaction, definition, locked) {
      if (latest?.definition !== definition)
        latest = { definition, read: (await readUpdates(definition, [update]))[0]! };
      const changes = locked.map((row) => ({ locked: { ...row, isReadable: true }, update: latest!.read }));
      return change(transaction, definition, await withRows(transaction, definition, changes), context);
    },
    onCommit(records) {
      const from = Math.max(skip - totalFound, 0);
      const shown = records.slice(from, Math.max(from, skip + limit - totalFound));
      items.push(...shown.map(({ record, bytes }) => kept.keep(record, bytes)));
      totalFound += records.length;
    },
  };
  await changeInBatches(className, batches, context);
  return { skip, limit, totalFound, items };
}

/** In batches, because the records may be large together. */
async function changeHeld(
  transaction: Transaction,
  definition: ClassDefinition,
  updates: (ReadUpdate & { update: { id: string } })[],
  context: ActingContext,
): Promise<Map<string, PresentedRecord>> {
  const ids = [...new Set(updates.map(({ update }) => update.id))];
  const rights = await lockRights(transaction, definition, ids, context);
  const allowed = new Map(rights.filter(({ isAllowed }) => isAllowed).map((locked) => [locked.id, locked]));
  const shown = new Map<string, PresentedRecord>();
  const kept = new KeptFields();
  // Applies several updates of one record in order.
  for (const round of rounds(updates)) {
    const problems: Problem[] = [];
    const unique: UniqueRow[] = [];
    const changes = round.flatMap((update) => {
      const locked = allowed.get(update.update.id);
      return locked ? [{ locked, update }] : [];
    });
    for (const batch of batchesOf(changes, ({ locked, update }) => locked.bytes + addedBytes(update.bytes))) {
      const rows = await changedRows(definition, await withRows(transaction, definition, batch), problems, context);
      // Collects the problems of all records before throwing.
      if (problems.length > 0) continue;
      await writeRows(transaction, definition, rows, context);
      for (const row of rows) shown.set(row.id, kept.keep(shownRow(definition, row), row.bytes));
      unique.push(...rows.map((row) => uniqueRow(definition, row)));
      for (const { locked, update } of batch) locked.bytes += addedBytes(update.bytes);
    }
    if (problems.length > 0) throw new UnprocessableError(...distinct(problems));
    await claim(transaction, definition, unique);
  }
  return shown;
}

async function withRows(
  transaction: Transaction,
  definition: ClassDefinition,
  changes: { locked: HeldRecord & { isReadable: boolean }; update: ReadUpdate }[],
): Promise<RowChange[]> {
  const rows = await readHeld(
    transaction,
    definition,
    changes.map(({ locked }) => locked),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return changes.map(({ locked: { id, bytes, isReadable }, update }) => ({
    row: { ...byId.get(id)!, isReadable },
    bytes,
    update,
  }));
}

async function change(
  transaction: Transaction,
  definition: ClassDefinition,
  changes: RowChange[],
  context: ActingContext,
): Promise<ChangedRow[]> {
  if (changes.length === 0) return [];
  const problems: Problem[] = [];
  const rows = await changedRows(definition, changes, problems, context);
  if (problems.length > 0) throw new UnprocessableError(...distinct(problems));
  await write(transaction, definition, rows, context);
  return rows.map((row) => ({ id: row.id, record: shownRow(definition, row), bytes: row.bytes }));
}

interface ChangedRow {
  id: string;
  record: PresentedRecord;
  /** Fields as JSON. */
  bytes: number;
}

/** Splits updates, in order, so that no round contains a record twice. */
function rounds<Update extends { update: { id: string } }>(updates: Update[]): Update[][] {
  const parts: Update[][] = [];
  const seen = new Map<string, number>();
  for (const one of updates) {
    const round = seen.get(one.update.id) ?? 0;
    seen.set(one.update.id, round + 1);
    parts[round] ??= [];
    parts[round].push(one);
  }
  return parts;
}
