import { columnsOf, select, withJson } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import { backupKey } from '../../gateways/storage.ts';
import type { Job as JobModel } from '../../generated/prisma/client.ts';
import { NotFoundError } from '../../lib/errors.ts';
import type { ReleasedKey } from '../../resolvers/files/staged.ts';

/** Of an archive. */
export interface ExportResult {
  bytes: number;
  /** Of the archive, as hex digits. */
  sha256: string;
  rows: number;
  files: number;
  /** Files that a row names but the storage does not have. */
  missingFiles: number;
}

export interface CheckOutcome {
  name: string;
  description: string;
  isRepairable: boolean;
  differences: number;
  repaired: number;
}

export interface FoundDifference {
  check: string;
  row: Record<string, unknown>;
  stored: string | null;
  expected: string | null;
  isRepaired: boolean;
}

export interface CheckResult {
  checks: CheckOutcome[];
  /** The first of each check. */
  found: FoundDifference[];
}

export type JobResult = ExportResult | CheckResult;

export type Job = Omit<JobModel, 'result'> & { result: JobResult | null };

export const JOB = withJson<{ result: JobResult | null }>()(columnsOf('Job', 'j'));

/** @throws {NotFoundError} */
export async function findJob(applicationId: number, id: string): Promise<Job> {
  const [job] = await query(
    select`SELECT ${JOB} FROM jobs j WHERE j.application_id = ${applicationId} AND j.id = ${id}`,
  );
  if (!job) throw new NotFoundError('JOB_NOT_FOUND');
  return job;
}

export function isStored({ kind, state, deletedAt }: Pick<Job, 'kind' | 'state' | 'deletedAt'>): boolean {
  return kind === 'export' && state === 'succeeded' && deletedAt === null;
}

export function partKeys({
  applicationId,
  id,
  partCount,
}: Pick<Job, 'applicationId' | 'id' | 'partCount'>): ReleasedKey[] {
  return Array.from({ length: partCount }, (_, index) => ({
    applicationId,
    key: backupKey(applicationId, id, index + 1),
  }));
}

export interface Backup extends ExportResult {
  isStored: boolean;
  expiresAt: Date | null;
}

export function backupOf(job: Job): Backup | null {
  if (job.kind !== 'export' || !job.result) return null;
  return { ...(job.result as ExportResult), isStored: isStored(job), expiresAt: job.expiresAt };
}

export function checkOf({ kind, result }: Job): CheckResult | null {
  return kind === 'check' ? (result as CheckResult | null) : null;
}
