import { Prisma, type Transaction } from '../../../db/client.ts';
import { sqlState } from '../../../db/failures.ts';
import { isObject, type ParameterValue } from '../../../lib/bracket-keys.ts';
import { type ClassDefinition, noteKinds, reloadCatalogue } from '../../../resolvers/classes/catalogue.ts';
import { isOpen } from '../../../resolvers/classes/grants.ts';
import { ALL_SLOTS } from '../../../resolvers/classes/slots.ts';
import { newFields } from '../../../resolvers/records/changes.ts';
import { ClassChanged, lockClass } from '../../../resolvers/records/lock-class.ts';
import { missingKinds } from '../../../resolvers/records/permissions.ts';
import { type RecordRow, SLOT_COLUMNS, SLOT_NAMES, SLOT_VALUES, slotsOf } from '../../../resolvers/records/rows.ts';
import { hasUniqueKeys, insertKeys } from '../../../resolvers/records/unique.ts';
import type { StoredItem } from '../ledger.ts';
import { MigrationError } from '../problem.ts';
import type { Run } from '../run.ts';
import type { SourceClass, SourceRecord } from '../shapes.ts';
import { grantsGiven } from './classes.ts';

/** The later change wins. Records that were deleted here remain deleted, and their descendants are omitted. */
export async function storeRecords(run: Run): Promise<void> {
  const { ledger, progress } = run;
  progress.begin('records stored', await ledger.size('record'));
  const resumed = String(ledger.cursor.className ?? '');
  for await (const { id: className } of ledger.each<SourceClass>('class')) {
    if (className < resumed) continue;
    const after = className === resumed ? String(ledger.cursor.after) : '';
    for await (const batch of ledger.batches<SourceRecord>('record', after, className)) {
      await withRetries(() => storeBatch(className, batch, run));
      progress.advance(batch.length);
    }
  }
  await removeOrphans(run);
}

const MAX_TRIES = 10;

async function withRetries(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ClassChanged) || tries === MAX_TRIES) throw error;
    }
  }
}

async function storeBatch(className: string, batch: StoredItem<SourceRecord>[], { ledger }: Run): Promise<void> {
  const { applicationId } = ledger;
  const known = await knownClass(applicationId, className, batch);
  const rows = batch.map(({ content }) => rowOf(known, content));
  try {
    await ledger.write({ className, after: batch.at(-1)!.id }, async (transaction) => {
      await lockClass(transaction, known);
      await store(transaction, { known, rows, since: ledger.since ?? null });
    });
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    throw new MigrationError(`records of ${className}: another record here already has a value of a unique field`);
  }
}

async function knownClass(
  applicationId: number,
  className: string,
  batch: StoredItem<SourceRecord>[],
): Promise<ClassDefinition> {
  for (;;) {
    const known = (await reloadCatalogue(applicationId)).byName.get(className);
    if (!known) throw new MigrationError(`class ${className} was deleted here`);
    const rows = batch.map(({ content }) => ({ readers: grantsGiven(content.permissions.read) }));
    const kinds = missingKinds(known, rows);
    if (!kinds) return known;
    await noteKinds(known, kinds);
  }
}

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
    readers: grantsGiven(read),
    updaters: grantsGiven(update),
    deleters: grantsGiven(remove),
    fields,
    createdAt: new Date(record.createdAt * 1_000),
    updatedAt: new Date(record.updatedAt * 1_000),
  };
}

const SLOTS_TAKEN = Prisma.raw(ALL_SLOTS.map((slot) => `${slot} = excluded.${slot}`).join(', '));

interface Batch {
  known: ClassDefinition;
  rows: RecordRow[];
  since: Date | null;
}

async function store(transaction: Transaction, { known, rows, since }: Batch): Promise<void> {
  const { applicationId, key } = known;
  const input = rows.map((row) => ({ ...row, isOpen: isOpen(row.readers), ...slotsOf(known, row.fields) }));
  const files = fileFieldsOf(known);
  const stored = await transaction.$queryRaw<{ id: string }[]>`
    WITH input AS MATERIALIZED (
      SELECT g.* FROM json_to_recordset(${JSON.stringify(input)}::json) AS g (
        id text, "parentId" text, "userId" int, "isOpen" boolean, readers json, updaters json, deleters json,
        fields jsonb, "createdAt" timestamptz(3), "updatedAt" timestamptz(3), ${SLOT_COLUMNS})
    )
    INSERT INTO records AS r (application_id, id, class_key, parent_id, user_id, is_open, readers, updaters, deleters,
      fields, created_at, updated_at, ${SLOT_NAMES})
    SELECT ${applicationId}::int, g.id, ${key}::int, g."parentId", g."userId", g."isOpen",
      ARRAY(SELECT json_array_elements_text(g.readers)), ARRAY(SELECT json_array_elements_text(g.updaters)),
      ARRAY(SELECT json_array_elements_text(g.deleters)), g.fields, g."createdAt", g."updatedAt", ${SLOT_VALUES}
    FROM input g
    WHERE ${since}::timestamptz IS NULL OR g."createdAt" >= date_trunc('second', ${since}::timestamptz)
      OR EXISTS (SELECT FROM records o WHERE o.application_id = ${applicationId} AND o.id = g.id)
    ORDER BY g.id
    ON CONFLICT (application_id, id) DO UPDATE SET user_id = excluded.user_id, is_open = excluded.is_open,
      readers = excluded.readers, updaters = excluded.updaters, deleters = excluded.deleters,
      fields = excluded.fields || coalesce((SELECT jsonb_object_agg(f, r.fields -> f)
        FROM unnest(${files}::text[]) f WHERE jsonb_exists(r.fields, f)), '{}'),
      updated_at = excluded.updated_at, ${SLOTS_TAKEN}
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
  const value = record.fields[field] as ParameterValue | undefined;
  return isObject(value) ? value : undefined;
}
