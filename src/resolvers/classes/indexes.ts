import { db, Prisma } from '../../db/client.ts';
import { runLong } from '../../db/long-work.ts';
import { query } from '../../db/query.ts';
import { transact } from '../../db/transact.ts';
import type { ClassField as StoredField } from '../../generated/prisma/client.ts';
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
  const fields = await db.classField.findMany({
    where: { indexState: { in: ['building', 'dropping'] }, ...(applicationId === undefined ? {} : { applicationId }) },
  });
  for (const field of fields) await settleIndex(field);
}

async function settleIndex(field: StoredField): Promise<void> {
  const { applicationId, classKey, name, indexState } = field;
  const isBuilding = indexState === 'building';
  const slot = columnOf(field.slot as Slot);
  const value = isBuilding ? slotContent(field) : Prisma.sql`NULL`;
  const isLeft = isBuilding ? Prisma.sql`${slot} IS NULL` : Prisma.sql`${slot} IS NOT NULL`;
  await runLong(jobOwnerOf({ applicationId }), async (runStep) => {
    let last = '';
    // `FOR SHARE` blocks a concurrent change of the field until the statement ends; the next statement sees the change.
    for (;;) {
      const after = last;
      const [batch] = await runStep(
        () => query<{ last: string | null }>`
      WITH wanted AS MATERIALIZED (
        SELECT f.name FROM class_fields f
        WHERE f.application_id = ${applicationId} AND f.class_key = ${classKey} AND f.name = ${name}
          AND f.index_state = ${indexState}::index_state FOR SHARE
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
    const settled = await transaction.classField.updateMany({
      where: { applicationId, classKey, name, indexState, slot: field.slot },
      data: isBuilding ? { indexState: 'ready' } : { indexState: 'none', slot: null },
    });
    if (settled.count === 0) return;
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
