import { db, Prisma, type Transaction } from '../../db/client.ts';
import { runLong } from '../../db/long-work.ts';
import { query } from '../../db/query.ts';
import { transact } from '../../db/transact.ts';
import type {
  IndexState,
  ClassField as StoredField,
  ClassIndex as StoredIndex,
} from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { reloadCatalogue } from './catalogue.ts';
import { ALL_SLOTS, type Slot, slotKindOf, UNSET_NUMBER, UNSET_TEXT } from './slots.ts';

/** Records per statement, so that row locks are short. */
const BATCH = 2_000;

/**
 * Fills or clears slots of fields whose index was requested or dropped while records existed. Safe to run in parallel
 * and after a crash; `jobs/sweep.ts` runs it again.
 */
export async function settleIndexes(applicationId?: number): Promise<void> {
  const unsettled = { in: ['building', 'dropping'] satisfies IndexState[] };
  const ofApplication = applicationId === undefined ? {} : { applicationId };
  const fields = await db.classField.findMany({ where: { indexState: unsettled, ...ofApplication } });
  const indexes = await db.classIndex.findMany({ where: { state: unsettled, ...ofApplication } });
  for (const field of fields) await settleIndex(settlingField(field));
  for (const index of indexes) await settleIndex(settlingIndex(index));
}

interface Settling {
  applicationId: number;
  classKey: number;
  slot: Slot;
  state: IndexState;
  /** Content of the slot of record `r`. */
  content: Prisma.Sql;
  /** Row of the index, as long as it is in this state. */
  row: Prisma.Sql;
  /** Returns false if the index has changed. */
  finish: (transaction: Transaction) => Promise<boolean>;
}

function settlingField(field: StoredField): Settling {
  const { applicationId, classKey, name, slot, indexState } = field;
  return {
    applicationId,
    classKey,
    slot: slot as Slot,
    state: indexState,
    content: slotContent(field),
    row: Prisma.sql`class_fields f WHERE f.application_id = ${applicationId} AND f.class_key = ${classKey}
      AND f.name = ${name} AND f.index_state = ${indexState}::index_state`,
    finish: async (transaction) => {
      const { count } = await transaction.classField.updateMany({
        where: { applicationId, classKey, name, indexState, slot },
        data: indexState === 'building' ? { indexState: 'ready' } : { indexState: 'none', slot: null },
      });
      return count > 0;
    },
  };
}

function settlingIndex({ applicationId, classKey, slot, fields, state }: StoredIndex): Settling {
  const where = { applicationId, classKey, slot, state };
  return {
    applicationId,
    classKey,
    slot: slot as Slot,
    state,
    content: Prisma.sql`compound_key(r.fields, ${fields}::text[])`,
    row: Prisma.sql`class_indexes i WHERE i.application_id = ${applicationId} AND i.class_key = ${classKey}
      AND i.slot = ${slot} AND i.state = ${state}::index_state`,
    finish: async (transaction) => {
      const { count } =
        state === 'building'
          ? await transaction.classIndex.updateMany({ where, data: { state: 'ready' } })
          : await transaction.classIndex.deleteMany({ where });
      return count > 0;
    },
  };
}

async function settleIndex(settling: Settling): Promise<void> {
  const { applicationId, classKey, state, content, row, finish } = settling;
  const isBuilding = state === 'building';
  const slot = columnOf(settling.slot);
  const value = isBuilding ? content : Prisma.sql`NULL`;
  const isLeft = isBuilding ? Prisma.sql`${slot} IS NULL` : Prisma.sql`${slot} IS NOT NULL`;
  await runLong(jobOwnerOf({ applicationId }), async (runStep) => {
    let last = '';
    // `FOR SHARE` blocks a concurrent change of the index until the statement ends; the next statement sees the change.
    for (;;) {
      const after = last;
      const [batch] = await runStep(
        () => query<{ last: string | null }>`
      WITH wanted AS MATERIALIZED (
        SELECT FROM ${row} FOR SHARE
      ), walked AS MATERIALIZED (
        SELECT r.id, ${isLeft} AS "isLeft" FROM records r
        WHERE EXISTS (SELECT FROM wanted) AND r.application_id = ${applicationId} AND r.class_key = ${classKey} AND r.id > ${after}
        ORDER BY r.id LIMIT ${BATCH}
      ), held AS MATERIALIZED (
        SELECT r.id FROM records r
        WHERE r.application_id = ${applicationId} AND r.id IN (SELECT id FROM walked WHERE "isLeft")
        ORDER BY r.id FOR NO KEY UPDATE
      ), settled AS (
        UPDATE records r SET ${slot} = ${value} FROM held WHERE r.application_id = ${applicationId} AND r.id = held.id
      )
      SELECT max(id) AS last FROM walked`,
      );
      if (batch!.last === null) break;
      last = batch!.last;
    }
  });
  await transact(jobOwnerOf({ applicationId }), async (transaction) => {
    // Same lock order as changes and deletions (class, then fields), so that they cannot deadlock.
    const locked = await transaction.$queryRaw<{ key: number }[]>`
      SELECT key FROM record_classes WHERE application_id = ${applicationId} AND key = ${classKey} FOR UPDATE`;
    if (locked.length === 0) return;
    if (!(await finish(transaction))) return;
    await transaction.recordClass.update({
      where: { applicationId_key: { applicationId, key: classKey } },
      data: { version: { increment: 1 } },
    });
    await transaction.application.update({
      where: { id: applicationId },
      data: { catalogueVersion: { increment: 1 } },
    });
  });
  await reloadCatalogue(applicationId);
}

function columnOf(slot: Slot): Prisma.Sql {
  if (!ALL_SLOTS.includes(slot)) throw new Error(`unknown slot: ${slot}`);
  return Prisma.raw(slot);
}

function slotContent(field: StoredField): Prisma.Sql {
  const value = Prisma.sql`r.fields -> ${field.name}`;
  switch (slotKindOf(field)) {
    case 'text':
      return Prisma.sql`coalesce('v' || (r.fields ->> ${field.name}), ${UNSET_TEXT})`;
    case 'place':
      return Prisma.sql`place_of((${value} ->> 'lat')::float8, (${value} ->> 'lon')::float8)`;
    default:
      return field.type === 'Boolean'
        ? Prisma.sql`coalesce((${value})::boolean::int::float8, ${UNSET_NUMBER}::float8)`
        : Prisma.sql`coalesce((${value})::float8, ${UNSET_NUMBER}::float8)`;
  }
}
