import type { Services } from '../../context.ts';
import { db, type Transaction } from '../../db/client.ts';
import type { DailyUsageKind } from '../../generated/prisma/client.ts';
import { RateLimitedError } from '../../lib/errors.ts';
import { HOUR, SECOND } from '../../lib/time.ts';

interface UserKey {
  applicationId: number;
  userId: number;
}

/** Instead of a user: a share of the whole application. */
export const OF_APPLICATION = 0;

/** Per user and day (UTC). */
export interface DailyShare {
  kind: DailyUsageKind;
  amount: number;
  quota: number;
}

const DAY = 24 * HOUR;

/** In the caller's transaction if `client` is one. No effect while rate limits are off. @throws {RateLimitedError} */
export async function takeDailyShare(
  client: Transaction | typeof db,
  { applicationId, userId }: UserKey,
  { kind, amount, quota }: DailyShare,
  { now, rateLimits }: Pick<Services, 'now' | 'rateLimits'>,
): Promise<void> {
  if (!rateLimits || amount === 0) return;
  const at = now();
  const taken = await client.$executeRaw`
    INSERT INTO daily_usage (application_id, user_id, kind, day, used)
    SELECT ${applicationId}::int, ${userId}::int, ${kind}::daily_usage_kind, ${dayOf(at)}::date, ${amount}::int
    WHERE ${amount}::int <= ${quota}::int
    ON CONFLICT (application_id, user_id, kind, day) DO UPDATE SET used = daily_usage.used + excluded.used
    WHERE daily_usage.used + excluded.used <= ${quota}::int`;
  if (taken === 0) throw new RateLimitedError(Math.ceil((DAY - (at.getTime() % DAY)) / SECOND));
}

/** @param takenAt selects the day */
export async function correctDailyShare(
  { applicationId, userId }: UserKey,
  { kind, amount }: Omit<DailyShare, 'quota'>,
  takenAt: Date,
): Promise<void> {
  if (amount === 0) return;
  await db.$executeRaw`
    UPDATE daily_usage SET used = greatest(used::int8 + ${amount}::int, 0)::int
    WHERE application_id = ${applicationId} AND user_id = ${userId} AND kind = ${kind}::daily_usage_kind
      AND day = ${dayOf(takenAt)}::date`;
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
