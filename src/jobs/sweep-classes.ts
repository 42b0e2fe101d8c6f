import { db } from '../db/client.ts';
import { runLong } from '../db/long-work.ts';
import { transact } from '../db/transact.ts';
import { jobOwnerOf } from '../lib/access.ts';
import { removeData } from '../resolvers/dialogs/data.ts';
import { destroyRecords } from '../resolvers/records/destroy.ts';

/** Records per transaction, so that locks are short. */
const BATCH = 1_000;

/** Includes child records of other classes, and data in dialogs. Several processes may run it concurrently. */
export async function sweepDeletedClasses(now: Date): Promise<void> {
  for (const deleted of await db.deletedClass.findMany()) {
    await runLong(jobOwnerOf(deleted), async (runStep) => {
      while ((await runStep(() => sweepBatch(deleted, now))) > 0);
    });
    await removeData(deleted.applicationId, deleted.classKey);
    // Not while records exist, because another process may be killed before its deletion commits.
    await db.$executeRaw`
      DELETE FROM deleted_classes d
      WHERE d.application_id = ${deleted.applicationId} AND d.class_key = ${deleted.classKey} AND NOT EXISTS (
        SELECT FROM records r WHERE r.application_id = d.application_id AND r.class_key = d.class_key)
        AND NOT EXISTS (
          SELECT FROM dialogs o WHERE o.application_id = d.application_id AND o.data_class_key = d.class_key)`;
  }
}

function sweepBatch(
  { applicationId, classKey }: { applicationId: number; classKey: number },
  now: Date,
): Promise<number> {
  return transact(jobOwnerOf({ applicationId }), async (transaction) => {
    const rows = await transaction.$queryRaw<{ id: string }[]>`
      SELECT r.id FROM records r
      WHERE r.application_id = ${applicationId} AND r.class_key = ${classKey}
      ORDER BY r.id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`;
    const ids = rows.map(({ id }) => id);
    await destroyRecords(transaction, applicationId, ids, { userId: null, at: now });
    return ids.length;
  });
}
