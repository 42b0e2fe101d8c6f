import { transact } from '../../../db/transact.ts';
import { jobOwnerOf } from '../../../lib/access.ts';
import { type ClassDefinition, reloadCatalogue, renewCatalogue } from '../../../resolvers/classes/catalogue.ts';
import { createClass } from '../../../resolvers/classes/create.ts';
import { readFieldType } from '../../../resolvers/classes/field-notation.ts';
import { type Grants, grantsOf } from '../../../resolvers/classes/grants.ts';
import type { ClassPermissions } from '../../../resolvers/classes/rules.ts';
import { updateClass } from '../../../resolvers/classes/update.ts';
import { MigrationError } from '../problem.ts';
import { isArrayField } from '../reading/records.ts';
import type { Run } from '../run.ts';
import type { SourceClass, SourcePermission } from '../shapes.ts';

export async function storeClasses({ ledger, progress, context }: Run): Promise<void> {
  const { applicationId } = ledger;
  progress.begin('classes stored', await ledger.size('class'));
  for await (const { content } of ledger.each<SourceClass>('class')) {
    const fields = content.custom_fields.map((field) => ({
      name: field.name,
      type: readFieldType(field.type)!.type,
      array: isArrayField(field),
    }));
    try {
      const { byName } = await reloadCatalogue(applicationId);
      const known = byName.get(content.name);
      const missing = fields.filter(({ name, type, array }) => {
        const field = known?.fields.get(name);
        return field?.type !== type || field.isArray !== array;
      });
      if (!known) {
        const made = await createClass({ name: content.name, fields, permissions: permissionsOf(content) }, context);
        await keepId(made, content._id);
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

function permissionsOf({ acl }: SourceClass): ClassPermissions {
  const { create, read, update } = acl;
  const given = ({ access, users_ids: ids, users_groups: groups }: SourcePermission) => ({ access, ids, groups });
  return { create: given(create), read: given(read), update: given(update), delete: given(acl.delete) };
}

/** Grants of a record; `not_allowed` is a decision of the class alone. */
export function grantsGiven({ access, users_ids: ids = [], users_groups: groups = [] }: SourcePermission): Grants {
  return access === 'not_allowed' ? [] : grantsOf({ access, ids, groups });
}
