import { setTimeout as delay } from 'node:timers/promises';
import type { ActingContext, UserContext } from '../../context.ts';
import { db, Prisma, type Transaction } from '../../db/client.ts';
import { runLong } from '../../db/long-work.ts';
import { query } from '../../db/query.ts';
import { transact } from '../../db/transact.ts';
import type { Geodatum } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { type FieldErrors, InvalidFieldsError, NotFoundError, NoUpdateDataError } from '../../lib/errors.ts';
import {
  type GeodatumInput,
  geodatumChangeProblems,
  geodatumProblems,
  soundDegrees,
  statusText,
} from '../../lib/geodata.ts';
import { HOUR } from '../../lib/time.ts';
import { holdUsers } from '../users/hold.ts';
import { requireOwnGeodatum } from './find.ts';

const DAY = 24 * HOUR;

/** Days that reach back before everything. */
const MAX_DAYS = 100_000;

/** Rows of one statement. */
const BATCH = 5_000;
const AGAIN_AFTER = 20;

/**
 * Stores where the caller is (gaps §14).
 * @throws {InvalidFieldsError} all fields at fault, all texts
 */
export async function createGeodatum(input: GeodatumInput, context: UserContext): Promise<Geodatum> {
  requireNone(geodatumProblems(input));
  const { applicationId, userId } = context.viewer;
  const at = context.now();
  const { latitude, longitude, status } = input;
  return transact(jobOwnerOf(context.viewer), async (transaction) => {
    await holdUsers(transaction, [], context);
    await holdPlaces(transaction, { applicationId, userId });
    await transaction.$executeRaw`
      UPDATE geodata SET is_latest = false
      WHERE application_id = ${applicationId} AND user_id = ${userId} AND is_latest`;
    return transaction.geodatum.create({
      data: {
        applicationId,
        userId,
        latitude: soundDegrees(latitude!),
        longitude: soundDegrees(longitude!),
        status: statusText(status),
        isLatest: true,
        createdAt: at,
        updatedAt: at,
      },
    });
  });
}

/**
 * Changes what is given of a place; null clears its status.
 * @throws {NoUpdateDataError} @throws {InvalidFieldsError} @throws {NotFoundError}
 * @throws {ForbiddenError} another user's; checked in this order
 */
export async function updateGeodatum(id: number, input: GeodatumInput, context: ActingContext): Promise<Geodatum> {
  const { latitude, longitude, status } = input;
  if (latitude === undefined && longitude === undefined && status === undefined) throw new NoUpdateDataError();
  requireNone(geodatumChangeProblems(input));
  const { applicationId } = await requireOwnGeodatum(id, context);
  const [updated] = await db.geodatum.updateManyAndReturn({
    where: { applicationId, id },
    data: {
      latitude: latitude == null ? undefined : soundDegrees(latitude),
      longitude: longitude == null ? undefined : soundDegrees(longitude),
      status: status === undefined ? undefined : statusText(status),
      updatedAt: context.now(),
    },
  });
  if (!updated) throw new NotFoundError();
  return updated;
}

/**
 * Deletes a place; the one before it becomes its user's newest.
 * @throws {InvalidFieldsError} an id that is no positive integer
 * @throws {NotFoundError} @throws {ForbiddenError} another user's
 */
export async function deleteGeodatum(id: number, context: ActingContext): Promise<true> {
  const { applicationId, userId } = await requireOwnGeodatum(id, context);
  await transact(jobOwnerOf(context.viewer), async (transaction) => {
    await holdUsers(transaction, [userId], context);
    await holdPlaces(transaction, { applicationId, userId });
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

interface UserKey {
  applicationId: number;
  userId: number;
}

/** One user's places are added and deleted one after the other, so that one is the newest. */
async function holdPlaces(transaction: Transaction, { applicationId, userId }: UserKey): Promise<void> {
  const name = `geodata ${applicationId} ${userId}`;
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
}

async function markLatest(transaction: Transaction, { applicationId, userId }: UserKey, id: number): Promise<void> {
  await transaction.$executeRaw`
    UPDATE geodata SET is_latest = true WHERE application_id = ${applicationId} AND id = (
      SELECT id FROM geodata WHERE application_id = ${applicationId} AND user_id = ${userId} AND id <> ${id}
      ORDER BY created_at DESC, id DESC LIMIT 1)`;
}

function requireNone(problems: FieldErrors): void {
  if (Object.keys(problems).length > 0) throw new InvalidFieldsError(problems);
}
