import type { AdministrationContext } from '../../context.ts';
import { type ClassDefinition, reloadClass, renewCatalogue } from './catalogue.ts';
import { changedFields } from './definition.ts';
import { ofClass, prepareField, storeFields } from './fields.ts';
import { settleIndexes } from './indexes.ts';
import { changeClasses, lockClass } from './lock.ts';
import { type ClassChanges, given, grantsIn } from './rules.ts';
/**
 * Adds fields, changes their options, replaces the given permissions. Whoever is just writing records is waited for, and
 * whoever comes later knows of the change; the index of a field that records have already is made in the background.
 * @throws {ForbiddenError} `Undefined class`
 * @throws {UnprocessableError} with all sentences that apply
 */
export async function updateClass(
  name: string,
  changes: ClassChanges,
  context: AdministrationContext,
): Promise<ClassDefinition> {
  const { viewer, now, log } = context;
  const { applicationId } = viewer;
  const at = now();
  const grants = grantsIn(given(changes.permissions));
  await changeClasses(applicationId, async (transaction) => {
    const held = await lockClass(transaction, applicationId, name);
    const isEmpty = (await transaction.record.findFirst({ where: ofClass(held), select: { id: true } })) === null;
    const fields = changedFields(held.fields, changes.fields ?? [], { isEmpty });
    for (const change of fields) await prepareField(transaction, held, change);
    await storeFields(transaction, held, fields);
    await transaction.recordClass.update({
      where: { applicationId_key: { applicationId, key: held.key } },
      data: { ...grants, version: { increment: 1 }, updatedAt: at },
    });
    await renewCatalogue(transaction, applicationId);
  });
  settleIndexes(applicationId).catch((error) => log.warn({ err: error }, 'indexes of a class wait for the next sweep'));
  return reloadClass(applicationId, name);
}
