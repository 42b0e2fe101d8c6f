import { MigrationError } from '../errors.ts';
import { isArrayField } from '../read/records.ts';
import type { Run } from '../run.ts';
import {
  type ClassDefinition,
  createClass,
  type Grants,
  grantsOf,
  jobOwnerOf,
  readFieldType,
  reloadCatalogue,
  renewCatalogue,
  transact,
  updateClass,
} from '../service.ts';
import type { SourceClass, SourcePermission } from '../shapes.ts';

export async function storeClasses({ ledger, progress, context }: Run): Promise<void> {
  const { applicationId } = ledger;
  progress.begin('classes stored', await ledger.size('class'));
  for await (const { content } of ledger.items<SourceClass>('class')) {
    const fields = content.custom_fields.map((field) => ({
      name: field.name,
      type: readFieldType(field.type)!.type,
      array: isArrayField(field),
    }));
    try {
      const { byName } = await reloadCatalogue(applicationId);
      const existing = byName.get(content.name);
      const missing = fields.filter(({ name, type, array }) => {
        const field = existing?.fields.get(name);
        return field?.type !== type || field.isArray !== array;
      });
      if (!existing) {
        const created = await createClass({ name: content.name, fields, permissions: permissionsOf(content) }, context);
        await keepId(created, content._id);
      } else if (missing.length > 0) {
        await updateClass(content.name, { fields: missing }, context);
      }
    } catch (error) {
      throw error instanceof Error ? new MigrationError(`class ${content.name}: ${error.message}`) : error;
    }
    progress.advance();
  }
}

/** Clients may know the original id. If another class has it, the generated id remains. */
async function keepId({ applicationId, key }: ClassDefinition, id: string): Promise<void> {
  await transact(jobOwnerOf({ applicationId }), async (transaction) => {
    await transaction.$executeRaw`
      UPDATE record_classes SET id = ${id} WHERE application_id = ${applicationId} AND key = ${key}
        AND NOT EXISTS (SELECT FROM record_classes o WHERE o.application_id = ${applicationId} AND o.id = ${id})`;
    await renewCatalogue(transaction, applicationId);
  });
}

function permissionsOf({ acl }: SourceClass) {
  const { create, read, update, delete: remove } = acl;
  const permission = ({ access, users_ids: ids, users_groups: groups }: SourcePermission) => ({ access, ids, groups });
  return { create: permission(create), read: permission(read), update: permission(update), delete: permission(remove) };
}

/** Grants of a record; `not_allowed` is a decision of the class alone. */
export function grantsOfRecord({ access, users_ids: ids = [], users_groups: groups = [] }: SourcePermission): Grants {
  return access === 'not_allowed' ? [] : grantsOf({ access, ids, groups });
}
