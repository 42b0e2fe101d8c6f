import type { ActingContext } from '../../context.ts';
import { Prisma } from '../../db/client.ts';
import { NotFoundError, UnprocessableError } from '../../lib/errors.ts';
import { countValues, readRecordFilter } from '../../lib/record-filter.ts';
import { distinctIds, isStringId } from '../../lib/string-ids.ts';
import type { DeletedItems } from '../dialogs/delete.ts';
import { allows, forbidden, readable, requireOpenClass } from './access.ts';
import { type Destruction, destroyRecords } from './destroy.ts';
import { withClass } from './hold-class.ts';
import { conditionOf } from './list.ts';
import { changing } from './write.ts';

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
      await destroyRecords(transaction, known.applicationId, deletedIds, deedOf(context));
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
    if (countValues(condition) === 0) throw new UnprocessableError('Incorrect filter: none is given');
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
          await destroyRecords(transaction, known.applicationId, ids, deedOf(context));
          totalDeleted += ids.length;
          if (ids.length < BATCH) return { totalDeleted };
          last = ids.at(-1)!;
        }
      },
      LONG,
    );
  });
}

function deedOf({ viewer, now }: ActingContext): Destruction {
  return { userId: viewer.kind === 'user' ? viewer.userId : null, at: now() };
}
