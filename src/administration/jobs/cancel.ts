import type { AdministratorContext } from '../../context.ts';
import { select } from '../../db/columns.ts';
import { queryIn } from '../../db/query.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { selectedApplication } from '../../resolvers/applications/delete.ts';
import { findJob, JOB, type Job } from './rows.ts';

/** A waiting job ends at once, a running one when its process notices. @throws {NotFoundError} {UnprocessableError} */
export async function cancelJob(
  id: string,
  { viewer, now, jobNotifier }: Pick<AdministratorContext, 'viewer' | 'now' | 'jobNotifier'>,
): Promise<Job> {
  const applicationId = selectedApplication(viewer);
  const at = now();
  const [job] = await transact(jobOwnerOf({ ...viewer, applicationId }), (transaction) =>
    queryIn(
      transaction,
      select`
        UPDATE jobs j SET cancel_requested_at = coalesce(j.cancel_requested_at, ${at}),
          state = CASE WHEN j.state = 'queued' THEN 'canceled' ELSE j.state END,
          finished_at = CASE WHEN j.state = 'queued' THEN ${at}::timestamptz END
        WHERE j.application_id = ${applicationId} AND j.id = ${id} AND j.state IN ('queued', 'running')
        RETURNING ${JOB}`,
    ),
  );
  if (!job) {
    await findJob(applicationId, id);
    throw new UnprocessableError('JOB_ENDED');
  }
  jobNotifier.changed(job);
  return job;
}
