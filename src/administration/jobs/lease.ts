import { Prisma } from '../../db/client.ts';
import { select } from '../../db/columns.ts';
import { query, queryIn } from '../../db/query.ts';
import { BACKGROUND, transact } from '../../db/transact.ts';
import { HOUR } from '../../lib/time.ts';
import { type ReleasedKey, releaseFile } from '../../resolvers/files/staged.ts';
import { JOB, type Job, type JobResult, partKeys } from './rows.ts';

/** A job without a heartbeat for this long has lost its process. By the clock of the database, which all share. */
const LEASE_SECONDS = 30;

/** At the same time, in all processes: each holds one or two connections and reads complete tables. */
export const MAX_RUNNING = 2;

const CLAIM_LOCK = 7270120;

/** A process may still be writing the part that it has counted last. */
const RELEASE_AFTER_MS = HOUR;

/** A job and the process that owns it. Statements have no effect once another process has ended the job. */
export interface OwnedJob {
  applicationId: number;
  id: string;
  processId: string;
}

const LEASE = Prisma.raw(`interval '${LEASE_SECONDS} seconds'`);
const isOwned = ({ applicationId, id, processId }: OwnedJob) =>
  Prisma.sql`j.application_id = ${applicationId} AND j.id = ${id} AND j.process_id = ${processId}`;

/** The oldest waiting job first. @returns whether the job runs now */
export function claimJob(job: OwnedJob, now: Date): Promise<boolean> {
  return transact(BACKGROUND, async (transaction) => {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${CLAIM_LOCK})`;
    const changed = await transaction.$executeRaw`
      UPDATE jobs j SET state = 'running', started_at = ${now}, heartbeat_at = clock_timestamp()
      WHERE ${isOwned(job)} AND j.state = 'queued' AND ${MAX_RUNNING} > (
        SELECT count(*) FROM jobs o WHERE o.heartbeat_at > clock_timestamp() - ${LEASE}
          AND (o.state = 'running' OR o.state = 'queued' AND (o.created_at, o.id) < (j.created_at, j.id)))`;
    return changed > 0;
  });
}

export interface JobProgress {
  done: number;
  total: number | null;
  step: string | null;
}

/** Renews the lease. @returns undefined if the job is no longer one of this process */
export async function storeProgress(
  job: OwnedJob,
  { done, total, step }: JobProgress,
): Promise<{ isCancelRequested: boolean } | undefined> {
  const [row] = await query<{ isCancelRequested: boolean }>`
    UPDATE jobs j SET heartbeat_at = clock_timestamp(), done = ${done}, total = ${total}, step = ${step}
    WHERE ${isOwned(job)} AND j.state IN ('queued', 'running')
    RETURNING j.cancel_requested_at IS NOT NULL AS "isCancelRequested"`;
  return row;
}

/** Call it before writing the part, so that no file of an interrupted job is forgotten. @returns false: not ours */
export async function reservePart(job: OwnedJob, part: number): Promise<boolean> {
  const rows = await query`
    UPDATE jobs j SET part_count = ${part} WHERE ${isOwned(job)} AND j.state = 'running' RETURNING j.id`;
  return rows.length > 0;
}

export type Outcome =
  | { state: 'succeeded'; result: JobResult; expiresAt: Date | null }
  | { state: 'failed' | 'canceled' | 'interrupted'; error: string | null };

/** @returns files to remove once nothing writes to them */
export function endJob(job: OwnedJob, outcome: Outcome, now: Date): Promise<ReleasedKey[]> {
  const { state } = outcome;
  const [result, error, expiresAt] =
    outcome.state === 'succeeded' ? [outcome.result, null, outcome.expiresAt] : [null, outcome.error, null];
  return transact(BACKGROUND, async (transaction) => {
    const isActive = Prisma.sql`${isOwned(job)} AND j.state IN ('queued', 'running')`;
    const ended = await queryIn(
      transaction,
      select`
        UPDATE jobs j SET state = ${state}::job_state, finished_at = ${now}, error = ${error}, step = NULL,
          result = ${result === null ? null : JSON.stringify(result)}::jsonb, expires_at = ${expiresAt},
          total = CASE WHEN ${state} = 'succeeded' THEN j.done ELSE j.total END
        WHERE ${isActive} RETURNING ${JOB}`,
    );
    return state === 'succeeded' ? [] : release(transaction, ended, now);
  });
}

/** Ends the jobs of processes that died. */
export async function interruptLapsed(now: Date): Promise<Pick<Job, 'applicationId' | 'id'>[]> {
  const isLapsed = Prisma.sql`j.state IN ('queued', 'running') AND j.heartbeat_at < clock_timestamp() - ${LEASE}`;
  const found = await query`SELECT j.id FROM jobs j WHERE ${isLapsed} LIMIT 1`;
  if (found.length === 0) return [];
  return transact(BACKGROUND, async (transaction) => {
    const lapsed = await queryIn(
      transaction,
      select`
        UPDATE jobs j SET state = 'interrupted', finished_at = ${now}, step = NULL,
          error = 'The process that ran the job stopped without notice. Start the job again.'
        WHERE ${isLapsed} RETURNING ${JOB}`,
    );
    await release(transaction, lapsed, now);
    return lapsed;
  });
}

async function release(
  transaction: Parameters<typeof queryIn>[0],
  jobs: readonly Job[],
  now: Date,
): Promise<ReleasedKey[]> {
  const keys = jobs.flatMap(partKeys);
  await releaseFile(transaction, keys, new Date(now.getTime() + RELEASE_AFTER_MS));
  for (const { applicationId, id, partCount } of jobs) {
    if (partCount === 0) continue;
    await transaction.job.update({ where: { applicationId_id: { applicationId, id } }, data: { deletedAt: now } });
  }
  return keys;
}
