import type { ActingContext } from '../../context.ts';
import type { Prisma } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { Event } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { storedMessage } from '../pushes/channels.ts';
import { lockEvent } from './lock.ts';
import { cancelSends } from './own.ts';
import type { PresentedEvent } from './rows.ts';
import {
  checkSchedule,
  firstDue,
  messageProblems,
  nameProblems,
  nextDue,
  type Schedule,
  type ScheduleInput,
} from './rules.ts';

/** Undefined leaves a field unchanged. */
export interface EventChanges extends ScheduleInput {
  /** False cancels; true sends an inactive event again. */
  active?: boolean | null;
  message?: string | null;
  name?: string | null;
}

/** @throws {NotFoundError} {UnprocessableError} all problems */
export async function updateEvent(
  id: number,
  changes: EventChanges,
  context: ActingContext,
  selection: Prisma.EventDefaultArgs,
): Promise<Event> {
  const at = context.now();
  const updated = await transact(jobOwnerOf(context.viewer), async (transaction) => {
    const event = await lockEvent(transaction, id, context.viewer);
    const data = { ...contentOf(event, changes), ...timesOf(event, changes, at), updatedAt: at };
    if (event.active && data.active === false) await cancelSends(transaction, event, at);
    return transaction.event.update({
      ...selection,
      where: { applicationId_id: { applicationId: event.applicationId, id: event.id } },
      data,
    });
  });
  context.pushNotifier.wake();
  return updated;
}

function contentOf(event: PresentedEvent, { message, name }: EventChanges): Prisma.EventUpdateInput {
  const problems = [...nameProblems(name), ...(message === undefined ? [] : messageProblems(message))];
  if (problems.length > 0) throw new UnprocessableError(...problems);
  return {
    name: name === undefined ? undefined : name?.trim() || null,
    message: message == null ? undefined : storedMessage(event.channel, message),
  };
}

function timesOf(event: PresentedEvent, changes: EventChanges, at: Date): Prisma.EventUpdateInput {
  const isMoved = [changes.date, changes.period, changes.endDate].some((time) => time !== undefined);
  const schedule = isMoved ? movedSchedule(event, changes, at) : event;
  const { date, period, endDate } = schedule;
  const isActive = changes.active ?? event.active;
  if (!isActive) return { date, period, endDate, active: false, dueAt: null };
  if (event.active && !isMoved) return {};
  const isBeingSent = event.active && event.dueAt === null;
  // An event whose send is in progress is not sent again immediately.
  const dueAt = isBeingSent && !(date && date > at) ? nextDue(schedule, at) : firstDue(schedule, at);
  return { date, period, endDate, active: isBeingSent || dueAt !== null, dueAt };
}

function movedSchedule(event: PresentedEvent, { date, period, endDate }: EventChanges, at: Date): Schedule {
  const { schedule, problems } = checkSchedule(
    event.eventType,
    {
      date: date === undefined ? secondsOf(event.date) : date,
      period: period === undefined ? event.period : period,
      endDate: endDate === undefined ? secondsOf(event.endDate) : endDate,
    },
    at,
    date !== undefined,
  );
  if (problems.length > 0) throw new UnprocessableError(...problems);
  // An unchanged date keeps its fraction of a second.
  return date === undefined ? { ...schedule, date: event.date } : schedule;
}

function secondsOf(moment: Date | null): number | null {
  return moment && moment.getTime() / 1000;
}
