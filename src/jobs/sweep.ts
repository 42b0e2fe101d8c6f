import { deleteExpired } from '../administration/administrators/expired.ts';
import { sweepJobs } from '../administration/jobs/backups.ts';
import { trimFigures } from '../administration/request-log/figures.ts';
import { trimRequestLog } from '../administration/request-log/trim.ts';
import { db, Prisma } from '../db/client.ts';
import { DAY, HOUR } from '../lib/time.ts';
import { latestExpiredChallenge } from '../platform/second-factors/challenges.ts';
import { trimAiUsage } from '../resolvers/ai/usage.ts';
import { sweepDeletedApplications } from '../resolvers/applications/delete.ts';
import { countActivity, trimActivity } from '../resolvers/applications/stats.ts';
import { settleIndexes } from '../resolvers/classes/indexes.ts';
import { NONCE_LIFETIME_MS } from '../resolvers/sessions/create.ts';
import { CODE_RETENTION_MS } from '../resolvers/sessions/mailed-codes.ts';
import { RESET_LIFETIME_MS } from '../resolvers/sessions/password-resets.ts';
import { sweepDeletedClasses } from './sweep-classes.ts';
import { sweepEvents } from './sweep-events.ts';
import { sweepGuests } from './sweep-guests.ts';

/** Quotas are read only on their day; the margin is needed because the clocks of processes differ. */
const DAILY_USAGE_LIFETIME_MS = 24 * HOUR;

/** Rows per statement, so that locks are short. */
const BATCH = 5_000;

export interface Retention {
  sessionMinutes: number;
  eventRetentionHours: number;
  pushLogDays: number;
  auditDays: number;
  requestLogDays: number;
}

export async function sweep(
  now: Date,
  { sessionMinutes, eventRetentionHours, pushLogDays, requestLogDays }: Retention,
): Promise<void> {
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds);
  await deleteSessions(now, sessionMinutes);
  await deleteInBatches(Prisma.sql`
    DELETE FROM used_nonces WHERE (application_id, nonce, timestamp) IN (
      SELECT application_id, nonce, timestamp FROM used_nonces
      WHERE used_at < ${before(NONCE_LIFETIME_MS)} LIMIT ${BATCH})`);
  await deleteInBatches(Prisma.sql`
    DELETE FROM password_resets WHERE (application_id, token_hash) IN (
      SELECT application_id, token_hash FROM password_resets
      WHERE created_at < ${before(RESET_LIFETIME_MS)} LIMIT ${BATCH})`);
  await deleteInBatches(Prisma.sql`
    DELETE FROM used_tokens WHERE (application_id, token_hash) IN (
      SELECT application_id, token_hash FROM used_tokens WHERE expires_at < ${before(HOUR)} LIMIT ${BATCH})`);
  await deleteInBatches(Prisma.sql`
    DELETE FROM mailed_codes WHERE (application_id, token_hash) IN (
      SELECT application_id, token_hash FROM mailed_codes
      WHERE created_at < ${before(CODE_RETENTION_MS)} LIMIT ${BATCH})`);
  await deleteInBatches(Prisma.sql`
    DELETE FROM sign_in_challenges WHERE (application_id, token_hash) IN (
      SELECT application_id, token_hash FROM sign_in_challenges
      WHERE created_at <= ${latestExpiredChallenge(now)} LIMIT ${BATCH})`);
  await deleteInBatches(Prisma.sql`
    DELETE FROM daily_usage WHERE (application_id, user_id, kind, day) IN (
      SELECT application_id, user_id, kind, day FROM daily_usage
      WHERE day < (${before(DAILY_USAGE_LIFETIME_MS)}::timestamptz AT TIME ZONE 'UTC')::date LIMIT ${BATCH})`);
  await deleteExpired(now);
  await db.$executeRaw`DELETE FROM rate_limits WHERE expire < ${before(0).getTime()}`;
  await sweepDestroyedDialogs();
  await sweepDeletedClasses(now);
  await sweepGuests(now);
  await sweepDeletedApplications(now);
  await sweepJobs(now);
  await settleIndexes();
  await countActivity(now);
  await trimActivity(now);
  await trimFigures(now);
  await trimAiUsage(now);
  await trimPushLog(before(pushLogDays * DAY));
  await trimRequestLog(before(requestLogDays * DAY));
  await sweepEvents(before(eventRetentionHours * HOUR));
}

