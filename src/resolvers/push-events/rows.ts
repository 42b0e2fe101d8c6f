import type { Event } from '../../generated/prisma/client.ts';

/** Never returned to clients; only the job that spreads a send reads these columns. */
export const RECIPIENTS = {
  userIds: true,
  externalUserIds: true,
  tagsAny: true,
  tagsAll: true,
  tagsExclude: true,
} as const;

export type PresentedEvent = Omit<Event, keyof typeof RECIPIENTS>;
