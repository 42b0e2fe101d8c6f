import type { AdministratorContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { select } from '../../db/columns.ts';
import { newId } from '../../db/ids.ts';
import { queryIn } from '../../db/query.ts';
import { onShardOf } from '../../db/shards.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { InvalidFieldsError, ServiceUnavailableError, UnprocessableError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { selectedApplication } from '../../resolvers/applications/delete.ts';
import { requireConfirmed } from '../administrators/sessions.ts';
import { interruptLapsed } from './lease.ts';
import { JOB, type Job } from './rows.ts';

export const MIN_PASSPHRASE = 12;
export const MAX_PASSPHRASE = 1_000;

/** Of an application, so that they cannot fill the storage. */
const MAX_BACKUPS = 10;

/** @throws {InvalidFieldsError} {UnprocessableError} an export waits or runs, or too many archives are stored */
export async function startExport({ passphrase }: { passphrase: string }, context: AdministratorContext): Promise<Job> {
  // The CLI reads the passphrase from a file without its surrounding space.
  const secret = passphrase.trim();
  if (secret.length < MIN_PASSPHRASE || secret.length > MAX_PASSPHRASE) {
    throw new InvalidFieldsError({
      passphrase: [problem('WRONG_LENGTH', { min: MIN_PASSPHRASE, max: MAX_PASSPHRASE })],
    });
  }
  return start('export', { isRepair: false, passphrase: secret }, context);
}

/** @throws {ConfirmationRequiredError} a repair {UnprocessableError} a check waits or runs */
export function startCheck(isRepair: boolean, context: AdministratorContext): Promise<Job> {
  if (isRepair) requireConfirmed(context.viewer.administrator, context.now());
  return start('check', { isRepair }, context);
}

async function start(
  kind: Job['kind'],
  { isRepair, passphrase }: { isRepair: boolean; passphrase?: string },
  { viewer, now, jobRunner, jobNotifier }: AdministratorContext,
): Promise<Job> {
  const applicationId = selectedApplication(viewer);
  if (jobRunner.isStopping) throw new ServiceUnavailableError();
  const at = now();
  await onShardOf(applicationId, () => interruptLapsed(at));
  const { processId } = jobRunner;
  const { id: administratorId } = viewer.administrator;
  const { name } = await db.administrator.findUniqueOrThrow({ where: { id: administratorId } });
  const job = await transact(jobOwnerOf({ ...viewer, applicationId }), async (transaction) => {
    if (kind === 'export') await requireSpace(transaction, applicationId);
    const [created] = await queryIn(
      transaction,
      select`
        INSERT INTO jobs AS j (application_id, id, kind, is_repair, administrator_id, administrator_name, created_at,
          process_id)
        VALUES (${applicationId}, ${newId(at)}, ${kind}::job_kind, ${isRepair}, ${administratorId}, ${name}, ${at},
          ${processId})
        ON CONFLICT (application_id, kind) WHERE state IN ('queued', 'running') DO NOTHING RETURNING ${JOB}`,
    );
    if (!created) throw new UnprocessableError(kind === 'export' ? 'EXPORT_EXISTS' : 'CHECK_EXISTS');
    return created;
  });
  jobRunner.run({ applicationId, id: job.id, kind, isRepair, actor: viewer.actor, passphrase });
  jobNotifier.changed(job);
  return job;
}

async function requireSpace(transaction: Parameters<typeof queryIn>[0], applicationId: number): Promise<void> {
  const stored = await transaction.job.count({
    where: { applicationId, kind: 'export', state: 'succeeded', deletedAt: null },
  });
  if (stored < MAX_BACKUPS) return;
  throw new UnprocessableError(problem('TOO_MANY_ARCHIVES', { max: MAX_BACKUPS }));
}
