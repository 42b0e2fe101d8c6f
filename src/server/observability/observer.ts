import type { LimitName } from '../limits/definitions.ts';

/** What the rooms tell of their work so that it can be counted. It takes a moment, never fails and waits for nothing. */
export interface Observer {
  /** @param route its pattern: a name of our own, never what a client wrote */
  requestEnded: (request: { method: string; route: string; status: number; seconds: number }) => void;
  /** A root field has been resolved, over whatever door, or a subscription begun. */
  operationEnded: (operation: { type: string; field: string; code: string; seconds: number }) => void;
  /** A document was refused before anything was executed. */
  documentRefused: () => void;
  socketOpened: () => void;
  subscriptionBegan: () => void;
  subscriptionEnded: () => void;
  /** @param seconds from the moment it happened; undefined: it is told of later to somebody who had missed it */
  eventDelivered: (seconds: number | undefined) => void;
  pushAnswered: (channel: string, outcome: string) => void;
  rateLimitExceeded: (limit: LimitName) => void;
  sweepFailed: () => void;
}
