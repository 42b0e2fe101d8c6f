import type { ActingContext } from '../../context.ts';
import type { DeletedItems } from '../../lib/deleted-items.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { distinctIds, isStringId } from '../../lib/string-ids.ts';
import { allows, forbidden } from './access.ts';
import { type BatchChange, changeInBatches } from './batches.ts';
import { type Destruction, destroyRecords } from './destroy.ts';
import { withClass } from './lock-class.ts';
import { changing } from './write.ts';

/**
 * Deletes a record with its descendants, whoever owns those.
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
      await destroyRecords(transaction, known.applicationId, deletedIds, actionOf(context));
      return {
        deletedIds,
        notFoundIds: ids.filter((id) => !allowed.has(id)),
        wrongPermissionsIds: ids.filter((id) => allowed.get(id) === false),
      };
    }),
  );
}

/**
 * Deletes every record that the criteria name and that the caller may read and delete, with their descendants.
 * @returns how many the criteria named
 * @throws as `changeInBatches`
 */
export async function deleteRecordsByCriteria(
  className: string,
  criteria: unknown,
  context: ActingContext,
): Promise<{ totalDeleted: number }> {
  let totalDeleted = 0;
  const batches: BatchChange<{ id: string }> = {
    operation: 'delete',
    criteria,
    noCriteria: 'Incorrect filter: none is given',
    addedBytes: 0,
    async change(transaction, known, held) {
      const ids = held.map(({ id }) => id);
      await destroyRecords(transaction, known.applicationId, ids, actionOf(context));
      return held;
    },
    onCommit(rows) {
      totalDeleted += rows.length;
    },
  };
  await changeInBatches(className, batches, context);
  return { totalDeleted };
}

function actionOf({ viewer, now }: ActingContext): Destruction {
  return { userId: viewer.kind === 'user' ? viewer.userId : null, at: now() };
}
