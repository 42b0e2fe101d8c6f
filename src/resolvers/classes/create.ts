import type { AdministrationContext } from '../../context.ts';
import { sqlState } from '../../db/failures.ts';
import { newId } from '../../db/ids.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { indexBy } from '../../lib/collections.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { type ClassDefinition, reloadClass, renewCatalogue } from './catalogue.ts';
import { changedIndexes, storeIndexes } from './compound-indexes.ts';
import { changedFields } from './definition.ts';
import { storeFields } from './fields.ts';
import { isClassName } from './names.ts';
import { DEFAULTS, grantsIn, type NewClass, withoutNulls } from './rules.ts';

/** @throws {UnprocessableError} with all messages that apply */
export async function createClass(input: NewClass, { viewer, now }: AdministrationContext): Promise<ClassDefinition> {
  const { applicationId } = viewer;
  const { name, permissions } = input;
  if (!isClassName(name)) throw new UnprocessableError('NAME_INVALID');
  const at = now();
  try {
    await transact(jobOwnerOf(viewer), async (transaction) => {
      const { key } = await transaction.recordClass.create({
        data: {
          applicationId,
          id: newId(at),
          name,
          ...grantsIn({ ...DEFAULTS, ...withoutNulls(permissions) }),
          createdAt: at,
          updatedAt: at,
        },
      });
      const fields = changedFields(new Map(), input.fields ?? [], { isEmpty: true });
      await storeFields(transaction, { applicationId, key }, fields);
      const known = indexBy(
        fields.map(({ after }) => after),
        ({ name }) => name,
      );
      const indexes = changedIndexes([], input.indexes, known, { isEmpty: true });
      await storeIndexes(transaction, { applicationId, key }, indexes);
      await renewCatalogue(transaction, applicationId);
    });
  } catch (error) {
    if (sqlState(error) === '23505') throw new UnprocessableError('NAME_TAKEN');
    throw error;
  }
  return reloadClass(applicationId, name);
}
