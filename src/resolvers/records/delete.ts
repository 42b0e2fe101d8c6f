import type { ActingContext } from '../../context.ts';
import type { DeletedItems } from '../../lib/deleted-items.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { distinctIds, isStringId } from '../../lib/string-ids.ts';
import { allows, forbidden } from './access.ts';
import { type BatchChange, changeInBatches } from './batches.ts';
import { type Destruction, destroyRecords } from './destroy.ts';
import { withClass } from './lock-class.ts';
import { changing } from './write.ts';

/** Includes descendants, regardless of their owners. @throws {ForbiddenError} {NotFoundError} */
export async function deleteRecord(className: string, id: string, context: ActingContext): Promise<true> {
  const { deletedIds, wrongPermissionsIds } = await deleteRecords(className, [id], context);
  if (wrongPermissionsIds.length > 0) throw forbidden();
  if (deletedIds.length === 0) throw new NotFoundError();
  return true;
}

/** Reports records that it may not delete. @throws {ForbiddenError} {UnprocessableError} more than 100 */
export async function deleteRecords(className: string, given: string[], context: ActingContext): Promise<DeletedItems> {
  const { viewer } = context;
  const ids = distinctIds(given);
  return withClass(className, context, (definition) =>
    changing(definition, context, async (transaction) => {
      const locked = await transaction.$queryRaw<{ id: string; isAllowed: boolean }[]>`
        SELECT r.id, ${allows('delete', definition, viewer)} AS "isAllowed" FROM records r
        WHERE r.application_id = ${definition.applicationId} AND r.id = ANY(${ids.filter(isStringId)}::text[])
          AND r.class_key = ${definition.key}
        ORDER BY r.id FOR UPDATE`;
      const allowed = new Map(locked.map(({ id, isAllowed }) => [id, isAllowed]));
      const deletedIds = ids.filter((id) => allowed.get(id) === true);
      await destroyRecords(transaction, definition.applicationId, deletedIds, actionOf(context));
      return {
        deletedIds,
        notFoundIds: ids.filter((id) => !allowed.has(id)),
        wrongPermissionsIds: ids.filter((id) => allowed.get(id) === false),
      };
    }),
  );
}

/** Includes descendants, which `totalDeleted` does not count. @throws like `changeInBatches` */
export async function deleteRecordsByCriteria(
  className: string,
  criteria: unknown,
  context: ActingContext,
): Promise<{ totalDeleted: number }> {
  let totalDeleted = 0;
  const batches: BatchChange<{ id: string }> = {
    operation: 'delete',
    criteria,
    noCriteria: 'FILTER_REQUIRED',
    addedBytes: 0,
    async change(transaction, definition, locked) {
      const ids = locked.map(({ id }) => id);
      await destroyRecords(transaction, definition.applicationId, ids, actionOf(context));
      return locked;
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
