import type { ActingContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { column, columnsOf, type RowSql, select } from '../../db/columns.ts';
import { isDeadlock, sqlState } from '../../db/failures.ts';
import { queryIn } from '../../db/query.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { distinct } from '../../lib/problems.ts';
import { isStringId } from '../../lib/string-ids.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import { isOpen } from '../classes/grants.ts';
import { allows, isReadable } from './access.ts';
import { ClassChanged, lockClassForWrite } from './lock-class.ts';
import { IMAGE, RECORD_COLUMNS, type RecordRow, SLOT_CHANGES, SLOT_COLUMNS, slotsOf } from './rows.ts';
import { FIELD_BYTES, type HeldRecord } from './sizes.ts';
import { hasUniqueKeys, insertKeys, takenKeys, takenProblem, type UniqueRow } from './unique.ts';

/** Without input checks, for files. */
export async function setFields(
  transaction: Transaction,
  definition: ClassDefinition,
  row: RecordRow,
  fields: RecordRow['fields'],
  context: ActingContext,
): Promise<void> {
  await write(transaction, definition, [{ ...row, fields, updatedAt: context.now() }], context);
}

interface Rights {
  isAllowed: boolean;
  isReadable: boolean;
}

export type LockedRow = RecordRow & Rights;

export async function lockRow(
  transaction: Transaction,
  definition: ClassDefinition,
  id: string,
  context: ActingContext,
): Promise<LockedRow | undefined> {
  const [row] = await lockRows(transaction, definition, { ids: [id], columns: RECORD_COLUMNS }, context);
  return row;
}

const HELD_COLUMNS = select`${columnsOf('Record', 'r', ['id'])}, ${column('bytes', 'int', FIELD_BYTES)}`;

/** Without fields, because those of several records may be large. */
export function lockRights(
  transaction: Transaction,
  definition: ClassDefinition,
  ids: string[],
  context: ActingContext,
): Promise<(HeldRecord & Rights)[]> {
  return lockRows(transaction, definition, { ids, columns: HELD_COLUMNS }, context);
}

async function lockRows<Row>(
  transaction: Transaction,
  definition: ClassDefinition,
  { ids, columns }: { ids: string[]; columns: RowSql<Row> },
  { viewer }: ActingContext,
): Promise<(Row & Rights)[]> {
  const possible = ids.filter(isStringId);
  if (possible.length === 0) return [];
  const statement = select`
    SELECT ${columns}, ${column('isAllowed', 'boolean', allows('update', definition, viewer))},
      ${isReadable(definition, viewer)} FROM records r
    WHERE r.application_id = ${definition.applicationId} AND r.id = ANY(${possible}::text[]) AND r.class_key = ${definition.key}
    ORDER BY r.id FOR NO KEY UPDATE`;
  return queryIn(transaction, statement as RowSql<Row & Rights>);
}

/** Requires locked records; returns them by id. */
export function readHeld(
  transaction: Transaction,
  { applicationId }: ClassDefinition,
  locked: HeldRecord[],
): Promise<RecordRow[]> {
  const ids = locked.map(({ id }) => id);
  const statement = select`SELECT ${RECORD_COLUMNS} FROM records r
    WHERE r.application_id = ${applicationId} AND r.id = ANY(${ids}::text[]) ORDER BY r.id`;
  return queryIn(transaction, statement);
}

/** Locks the class at the known version. @throws {UnprocessableError} `Field <f> has already been taken` */
export async function changing<Result>(
  definition: ClassDefinition,
  { viewer, outbox }: ActingContext,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const run = async (transaction: Transaction) => {
    await lockClassForWrite(transaction, definition);
    return work(transaction);
  };
  const result = await transact(jobOwnerOf(viewer), run).catch(async (error: unknown) => {
    // Two transactions may swap unique values and wait for each other.
    if (isDeadlock(error)) throw new ClassChanged();
    if (!(error instanceof ValueTaken)) throw error;
    // After the transaction has released its connection.
    const taken = await takenKeys(definition, error.rows);
    if (taken.length === 0) throw new ClassChanged(); // the other record has released the value
    throw new UnprocessableError(...distinct(taken.map(({ field }) => takenProblem(field))));
  });
  outbox.wake();
  return result;
}

class ValueTaken extends Error {
  readonly rows: UniqueRow[];

  constructor(rows: UniqueRow[]) {
    super('a unique value is taken');
    this.rows = rows;
  }
}

/** @throws {ValueTaken} */
export async function write(
  transaction: Transaction,
  definition: ClassDefinition,
  rows: RecordRow[],
  context: ActingContext,
): Promise<void> {
  await writeRows(transaction, definition, rows, context);
  await claim(transaction, definition, rows);
}

/** Does not claim unique values; call `claim` after the last batch. */
export async function writeRows(
  transaction: Transaction,
  definition: ClassDefinition,
  rows: RecordRow[],
  { viewer }: ActingContext,
): Promise<void> {
  const given = rows.map(({ id, readers, updaters, deleters, fields, updatedAt }) => ({
    id,
    isOpen: isOpen(readers),
    readers,
    updaters,
    deleters,
    fields,
    updatedAt,
    ...slotsOf(definition, fields),
  }));
  const userId = viewer.kind === 'user' ? viewer.userId : null;
  await transaction.$executeRaw`
    WITH given AS MATERIALIZED (
      SELECT g.* FROM json_to_recordset(${JSON.stringify(given)}::json) AS g (id text, "isOpen" boolean, readers json,
        updaters json, deleters json, fields jsonb, "updatedAt" timestamptz(3), ${SLOT_COLUMNS})
    ), before AS MATERIALIZED (
      SELECT r.id, ${IMAGE} AS image FROM records r
      WHERE r.application_id = ${definition.applicationId} AND r.id IN (SELECT id FROM given)
    ), changed AS (
      UPDATE records r SET is_open = g."isOpen", readers = ARRAY(SELECT json_array_elements_text(g.readers)),
        updaters = ARRAY(SELECT json_array_elements_text(g.updaters)),
        deleters = ARRAY(SELECT json_array_elements_text(g.deleters)), fields = g.fields, updated_at = g."updatedAt",
        ${SLOT_CHANGES}
      FROM given g WHERE r.application_id = ${definition.applicationId} AND r.id = g.id
      RETURNING r.id, r.updated_at
    )
    INSERT INTO events_outbox (application_id, kind, class_key, subject_id, user_id, detail, created_at)
    SELECT ${definition.applicationId}::int, 'recordUpdated', ${definition.key}::int, c.id, ${userId}::int,
      jsonb_build_object('before', b.image), c.updated_at
    FROM changed c JOIN before b USING (id) ORDER BY c.id`;
}

export async function claim(transaction: Transaction, definition: ClassDefinition, rows: UniqueRow[]): Promise<void> {
  if (!hasUniqueKeys(definition)) return;
  const ids = rows.map(({ id }) => id);
  await transaction.recordKey.deleteMany({ where: { applicationId: definition.applicationId, recordId: { in: ids } } });
  await insertKeys(transaction, definition, rows).catch((error) => {
    throw sqlState(error) === '23505' ? new ValueTaken(rows) : error;
  });
}
