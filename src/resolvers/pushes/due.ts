import { Prisma } from '../../db/client.ts';
import { columns, select } from '../../db/columns.ts';
import { query, queryIn } from '../../db/query.ts';
import { BACKGROUND, transact } from '../../db/transact.ts';
import { groupBy } from '../../lib/collections.ts';
import { DELIVER, deliverJobs, type PushContext } from './context.ts';

const RETRY_BATCH = 2_000;

/** Condition on a row `e`: the application is not being imported, and not being moved to another database. */
export const isServed = Prisma.sql`NOT EXISTS (
  SELECT FROM applications a WHERE a.id = e.application_id AND (a.import_id IS NOT NULL OR a.moves_to IS NOT NULL))`;

const DUE_DEVICE = columns({
  applicationId: ['int', 'b.application_id'],
  userId: ['int', 'coalesce(e.user_id, 0)'],
  sendId: ['text', 'b.send_id'],
  subscriptionId: ['int', 'b.subscription_id'],
});

/** Each table needs an index by application and time. */
export interface Timed {
  table: Prisma.Sql;
  time: Prisma.Sql;
  columns: Prisma.Sql;
  condition: Prisma.Sql;
  batch: number;
}

const RETRIES: Timed = {
  table: Prisma.raw('push_deliveries'),
  time: Prisma.raw('retry_at'),
  columns: Prisma.raw('e.application_id, e.send_id, e.subscription_id'),
  condition: isServed,
  batch: RETRY_BATCH,
};

/** Picks applications in random order, so that one with many due rows does not delay the others. */
export function dueOf({ table, time, columns, condition, batch }: Timed, at: Date): Prisma.Sql {
  return Prisma.sql`
    WITH RECURSIVE applications_with AS (
      SELECT (SELECT application_id FROM ${table} WHERE ${time} IS NOT NULL ORDER BY application_id LIMIT 1) AS id
      UNION ALL
      SELECT (SELECT t.application_id FROM ${table} t WHERE t.application_id > a.id AND t.${time} IS NOT NULL
        ORDER BY t.application_id LIMIT 1)
      FROM applications_with a WHERE a.id IS NOT NULL
    )
    SELECT due.* FROM (SELECT id FROM applications_with WHERE id IS NOT NULL ORDER BY random()) a
    CROSS JOIN LATERAL (
      SELECT ${columns} FROM ${table} e WHERE e.application_id = a.id AND e.${time} <= ${at} AND ${condition}
      ORDER BY e.${time} LIMIT ${batch} FOR UPDATE OF e SKIP LOCKED) due
    LIMIT ${batch}`;
}

/** A cheap check, because usually nothing is due. */
export async function findDue({ now }: PushContext): Promise<{ hasEvents: boolean; hasRetries: boolean }> {
  const at = now();
  const [due] = await query<{ hasEvents: boolean; hasRetries: boolean }>`
    SELECT EXISTS (SELECT FROM events e WHERE e.due_at <= ${at} AND ${isServed}) AS "hasEvents",
      EXISTS (SELECT FROM push_deliveries e WHERE e.retry_at <= ${at} AND ${isServed}) AS "hasRetries"`;
  return due!;
}

export function startDueRetries({ now, queue }: PushContext): Promise<number> {
  const at = now();
  return transact(BACKGROUND, async (transaction) => {
    const statement = select`
      WITH due AS MATERIALIZED (${dueOf(RETRIES, at)}), begun AS (
        UPDATE push_deliveries d SET retry_at = NULL FROM due
        WHERE d.application_id = due.application_id AND d.send_id = due.send_id
          AND d.subscription_id = due.subscription_id
        RETURNING d.application_id, d.send_id, d.subscription_id
      )
      SELECT ${DUE_DEVICE}
      FROM begun b
      LEFT JOIN push_sends s ON s.application_id = b.application_id AND s.id = b.send_id
      LEFT JOIN events e ON e.application_id = s.application_id AND e.id = s.event_id`;
    const due = await queryIn(transaction, statement);
    for (const [sendId, devices] of groupBy(due, (one) => one.sendId)) {
      const { applicationId, userId } = devices[0]!;
      const ids = devices.map(({ subscriptionId }) => subscriptionId);
      await queue.add(transaction, DELIVER, deliverJobs({ applicationId, userId, sendId }, ids));
    }
    return due.length;
  });
}
