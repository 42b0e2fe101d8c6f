import type { Context } from '../../context.ts';
import { db } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import { groupBy } from '../../lib/collections.ts';
import { BadInputError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { DAY } from '../../lib/time.ts';

export interface UsedTokens {
  requests: number;
  failures: number;
  tokens: number;
}

export interface AiUsage extends UsedTokens {
  dailyTokens: number;
  assistants: (UsedTokens & { assistantId: string; name: string | null })[];
  /** Every day of the period, oldest first. */
  days: (UsedTokens & { day: Date })[];
  users: { userId: number; tokens: number }[];
}

export const MAX_DAYS = 366;
export const MAX_USERS = 20;

/** @param days that end with today (UTC) @throws {BadInputError} */
export async function findAiUsage(
  applicationId: number,
  days: number,
  { now }: Pick<Context, 'now'>,
): Promise<AiUsage> {
  if (days < 1 || days > MAX_DAYS)
    throw new BadInputError(problem('NOT_BETWEEN', { name: 'days', min: 1, max: MAX_DAYS }));
  const today = dayOf(now());
  const first = new Date(today.getTime() - (days - 1) * DAY);
  const [{ aiDailyTokens: dailyTokens }, assistants, rows, users] = await Promise.all([
    db.application.findUniqueOrThrow({ where: { id: applicationId }, select: { aiDailyTokens: true } }),
    db.assistant.findMany({ where: { applicationId }, select: { id: true, name: true } }),
    db.aiUsage.findMany({ where: { applicationId, day: { gte: first } } }),
    query<{ userId: number; tokens: number }>`
      SELECT user_id AS "userId", used AS tokens FROM daily_usage
      WHERE application_id = ${applicationId} AND kind = 'aiTokens' AND day = ${today}::date AND used > 0
      ORDER BY used DESC, user_id LIMIT ${MAX_USERS}`,
  ]);
  const names = new Map(assistants.map(({ id, name }) => [id, name]));
  const used = rows.map(({ tokens, ...row }) => ({ ...row, tokens: Number(tokens) }));
  const byAssistant = groupBy(used, ({ assistantId }) => assistantId);
  const byDay = groupBy(used, ({ day }) => day.getTime());
  const wanted = Array.from({ length: days }, (_, index) => new Date(first.getTime() + index * DAY));
  return {
    dailyTokens,
    ...sum(used),
    assistants: [...byAssistant]
      .map(([assistantId, own]) => ({ assistantId, name: names.get(assistantId) ?? null, ...sum(own) }))
      .sort((one, other) => other.tokens - one.tokens),
    days: wanted.map((day) => ({ day, ...sum(byDay.get(day.getTime()) ?? []) })),
    users,
  };
}

/** For the figures only: quotas are in `daily_usage`. */
export async function countAiUsage(
  { applicationId, id }: { applicationId: number; id: string },
  { tokens, isFailure }: { tokens: number; isFailure: boolean },
  at: Date,
): Promise<void> {
  await db.$executeRaw`
    INSERT INTO ai_usage AS u (application_id, day, assistant_id, requests, failures, tokens)
    VALUES (${applicationId}::int, ${dayOf(at)}::date, ${id}, 1, ${isFailure ? 1 : 0}::int, ${tokens}::int)
    ON CONFLICT (application_id, day, assistant_id) DO UPDATE SET requests = u.requests + 1,
      failures = u.failures + excluded.failures, tokens = u.tokens + excluded.tokens`;
}

/** Keeps a year of figures. */
export async function trimAiUsage(now: Date): Promise<void> {
  await db.aiUsage.deleteMany({ where: { day: { lt: new Date(dayOf(now).getTime() - MAX_DAYS * DAY) } } });
}

function sum(rows: UsedTokens[]): UsedTokens {
  const total = { requests: 0, failures: 0, tokens: 0 };
  for (const { requests, failures, tokens } of rows) {
    total.requests += requests;
    total.failures += failures;
    total.tokens += tokens;
  }
  return total;
}

function dayOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY) * DAY);
}
