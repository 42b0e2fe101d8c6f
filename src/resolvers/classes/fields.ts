import { Prisma, type Transaction } from '../../db/client.ts';
import { sqlState } from '../../db/failures.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import type { ClassDefinition } from './catalogue.ts';
import type { FieldChange } from './definition.ts';
import { MAX_INDEXED_BYTES, slotKindOf } from './slots.ts';

export function ofClass({ applicationId, key }: ClassDefinition) {
  return { applicationId, classKey: key };
}

/** Checks existing records against the new options, and adds or removes their unique keys. */
export async function prepareField(
  transaction: Transaction,
  locked: ClassDefinition,
  { before, after }: FieldChange,
): Promise<void> {
  const { applicationId, key } = locked;
  const { name } = after;
  const records = Prisma.sql`records r WHERE r.application_id = ${applicationId} AND r.class_key = ${key}`;
  const hasValue = before && Prisma.sql`jsonb_exists(r.fields, ${name})`;
  if (!hasValue) return;
  const needsShort = after.indexState === 'building' || after.isUnique;
  if (needsShort && slotKindOf(after) === 'text') {
    const [long] = await transaction.$queryRaw<{ id: string }[]>`
      SELECT r.id FROM ${records} AND octet_length(r.fields ->> ${name}) > ${MAX_INDEXED_BYTES} LIMIT 1`;
    if (long) throw new UnprocessableError(problem('FIELD_TOO_LONG', { field: name, max: MAX_INDEXED_BYTES }));
  }
  if (after.isUnique && !before.isUnique) {
    const added = transaction.$executeRaw`
      INSERT INTO record_keys (application_id, class_key, field, value, record_id)
      SELECT r.application_id, r.class_key, ${name}, r.fields ->> ${name}, r.id FROM ${records} AND ${hasValue}`;
    await added.catch((error) => {
      if (sqlState(error) === '23505') throw new UnprocessableError(problem('FIELD_NOT_UNIQUE', { field: name }));
      throw error;
    });
  }
  if (before.isUnique && !after.isUnique) {
    await transaction.recordKey.deleteMany({ where: { applicationId, classKey: key, field: name } });
  }
}

export async function storeFields(
  transaction: Transaction,
  { applicationId, key }: { applicationId: number; key: number },
  changes: FieldChange[],
): Promise<void> {
  const count = await transaction.classField.count({ where: { applicationId, classKey: key } });
  let position = count;
  for (const { before, after } of changes) {
    if (before) {
      const where = { applicationId_classKey_name: { applicationId, classKey: key, name: after.name } };
      await transaction.classField.update({ where, data: after });
    } else {
      await transaction.classField.create({ data: { applicationId, classKey: key, position: position++, ...after } });
    }
  }
}
