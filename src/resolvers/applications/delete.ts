import type { Services } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
import { BACKGROUND, transact } from '../../db/transact.ts';
import { type AdministratorViewer, jobOwnerOf } from '../../lib/access.ts';
import { BadInputError, NotFoundError } from '../../lib/errors.ts';
import { MINUTE } from '../../lib/time.ts';
import { appendNotices } from '../../realtime/outbox.ts';
import { TABLES_OF_APPLICATION } from './tables.ts';

/** Value of `importId`, by which all access is denied. */
export const DELETED = 'deleted';

/** Value of `importId` in a database that is not, or no longer, the home of an application that moves. */
export const MOVED = 'moved';

/** Rows per statement, so that no statement holds its locks for long. */
const BATCH = 5_000;

/** Denies all access at once and closes open connections; rows and files follow in the background. */
export async function deleteApplication(
  applicationId: number,
  viewer: AdministratorViewer | { applicationId: number },
  { now, outbox }: Pick<Services, 'now' | 'outbox'>,
): Promise<true> {
  const at = now();
  const owner = jobOwnerOf({ ...viewer, applicationId });
  await transact(owner, async (transaction) => {
    const { count } = await transaction.application.updateMany({
      where: { id: applicationId, importId: null },
      data: { importId: DELETED, importedEntries: -1, updatedAt: at },
    });
    if (count === 0) throw new NotFoundError('APPLICATION_NOT_FOUND');
    const where = { applicationId, revokedAt: null };
    const keys = await transaction.apiKey.updateManyAndReturn({ where, data: { revokedAt: at } });
    const ids = keys.map(({ id }) => id);
    await appendNotices(transaction, 'apiKeyRevoked', { applicationId, ids }, at);
    await transaction.job.updateMany({
      where: { applicationId, state: { in: ['queued', 'running'] }, cancelRequestedAt: null },
      data: { cancelRequestedAt: at },
    });
    await appendNotices(transaction, 'sessionMinutesChanged', { applicationId, ids: [applicationId] }, at);
  });
  outbox.wake();
  return true;
}

/** @throws {BadInputError} the header `Application` is missing */
export function selectedApplication(viewer: AdministratorViewer): number {
  if (viewer.kind === 'key') return viewer.applicationId;
  throw new BadInputError('APPLICATION_REQUIRED');
}

/** Longer than any request lasts, so that no request in progress inserts rows that the sweep has passed. */
const SETTLED_MS = 5 * MINUTE;

/** Removes the rows of deleted applications. Several processes may run it concurrently; it resumes after a crash. */
export async function sweepDeletedApplications(now: Date): Promise<void> {
  const updatedAt = { lt: new Date(now.getTime() - SETTLED_MS) };
  const deleted = await db.application.findMany({ where: { importId: DELETED, updatedAt }, select: { id: true } });
  for (const { id } of deleted) {
    await releaseFiles(id, now);
    for (const table of TABLES_OF_APPLICATION) while ((await deleteBatch(table, id)) === BATCH);
    await db.administratorRole.deleteMany({ where: { applicationId: id } });
    await db.application.deleteMany({ where: { id, importId: DELETED } });
  }
}

function deleteBatch(table: (typeof TABLES_OF_APPLICATION)[number], id: number): Promise<number> {
  const name = Prisma.raw(`"${table}"`);
  return transact(
    BACKGROUND,
    (transaction) => transaction.$executeRaw`
      DELETE FROM ${name} WHERE application_id = ${id} AND ctid = ANY(ARRAY(
        SELECT ctid FROM ${name} WHERE application_id = ${id} LIMIT ${BATCH}))`,
  );
}

/** The sweep of staged files deletes the bytes. */
async function releaseFiles(applicationId: number, now: Date): Promise<void> {
  await db.$executeRaw`
    INSERT INTO unclaimed_files (application_id, key, remove_after)
    SELECT b.application_id, b.storage_key, ${now}::timestamptz FROM blobs b
    WHERE b.application_id = ${applicationId} AND b.storage_key IS NOT NULL
    ON CONFLICT DO NOTHING`;
  await db.$executeRaw`
    INSERT INTO unclaimed_files (application_id, key, remove_after)
    SELECT j.application_id,
      format('backups/%s/%s-%s', lpad(to_hex(j.application_id), 8, '0'), j.id, lpad(part::text, 6, '0')), ${now}::timestamptz
    FROM jobs j CROSS JOIN generate_series(1, j.part_count) AS part
    WHERE j.application_id = ${applicationId} AND j.deleted_at IS NULL
    ON CONFLICT DO NOTHING`;
  const fields = await db.$queryRaw<{ classKey: number; name: string }[]>`
    SELECT class_key AS "classKey", name FROM class_fields WHERE application_id = ${applicationId} AND type = 'File'`;
  for (const { classKey, name } of fields) {
    await db.$executeRaw`
      INSERT INTO unclaimed_files (application_id, key, remove_after)
      SELECT r.application_id, r.fields -> ${name} ->> 'key', ${now}::timestamptz FROM records r
      WHERE r.application_id = ${applicationId} AND r.class_key = ${classKey} AND r.fields -> ${name} ->> 'key' IS NOT NULL
      ON CONFLICT DO NOTHING`;
  }
}
