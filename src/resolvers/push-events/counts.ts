import DataLoader from 'dataloader';
import { db } from '../../db/client.ts';
import type { Event } from '../../generated/prisma/client.ts';

type EventKey = Pick<Event, 'applicationId' | 'id'>;

/** Devices of all logged sends of an event. */
interface SendCounts {
  delivered: number;
  failed: number;
}

export function sendCountsLoader(): DataLoader<EventKey, SendCounts, number> {
  return new DataLoader(
    async (events) => {
      const { applicationId } = events[0]!;
      const counts = await db.pushSend.groupBy({
        by: ['eventId'],
        where: { applicationId, eventId: { in: events.map(({ id }) => id) } },
        _sum: { delivered: true, failed: true },
      });
      const byEvent = new Map(counts.map(({ eventId, _sum }) => [eventId, _sum]));
      return events.map(({ id }) => {
        const { delivered, failed } = byEvent.get(id) ?? {};
        return { delivered: delivered ?? 0, failed: failed ?? 0 };
      });
    },
    { cacheKeyFn: ({ id }) => id },
  );
}
