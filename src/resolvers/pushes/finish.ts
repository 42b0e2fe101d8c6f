import { db } from '../../db/client.ts';
import type { PushContext, SpreadJob } from './context.ts';

export async function finishSend(
  { applicationId, sendId }: SpreadJob,
  { now }: Pick<PushContext, 'now'>,
): Promise<void> {
  const at = now();
  await db.$executeRaw`
    WITH finished AS (
      UPDATE push_sends SET finished_at = ${at}
      WHERE application_id = ${applicationId} AND id = ${sendId} AND finished_at IS NULL AND is_spread
        AND delivered + failed = recipients
      RETURNING application_id, event_id
    )
    UPDATE events e SET occured_count = e.occured_count + 1, active = e.active AND e.due_at IS NOT NULL
    FROM finished f WHERE e.application_id = f.application_id AND e.id = f.event_id`;
}
