import { Prisma, type Transaction } from '../../db/client.ts';
import { newId } from '../../db/ids.ts';
import { BACKGROUND, transact } from '../../db/transact.ts';
import { type PushContext, SPREAD } from '../pushes/context.ts';
import { dueOf, isServed, type Timed } from '../pushes/due.ts';
import { type PresentedEvent, RECIPIENTS } from './rows.ts';
import { nextDue } from './rules.ts';

/** Events or devices per transaction. */
const BATCH = 100;

const EVENTS: Timed = {
  table: Prisma.raw('events'),
  time: Prisma.raw('due_at'),
  columns: Prisma.raw('e.application_id AS "applicationId", e.id'),
  condition: isServed,
  batch: BATCH,
};

/** An event moves on to its next time in the transaction that stores its send, so that no time is sent twice. */
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
    const jobs = sends.map(({ event: { applicationId, userId }, id }) => ({ applicationId, userId, sendId: id }));
    await queue.add(transaction, SPREAD, jobs);
    return events.length;
  });
}

async function takeDue(transaction: Transaction, at: Date): Promise<PresentedEvent[]> {
  const due = await transaction.$queryRaw<{ applicationId: number; id: number }[]>(dueOf(EVENTS, at));
  return due.length === 0 ? [] : transaction.event.findMany({ where: { OR: due }, omit: RECIPIENTS });
}
