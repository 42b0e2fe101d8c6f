import type { Event } from '../../generated/prisma/client.ts';

/** Recipients, which no answer shows; only the job that spreads a send reads these columns. */
export const RECIPIENTS = {
  userIds: true,
  externalUserIds: true,
  tagsAny: true,
  tagsAll: true,
  tagsExclude: true,
} as const;

/** An event without its recipients. */
export type PresentedEvent = Omit<Event, keyof typeof RECIPIENTS>;
