import { MigrationError } from '../errors.ts';
import type { StoredItem } from '../ledger.ts';
import { excluded } from '../rows.ts';
import type { Run } from '../run.ts';
import {
  ALL_SLOTS,
  ClassChanged,
  type ClassDefinition,
  hasUniqueKeys,
  insertKeys,
  isObject,
  type JsonValue,
  lockClassForWrite,
  missingKinds,
  NEW_COLUMNS,
  NEW_INPUT,
  NEW_VALUES,
  newFields,
  newRow,
  noteKinds,
  type RecordRow,
  sqlState,
  type Transaction,
  withClasses,
} from '../service.ts';
import type { SourceClass, SourceRecord } from '../shapes.ts';
import { grantsOfRecord } from './classes.ts';

/** The later change wins. Records that were deleted here remain deleted, and their descendants are omitted. */
export async function storeRecords(run: Run): Promise<void> {
  const { ledger, progress } = run;
  progress.begin('records stored', await ledger.size('record'));
  const resumed = String(ledger.cursor.className ?? '');
  for await (const { id: className } of ledger.items<SourceClass>('class')) {
    if (className < resumed) continue;
    const after = className === resumed ? String(ledger.cursor.after) : '';
    for await (const batch of ledger.batches<SourceRecord>('record', after, className)) {
      await storeBatch(className, batch, run);
      progress.advance(batch.length);
    }
  }
  await removeOrphans(run);
}

function storeBatch(className: string, batch: StoredItem<SourceRecord>[], { ledger }: Run): Promise<void> {
  const { applicationId, since = null } = ledger;
  return withClasses({ applicationId, catalogueVersion: LATEST }, async ({ byName }) => {
    const known = byName.get(className);
    if (!known) throw new MigrationError(`class ${className} was deleted here`);
    const rows = batch.map(({ content }) => rowOf(known, content));
    const kinds = missingKinds(known, rows);
    if (kinds) {
      await noteKinds(known, kinds);
      throw new ClassChanged();
    }
    try {
      await ledger.write({ className, after: batch.at(-1)!.id }, async (transaction) => {
        await lockClassForWrite(transaction, known);
        await store(transaction, { known, rows, since });
      });
    } catch (error) {
      if (sqlState(error) !== '23505') throw error;
      throw new MigrationError(`records of ${className}: another record here already has a value of a unique field`);
    }
  });
}

/** Higher than every version. */
const LATEST = Number.POSITIVE_INFINITY;

function rowOf(known: ClassDefinition, record: SourceRecord): RecordRow {
  const { fields, problems } = newFields(known.fields, record.fields);
  if (problems.length > 0) throw new MigrationError(`record ${record.id} of ${known.name}: ${problems[0]}`);
  const { read, update, delete: remove } = record.permissions;
  return {
    applicationId: known.applicationId,
    id: record.id,
    classKey: known.key,
    parentId: record.parentId,
    userId: record.userId,
    readers: grantsOfRecord(read),
    updaters: grantsOfRecord(update),
    deleters: grantsOfRecord(remove),
    fields,
    createdAt: new Date(record.createdAt * 1_000),
    updatedAt: new Date(record.updatedAt * 1_000),
  };
}

interface Batch {
  known: ClassDefinition;
  rows: RecordRow[];
  since: Date | null;
}

const UPDATED = ['user_id', 'is_open', 'readers', 'updaters', 'deleters', 'updated_at', ...ALL_SLOTS];

async function store(transaction: Transaction, { known, rows, since }: Batch): Promise<void> {
  const { applicationId } = known;
  const stored = await transaction.$queryRaw<{ id: string }[]>`
    INSERT INTO records AS r (application_id, ${NEW_COLUMNS}) SELECT ${applicationId}::int, ${NEW_VALUES}
    FROM json_to_recordset(${JSON.stringify(rows.map((row) => newRow(row, known)))}::json) AS g (${NEW_INPUT})
    WHERE ${since}::timestamptz IS NULL OR g."createdAt" >= date_trunc('second', ${since}::timestamptz)
      OR EXISTS (SELECT FROM records o WHERE o.application_id = ${applicationId} AND o.id = g.id)
    ORDER BY g.id
    ON CONFLICT (application_id, id) DO UPDATE SET ${excluded(UPDATED)},
      fields = excluded.fields || coalesce((SELECT jsonb_object_agg(f, r.fields -> f)
        FROM unnest(${fileFieldsOf(known)}::text[]) f WHERE jsonb_exists(r.fields, f)), '{}')
    WHERE r.class_key = excluded.class_key AND r.updated_at < excluded.updated_at
    RETURNING r.id`;
  if (!hasUniqueKeys(known)) return;
  const ids = new Set(stored.map(({ id }) => id));
  await transaction.recordKey.deleteMany({ where: { applicationId, recordId: { in: [...ids] } } });
  await insertKeys(
    transaction,
    known,
    rows.filter(({ id }) => ids.has(id)),
  );
}

async function removeOrphans({ ledger }: Run): Promise<void> {
  const { applicationId } = ledger;
  await ledger.write(ledger.cursor, async (transaction) => {
    for (;;) {
      const removed = await transaction.$executeRaw`
        WITH deleted AS (
          DELETE FROM records r USING migrated_items i
          WHERE i.application_id = ${applicationId} AND i.kind = 'record' AND i.id = r.id
            AND r.application_id = ${applicationId} AND r.parent_id IS NOT NULL
            AND NOT EXISTS (SELECT FROM records p WHERE p.application_id = ${applicationId} AND p.id = r.parent_id)
          RETURNING r.id
        ), keys AS (
          DELETE FROM record_keys k USING deleted WHERE k.application_id = ${applicationId} AND k.record_id = deleted.id
        )
        SELECT FROM deleted`;
      ledger.count('recordsWithoutParent', removed);
      if (removed === 0) return;
    }
  });
}

export function fileFieldsOf(known: ClassDefinition): string[] {
  return [...known.fields.values()].filter(({ type }) => type === 'File').map(({ name }) => name);
}

export function fileOf(record: SourceRecord, field: string) {
  const value = record.fields[field] as JsonValue | undefined;
  return isObject(value) ? value : undefined;
}
