import type { AdministratorContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { select } from '../../db/columns.ts';
import { queryIn } from '../../db/query.ts';
import { BACKGROUND, transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { DAY } from '../../lib/time.ts';
import { selectedApplication } from '../../resolvers/applications/delete.ts';
import { releaseFile, removeReleased } from '../../resolvers/files/staged.ts';
import { findJob, JOB, type Job, partKeys } from './rows.ts';

/** The sweep removes the rest of a larger archive. */
const REMOVED_AT_ONCE = 20;
const BATCH = 100;
const JOB_LOG_DAYS = 90;
const DOWNLOAD_LOG_DAYS = 1;

/** @throws {NotFoundError} no such job, or its archive has been deleted or has expired */
export async function deleteBackup(id: string, context: AdministratorContext): Promise<Job> {
  const { viewer, now, jobNotifier } = context;
  const applicationId = selectedApplication(viewer);
  const at = now();
  const released = await transact(jobOwnerOf({ ...viewer, applicationId }), async (transaction) => {
    const [job] = await queryIn(
      transaction,
      select`
        UPDATE jobs j SET deleted_at = ${at}
        WHERE j.application_id = ${applicationId} AND j.id = ${id} AND j.kind = 'export' AND j.state = 'succeeded'
          AND j.deleted_at IS NULL RETURNING ${JOB}`,
    );
    if (!job) throw new NotFoundError('ARCHIVE_NOT_FOUND');
    const keys = partKeys(job);
    await releaseFile(transaction, keys, at);
    return keys;
  });
  await removeReleased(released.slice(0, REMOVED_AT_ONCE), context);
  const job = await findJob(applicationId, id);
  jobNotifier.changed(job);
  return job;
}

/** Releases expired archives, and removes old jobs and tickets. Several processes may run it concurrently. */
export async function sweepJobs(now: Date): Promise<void> {
  while ((await releaseExpired(now)) === BATCH);
  const before = (days: number) => new Date(now.getTime() - days * DAY);
  await db.job.deleteMany({
    where: { finishedAt: { lt: before(JOB_LOG_DAYS) }, OR: [{ partCount: 0 }, { deletedAt: { not: null } }] },
  });
  await db.backupDownload.deleteMany({ where: { expiresAt: { lt: before(DOWNLOAD_LOG_DAYS) } } });
}

function releaseExpired(now: Date): Promise<number> {
  return transact(BACKGROUND, async (transaction) => {
    const expired = await queryIn(
      transaction,
      select`
        SELECT ${JOB} FROM jobs j WHERE j.expires_at <= ${now} AND j.part_count > 0 AND j.deleted_at IS NULL
        LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
    );
    await releaseFile(transaction, expired.flatMap(partKeys), now);
    for (const { applicationId, id } of expired) {
      await transaction.job.update({ where: { applicationId_id: { applicationId, id } }, data: { deletedAt: now } });
    }
    return expired.length;
  });
}
