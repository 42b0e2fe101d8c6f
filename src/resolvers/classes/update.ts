import type { AdministrationContext } from '../../context.ts';
import { type ClassDefinition, reloadClass, renewCatalogue, type StoredField } from './catalogue.ts';
import { changedIndexes, prepareIndex, storeIndexes } from './compound-indexes.ts';
import { changedFields } from './definition.ts';
import { ofClass, prepareField, storeFields } from './fields.ts';
import { settleIndexes } from './indexes.ts';
import { changeClasses, lockClassForChange } from './lock.ts';
import { type ClassChanges, grantsIn, withoutNulls } from './rules.ts';

/** Waits for writers of records; later writers see the change. Builds indexes of existing records in the background. */
export async function updateClass(
  name: string,
  changes: ClassChanges,
  context: AdministrationContext,
): Promise<ClassDefinition> {
  const { viewer, now, log } = context;
  const { applicationId } = viewer;
  const at = now();
  const grants = grantsIn(withoutNulls(changes.permissions));
  await changeClasses(viewer, async (transaction) => {
    const locked = await lockClassForChange(transaction, applicationId, name);
    const isEmpty = (await transaction.record.findFirst({ where: ofClass(locked), select: { id: true } })) === null;
    const fields = changedFields(locked.fields, changes.fields ?? [], { isEmpty });
    for (const change of fields) await prepareField(transaction, locked, change);
    await storeFields(transaction, locked, fields);
    const known = new Map<string, StoredField>([
      ...locked.fields,
      ...fields.map(({ after }) => [after.name, after] as const),
    ]);
    const indexes = changedIndexes(locked.indexes, changes.indexes, known, { isEmpty });
    for (const change of indexes) await prepareIndex(transaction, locked, change);
    await storeIndexes(transaction, locked, indexes);
    await transaction.recordClass.update({
      where: { applicationId_key: { applicationId, key: locked.key } },
      data: { ...grants, version: { increment: 1 }, updatedAt: at },
    });
    await renewCatalogue(transaction, applicationId);
  });
  settleIndexes(applicationId).catch((error) =>
    log.warn({ err: error }, 'could not build the indexes of a class; the next sweep will retry'),
  );
  return reloadClass(applicationId, name);
}
