import type { AdministrationContext } from '../../context.ts';
import { sqlState } from '../../db/failures.ts';
import { newId } from '../../db/ids.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { type ClassDefinition, reloadClass, renewCatalogue } from './catalogue.ts';
import { changedFields } from './definition.ts';
import { storeFields } from './fields.ts';
import { isClassName } from './names.ts';
import { DEFAULTS, given, grantsIn, type NewClass } from './rules.ts';
/** @throws {UnprocessableError} with all messages that apply */
export async function createClass(input: NewClass, { viewer, now }: AdministrationContext): Promise<ClassDefinition> {
  const { applicationId } = viewer;
  const { name, permissions } = input;
  if (!isClassName(name)) throw new UnprocessableError('Name is invalid');
  const at = now();
  try {
    await transact(jobOwnerOf({ applicationId }), async (transaction) => {
      const { key } = await transaction.recordClass.create({
        data: {
          applicationId,
          id: newId(at),
          name,
          ...grantsIn({ ...DEFAULTS, ...given(permissions) }),
          createdAt: at,
          updatedAt: at,
        },
      });
      await storeFields(
        transaction,
        { applicationId, key },
        changedFields(new Map(), input.fields ?? [], { isEmpty: true }),
      );
      await renewCatalogue(transaction, applicationId);
    });
  } catch (error) {
    if (sqlState(error) === '23505') throw new UnprocessableError('Name has already been taken');
    throw error;
  }
  return reloadClass(applicationId, name);
}
