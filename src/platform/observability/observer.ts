import type { LimitName } from '../limits/definitions.ts';

/** Receives measurements for metrics. Methods return immediately and never throw. */
export interface Observer {
  /** @param route a pattern, never the client's path */
  requestEnded: (request: { method: string; route: string; status: number; seconds: number }) => void;
  /** Per root field; for a subscription when it begins. */
  operationEnded: (operation: { type: string; field: string; code: string; seconds: number }) => void;
  documentRefused: () => void;
  socketOpened: () => void;
  /** Of a chat client. */
  streamOpened: () => void;
  /** @param kind `message`, `presence` or `iq` */
  stanzaReceived: (kind: string) => void;
  stanzaSent: () => void;
  chatSignInRefused: () => void;
  /** @param condition of the error that ended the stream */
  chatStreamFailed: (condition: string) => void;
  subscriptionBegan: () => void;
  subscriptionEnded: () => void;
  /** @param seconds undefined if the subscriber had missed the event */
  eventDelivered: (seconds: number | undefined) => void;
  pushAnswered: (channel: string, outcome: string) => void;
  rateLimitExceeded: (limit: LimitName) => void;
  sweepFailed: () => void;
  /** The mail of a password reset could not be sent. */
  resetMailFailed: () => void;
}

const ignore = () => {};

export const silentObserver: Observer = {
  requestEnded: ignore,
  operationEnded: ignore,
  documentRefused: ignore,
  socketOpened: ignore,
  streamOpened: ignore,
  stanzaReceived: ignore,
  stanzaSent: ignore,
  chatSignInRefused: ignore,
  chatStreamFailed: ignore,
  subscriptionBegan: ignore,
  subscriptionEnded: ignore,
  eventDelivered: ignore,
  pushAnswered: ignore,
  rateLimitExceeded: ignore,
  sweepFailed: ignore,
  resetMailFailed: ignore,
};
