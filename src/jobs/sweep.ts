import { db, Prisma } from '../db/client.ts';
import { HOUR, MINUTE } from '../lib/time.ts';
import { NONCE_LIFETIME } from '../resolvers/sessions/index.ts';

/** How often what has outlived its use is removed. Any number of processes may do it at once: it is only deleting. */
export const SWEEP_EVERY = 5 * MINUTE;

/** Rows of one statement, so that none holds its locks for long. */
const BATCH = 5_000;

export interface Retention {
  sessionMinutes: number;
  eventRetentionHours: number;
}

/** Removes expired sessions, nonces that can't be replayed any more, and events nobody may resume from. */
export async function sweep(now: Date, { sessionMinutes, eventRetentionHours }: Retention): Promise<void> {
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds);
  await deleteInBatches(Prisma.sql`
    DELETE FROM sessions WHERE (application_id, id) IN (
      SELECT application_id, id FROM sessions WHERE updated_at < ${before(sessionMinutes * MINUTE)} LIMIT ${BATCH})`);
  await deleteInBatches(Prisma.sql`
    DELETE FROM used_nonces WHERE (application_id, nonce, timestamp) IN (
      SELECT application_id, nonce, timestamp FROM used_nonces
      WHERE used_at < ${before(NONCE_LIFETIME)} LIMIT ${BATCH})`);
  await trimEvents(before(eventRetentionHours * HOUR));
}

/** Removes from the start of the stream only, so that whoever still finds the row of a cursor has lost nothing behind it. */
async function trimEvents(before: Date): Promise<void> {
  for (;;) {
    const deleted = await db.$executeRaw`
      WITH oldest AS (SELECT position, created_at FROM events_outbox ORDER BY position LIMIT ${BATCH})
      DELETE FROM events_outbox WHERE position < coalesce(
        (SELECT min(position) FROM oldest WHERE created_at >= ${before}), (SELECT max(position) + 1 FROM oldest))`;
    if (deleted < BATCH) return;
  }
}

async function deleteInBatches(statement: Prisma.Sql): Promise<void> {
  while ((await db.$executeRaw(statement)) === BATCH);
}