/** The shortest lifetime bounds the scan. The extra minute covers the delay with which request times are stored. */
async function deleteSessions(now: Date, sessionMinutes: number): Promise<void> {
  const minutes = Prisma.sql`coalesce(a.session_minutes, ${sessionMinutes}::int) * interval '1 minute' + interval '1 minute'`;
  await deleteInBatches(Prisma.sql`
    DELETE FROM sessions WHERE (application_id, id) IN (
      SELECT s.application_id, s.id FROM sessions s JOIN applications a ON a.id = s.application_id
      WHERE s.updated_at < ${now}::timestamptz - (SELECT min(${minutes}) FROM applications a)
        AND s.updated_at < ${now}::timestamptz - (${minutes})
      LIMIT ${BATCH})`);
}

async function sweepDestroyedDialogs(): Promise<void> {
  for (const { applicationId, dialogId } of await db.destroyedDialog.findMany()) {
    const inDialog = Prisma.sql`application_id = ${applicationId} AND dialog_id = ${dialogId}`;
    await deleteInBatches(Prisma.sql`
      DELETE FROM message_marks WHERE (application_id, dialog_id, seq, user_id) IN (
        SELECT application_id, dialog_id, seq, user_id FROM message_marks WHERE ${inDialog} LIMIT ${BATCH})`);
    await deleteInBatches(Prisma.sql`
      DELETE FROM hidden_messages WHERE (application_id, user_id, dialog_id, seq) IN (
        SELECT application_id, user_id, dialog_id, seq FROM hidden_messages WHERE ${inDialog} LIMIT ${BATCH})`);
    while ((await deleteMessages(inDialog)) === BATCH);
    await forgetDestroyedDialog(inDialog);
  }
}

/** Not while rows exist, because another process may be killed before its deletion commits. */
async function forgetDestroyedDialog(inDialog: Prisma.Sql): Promise<void> {
  await db.$executeRaw`
    DELETE FROM destroyed_dialogs WHERE ${inDialog}
      AND NOT EXISTS (SELECT FROM message_marks WHERE ${inDialog})
      AND NOT EXISTS (SELECT FROM hidden_messages WHERE ${inDialog})
      AND NOT EXISTS (SELECT FROM messages WHERE ${inDialog})`;
}

async function deleteMessages(where: Prisma.Sql): Promise<number> {
  return db.$executeRaw`
    WITH deleted AS MATERIALIZED (
      SELECT application_id, id FROM messages WHERE ${where} LIMIT ${BATCH}
    ), reactions_gone AS (
      DELETE FROM reactions r USING deleted WHERE r.application_id = deleted.application_id AND r.message_id = deleted.id
    )
    DELETE FROM messages m USING deleted WHERE m.application_id = deleted.application_id AND m.id = deleted.id`;
}

/** Deliveries reference their send. Keeps the latest send of each event for its status. */
async function trimPushLog(before: Date): Promise<void> {
  await deleteInBatches(Prisma.sql`
    DELETE FROM push_deliveries WHERE (application_id, send_id, subscription_id) IN (
      SELECT d.application_id, d.send_id, d.subscription_id FROM push_sends s
      JOIN push_deliveries d ON d.application_id = s.application_id AND d.send_id = s.id
      WHERE s.created_at < ${before} LIMIT ${BATCH})`);
  await deleteInBatches(Prisma.sql`
    DELETE FROM push_sends WHERE (application_id, id) IN (
      SELECT s.application_id, s.id FROM push_sends s
      WHERE s.created_at < ${before} AND NOT EXISTS (SELECT FROM events e
        WHERE e.application_id = s.application_id AND e.id = s.event_id AND e.last_send_id = s.id)
      LIMIT ${BATCH})`);
}

async function deleteInBatches(statement: Prisma.Sql): Promise<void> {
  while ((await db.$executeRaw(statement)) === BATCH);
}
