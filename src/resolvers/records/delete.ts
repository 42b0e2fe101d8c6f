import type { ActingContext } from '../../context.ts';
import { Prisma, type Transaction } from '../../db/client.ts';
import { NotFoundError, UnprocessableError } from '../../lib/errors.ts';
import { readRecordFilter } from '../../lib/record-filter.ts';
import { distinctIds, isStringId } from '../../lib/string-ids.ts';
import type { KnownClass } from '../classes/catalogue.ts';
import type { DeletedItems } from '../dialogs/delete.ts';
import { allows, forbidden, readable, requireOpenClass } from './access.ts';
import { withClass } from './hold-class.ts';
import { conditionOf } from './list.ts';
import { IMAGE } from './rows.ts';
import { changing } from './update.ts';

/**
 * Deletes a record with its descendants, whoever owns those (gaps §9.3).
 * @throws {ForbiddenError} `Undefined class`; the caller may not delete it
 * @throws {NotFoundError} unknown record
 */
export async function deleteRecord(className: string, id: string, context: ActingContext): Promise<true> {
  const { deletedIds, wrongPermissionsIds } = await deleteRecords(className, [id], context);
  if (wrongPermissionsIds.length > 0) throw forbidden();
  if (deletedIds.length === 0) throw new NotFoundError();
  return true;
}

/**
 * The same for several, of which those that may not be deleted stay.
 * @throws {ForbiddenError} `Undefined class` @throws {UnprocessableError} more than 100
 */
export async function deleteRecords(className: string, given: string[], context: ActingContext): Promise<DeletedItems> {
  const { viewer } = context;
  const ids = distinctIds(given);
  return withClass(className, context, (known) =>
    changing(known, context, async (transaction) => {
      const held = await transaction.$queryRaw<{ id: string; isAllowed: boolean }[]>`
        SELECT r.id, ${allows('delete', known, viewer)} AS "isAllowed" FROM records r
        WHERE r.application_id = ${known.applicationId} AND r.id = ANY(${ids.filter(isStringId)}::text[])
          AND r.class_key = ${known.key}
        ORDER BY r.id FOR UPDATE`;
      const allowed = new Map(held.map(({ id, isAllowed }) => [id, isAllowed]));
      const deletedIds = ids.filter((id) => allowed.get(id) === true);
      await destroyRecords(transaction, known.applicationId, deletedIds, context);
      return {
        deletedIds,
        notFoundIds: ids.filter((id) => !allowed.has(id)),
        wrongPermissionsIds: ids.filter((id) => allowed.get(id) === false),
      };
    }),
  );
}

/** Records that are deleted together. */
const BATCH = 1_000;

/** How long the deletion of all records of a class may take, in milliseconds. */
const LONG = 10 * 60 * 1_000;

/**
 * Deletes every record that the criteria name and that the caller may read and delete, with their descendants.
 * @returns how many the criteria named
 * @throws {UnprocessableError} no criteria, or names that the class does not know
 */
export async function deleteRecordsByCriteria(
  className: string,
  criteria: unknown,
  context: ActingContext,
): Promise<{ totalDeleted: number }> {
  const { viewer } = context;
  return withClass(className, context, (known) => {
    const condition = readRecordFilter(criteria, known.fields, 'refuse');
    if ('all' in condition && condition.all.length === 0)
      throw new UnprocessableError('Incorrect filter: none is given');
    requireOpenClass('delete', known, viewer);
    const where = Prisma.sql`${conditionOf(known, condition)} AND ${readable(known, viewer)}
      AND ${allows('delete', known, viewer)}`;
    return changing(
      known,
      context,
      async (transaction) => {
        let totalDeleted = 0;
        for (let last = ''; ; ) {
          const rows = await transaction.$queryRaw<{ id: string }[]>`
            SELECT r.id FROM records r WHERE ${where} AND r.id > ${last} ORDER BY r.id LIMIT ${BATCH} FOR UPDATE`;
          const ids = rows.map(({ id }) => id);
          await destroyRecords(transaction, known.applicationId, ids, context);
          totalDeleted += ids.length;
          if (ids.length < BATCH) return { totalDeleted };
          last = ids.at(-1)!;
        }
      },
      LONG,
    );
  });
}

/**
 * Deletes held records, then those below them, level by level: each statement sees what was put below a record before it
 * was held, and nobody puts anything below it any more.
 */
async function destroyRecords(
  transaction: Transaction,
  applicationId: KnownClass['applicationId'],
  ids: string[],
  context: ActingContext,
): Promise<void> {
  let level = ids;
  while (level.length > 0) {
    await destroy(transaction, applicationId, level, context);
    level = await holdChildren(transaction, applicationId, level);
  }
}

async function holdChildren(transaction: Transaction, applicationId: number, parentIds: string[]): Promise<string[]> {
  const children = await transaction.$queryRaw<{ id: string }[]>`
    SELECT r.id FROM records r
    WHERE r.application_id = ${applicationId} AND r.parent_id = ANY(${parentIds}::text[]) AND r.parent_id IS NOT NULL
    ORDER BY r.id FOR UPDATE`;
  return children.map(({ id }) => id);
}

async function destroy(
  transaction: Transaction,
  applicationId: number,
  ids: string[],
  { viewer, now }: ActingContext,
): Promise<void> {
  const userId = viewer.kind === 'user' ? viewer.userId : null;
  await transaction.$executeRaw`
    WITH gone AS (
      DELETE FROM records r WHERE r.application_id = ${applicationId} AND r.id = ANY(${ids}::text[])
      RETURNING r.id, r.class_key, ${IMAGE} AS image
    ), keys AS (
      DELETE FROM record_keys k WHERE k.application_id = ${applicationId} AND k.record_id IN (SELECT id FROM gone)
    )
    INSERT INTO events_outbox (application_id, kind, class_key, subject_id, user_id, detail, created_at)
    SELECT ${applicationId}::int, 'recordDeleted', class_key, id, ${userId}::int, jsonb_build_object('before', image),
      ${now()}::timestamptz
    FROM gone ORDER BY id`;
}
