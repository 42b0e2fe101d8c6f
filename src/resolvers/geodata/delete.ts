import { setTimeout as delay } from 'node:timers/promises';
import type { ActingContext } from '../../context.ts';
import { Prisma } from '../../db/client.ts';
import { runLong } from '../../db/long-work.ts';
import { query } from '../../db/query.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { InvalidFieldsError, NotFoundError } from '../../lib/errors.ts';
import { HOUR } from '../../lib/time.ts';
import { lockUsers } from '../users/lock.ts';
import { requireOwnGeodatum } from './find.ts';
import { lockGeodata, markLatest } from './latest.ts';

const DAY = 24 * HOUR;

const MAX_DAYS = 100_000;

const BATCH = 5_000;

const PAUSE_MS = 20;

/** The user's previous location becomes the latest. */
export async function deleteGeodatum(id: number, context: ActingContext): Promise<true> {
  const { applicationId, userId } = await requireOwnGeodatum(id, context);
  await transact(jobOwnerOf(context.viewer), async (transaction) => {
    await lockUsers(transaction, [userId], context);
    await lockGeodata(transaction, { applicationId, userId });
    const wasLatest = await transaction.$executeRaw`
      UPDATE geodata SET is_latest = false WHERE application_id = ${applicationId} AND id = ${id} AND is_latest`;
    if (wasLatest > 0) await markLatest(transaction, { applicationId, userId }, id);
    // Last, because it locks the counter row: its waiters hold no lock that this transaction needs.
    const { count } = await transaction.geodatum.deleteMany({ where: { applicationId, id } });
    if (count === 0) throw new NotFoundError();
  });
  return true;
}

/** For an API key alone, of all users. @throws {InvalidFieldsError} */
export async function deleteOldGeodata(days: number | null | undefined, context: ActingContext): Promise<true> {
  if (days == null || days < 1) throw new InvalidFieldsError({ days: ['DAYS_INVALID'] });
  const { viewer, now } = context;
  if (days > MAX_DAYS) return true;
  const before = new Date(now().getTime() - days * DAY);
  const owner = viewer.kind === 'user' ? Prisma.sql`user_id = ${viewer.userId}` : Prisma.sql`true`;
  const old = Prisma.sql`application_id = ${viewer.applicationId} AND created_at < ${before} AND ${owner}`;
  // `SKIP LOCKED` prevents deadlocks; the loop retries skipped rows.
  const job = jobOwnerOf(viewer);
  const deleteBatch = () =>
    transact(
      job,
      (transaction) => transaction.$executeRaw`
        DELETE FROM geodata WHERE (application_id, id) IN (
          SELECT application_id, id FROM geodata WHERE ${old}
          ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    );
  await runLong(job, async (runStep) => {
    for (;;) {
      const deleted = await runStep(deleteBatch);
      if (deleted === BATCH) continue;
      const [left] = await query<unknown>`SELECT 1 AS one FROM geodata WHERE ${old} LIMIT 1`;
      if (!left) return;
      await delay(PAUSE_MS);
    }
  });
  return true;
}
