import { db } from '../../db/client.ts';
import { BACKGROUND, transact } from '../../db/transact.ts';

const BATCH = 5_000;

/** Removes old rows application by application. @param before rows from this time on remain */
export async function trimRequestLog(before: Date): Promise<void> {
  for (const { applicationId } of await db.requestLogEnd.findMany({ select: { applicationId: true } })) {
    while ((await deleteBatch(applicationId, before)) === BATCH);
    await db.requestLogHour.deleteMany({ where: { applicationId, hour: { lt: before } } });
  }
}

function deleteBatch(applicationId: number, before: Date): Promise<number> {
  return transact(
    BACKGROUND,
    (transaction) => transaction.$executeRaw`
      DELETE FROM request_log WHERE application_id = ${applicationId} AND id IN (
        SELECT r.id FROM request_log r WHERE r.application_id = ${applicationId} AND r.at < ${before}
        ORDER BY r.at LIMIT ${BATCH})`,
  );
}
