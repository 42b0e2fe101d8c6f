import { Prisma, type Transaction } from '../../db/client.ts';
import { newId } from '../../db/ids.ts';
import { query } from '../../db/query.ts';
import { BACKGROUND, transact } from '../../db/transact.ts';
import type { Event } from '../../generated/prisma/client.ts';
import { groupBy } from '../../lib/collections.ts';
import { nextDue } from '../../lib/event-rules.ts';
import { DELIVER, deliverJobs, type PushContext, SPREAD } from './context.ts';

/** Events, or devices, of one transaction. */
const BATCH = 100;
const RETRY_BATCH = 2_000;

/** Of an event: its application is not just being imported. */
const isServed = Prisma.sql`NOT EXISTS (
  SELECT FROM applications a WHERE a.id = e.application_id AND a.import_id IS NOT NULL)`;

/** Whether anything is due, by one short question: mostly nothing is. */
export async function findDue({ now }: PushContext): Promise<{ hasEvents: boolean; hasRetries: boolean }> {
  const at = now();
  const [due] = await query<{ hasEvents: boolean; hasRetries: boolean }>`
    SELECT EXISTS (SELECT FROM events e WHERE e.due_at <= ${at} AND ${isServed}) AS "hasEvents",
      EXISTS (SELECT FROM push_deliveries WHERE retry_at <= ${at}) AS "hasRetries"`;
  return due!;
}

/**
 * Begins the sends of events whose time has come; several processes take different ones. A time is begun once: the
 * event moves on to its next one in the transaction that stores the send and the work for it.
 * @returns how many
 */
export function startDueEvents({ now, queue }: PushContext): Promise<number> {
  const at = now();
  return transact(BACKGROUND, async (transaction) => {
    const events = await takeDue(transaction, at);
    if (events.length === 0) return 0;
    const sends = events.map((event) => ({ event, id: newId(at), dueAt: nextDue(event, at) }));
    await transaction.pushSend.createMany({
      data: sends.map(({ event, id }) => ({
        applicationId: event.applicationId,
        id,
        eventId: event.id,
        createdAt: at,
      })),
    });
    const moved = sends.map(({ event, id, dueAt }) => ({
      applicationId: event.applicationId,
      eventId: event.id,
      sendId: id,
      dueAt,
    }));
    await transaction.$executeRaw`
      UPDATE events e SET due_at = g."dueAt", last_send_id = g."sendId", last_sent_at = ${at}
      FROM json_to_recordset(${JSON.stringify(moved)}::json)
        AS g ("applicationId" int, "eventId" int, "sendId" text, "dueAt" timestamptz)
      WHERE e.application_id = g."applicationId" AND e.id = g."eventId"`;
    const jobs = moved.map(({ applicationId, sendId }) => ({ applicationId, sendId }));
    await queue.add(transaction, SPREAD, jobs);
    return events.length;
  });
}

/**
 * Has devices served again whose time to be tried again has come.
 * @returns how many
 */
export function startDueRetries({ now, queue }: PushContext): Promise<number> {
  const at = now();
  return transact(BACKGROUND, async (transaction) => {
    const due = await transaction.$queryRaw<{ applicationId: number; sendId: string; subscriptionId: number }[]>`
      UPDATE push_deliveries d SET retry_at = NULL
      WHERE (d.application_id, d.send_id, d.subscription_id) IN (
        SELECT application_id, send_id, subscription_id FROM push_deliveries
        WHERE retry_at <= ${at} ORDER BY retry_at LIMIT ${RETRY_BATCH} FOR UPDATE SKIP LOCKED)
      RETURNING d.application_id AS "applicationId", d.send_id AS "sendId", d.subscription_id AS "subscriptionId"`;
    for (const [sendId, devices] of groupBy(due, (one) => one.sendId)) {
      const { applicationId } = devices[0]!;
      const ids = devices.map(({ subscriptionId }) => subscriptionId);
      await queue.add(transaction, DELIVER, deliverJobs({ applicationId, sendId }, ids));
    }
    return due.length;
  });
}

async function takeDue(transaction: Transaction, at: Date): Promise<Event[]> {
  const due = await transaction.$queryRaw<{ applicationId: number; id: number }[]>`
    SELECT e.application_id AS "applicationId", e.id FROM events e
    WHERE e.due_at <= ${at} AND ${isServed} ORDER BY e.due_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`;
  return due.length === 0 ? [] : transaction.event.findMany({ where: { OR: due } });
}
