import type { AdministratorContext } from '../../context.ts';
import { select } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import type { JobChange } from '../../realtime/job-notifier.ts';
import { LiveEvent, type LiveQueue } from '../../realtime/live-queue.ts';
import { selectedApplication } from '../../resolvers/applications/delete.ts';
import { JOB } from './rows.ts';

/** The jobs that wait or run, then changes. Signals between processes may be lost, so the final state may be missing. */
export async function subscribeToJobs({
  viewer,
  jobNotifier,
}: Pick<AdministratorContext, 'viewer' | 'jobNotifier'>): Promise<LiveQueue<JobChange>> {
  const applicationId = selectedApplication(viewer);
  const queue = jobNotifier.subscribe(applicationId);
  const active = await query(select`
    SELECT ${JOB} FROM jobs j WHERE j.application_id = ${applicationId} AND j.state IN ('queued', 'running')
    ORDER BY j.id`);
  for (const { id } of active) queue.push(new LiveEvent({ applicationId, id }));
  return queue;
}
