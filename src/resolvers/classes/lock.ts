import type { Transaction } from '../../db/client.ts';
import { lanes } from '../../db/lanes.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf, type OfApplication } from '../../lib/access.ts';
import { ForbiddenError } from '../../lib/errors.ts';
import { type ClassDefinition, type ClassIndex, type StoredField, withIndexes } from './catalogue.ts';

/** Making a field unique reads all records of the class in one transaction, because writes must wait for it. */
const SCAN_TIMEOUT_MS = 10 * 60 * 1_000;

export function changeClasses(
  { applicationId, actor }: OfApplication,
  change: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  const owner = jobOwnerOf({ applicationId, actor });
  return lanes.classChanges.run(() => transact(owner, change, { timeoutMs: SCAN_TIMEOUT_MS }), owner);
}

/** Blocks writes to records of the class until the transaction ends. */
export async function lockClassForChange(
  transaction: Transaction,
  applicationId: number,
  name: string,
): Promise<ClassDefinition> {
  const locked = await transaction.$queryRaw<{ key: number }[]>`
    SELECT key FROM record_classes WHERE application_id = ${applicationId} AND name = ${name} FOR UPDATE`;
  if (locked.length === 0) throw new ForbiddenError('CLASS_UNDEFINED');
  const row = await transaction.recordClass.findUniqueOrThrow({
    where: { applicationId_key: { applicationId, key: locked[0]!.key } },
    include: { fields: { orderBy: { position: 'asc' } }, indexes: { orderBy: { slot: 'asc' } } },
  });
  return { ...row, ...withIndexes(row.fields as StoredField[], row.indexes as ClassIndex[]) };
}
