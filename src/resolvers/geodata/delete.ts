import { setTimeout as delay } from 'node:timers/promises';
import type { ActingContext } from '../../context.ts';
import { db, Prisma } from '../../db/client.ts';
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

/** Days that reach back before everything. */
const MAX_DAYS = 100_000;

/** Rows of one statement. */
const BATCH = 5_000;

const AGAIN_AFTER = 20;

/**
 * Deletes a place; the one before it becomes its user's newest.
 * @throws {InvalidFieldsError} an id that is no positive integer
 * @throws {NotFoundError} @throws {ForbiddenError} another user's
 */
export async function deleteGeodatum(id: number, context: ActingContext): Promise<true> {
  const { applicationId, userId } = await requireOwnGeodatum(id, context);
  await transact(jobOwnerOf(context.viewer), async (transaction) => {
    await lockUsers(transaction, [userId], context);
    await lockGeodata(transaction, { applicationId, userId });
    const wasLatest = await transaction.$executeRaw`
      UPDATE geodata SET is_latest = false WHERE application_id = ${applicationId} AND id = ${id} AND is_latest`;
    if (wasLatest > 0) await markLatest(transaction, { applicationId, userId }, id);
    // The count comes last: whoever waits for it holds nothing that we wait for.
    const { count } = await transaction.geodatum.deleteMany({ where: { applicationId, id } });
    if (count === 0) throw new NotFoundError();
  });
  return true;
}

/**
 * Deletes the caller's places that are older than so many days, or everybody's for an API key alone.
 * @throws {InvalidFieldsError} `days` is no positive whole number
 */
export async function deleteOldGeodata(days: number | null | undefined, context: ActingContext): Promise<true> {
  if (days == null || days < 1) throw new InvalidFieldsError({ days: ['should be an integer greater then 0'] });
  const { viewer, now } = context;
  if (days > MAX_DAYS) return true;
  const before = new Date(now().getTime() - days * DAY);
  const owner = viewer.kind === 'user' ? Prisma.sql`user_id = ${viewer.userId}` : Prisma.sql`true`;
  const old = Prisma.sql`application_id = ${viewer.applicationId} AND created_at < ${before} AND ${owner}`;
  // Rows that others hold are left for the next round, so that nobody waits in a circle.
  const deleteBatch = () => db.$executeRaw`
    DELETE FROM geodata WHERE (application_id, id) IN (
      SELECT application_id, id FROM geodata WHERE ${old} ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`;
  await runLong(jobOwnerOf(viewer), async (runStep) => {
    for (;;) {
      const deleted = await runStep(deleteBatch);
      if (deleted === BATCH) continue;
      const [left] = await query<unknown>`SELECT 1 AS one FROM geodata WHERE ${old} LIMIT 1`;
      if (!left) return;
      await delay(AGAIN_AFTER);
    }
  });
  return true;
}
