import type { PushChannel } from '../../generated/prisma/enums.ts';

/** Base64url, as the browser gives them. */
export interface BrowserKeys {
  p256dh: string;
  auth: string;
}

/** One push for one device. */
export interface Push {
  /** Unique for this push and this device, and the same after a crash. */
  id: string;
  channel: PushChannel;
  /** The device token; of a browser its endpoint, of a mailbox the address. */
  address: string;
  keys: BrowserKeys | null;
  bundleIdentifier: string | null;
  content: PushContent;
  /** A later push with the same key takes its place where it was not yet seen; at most 32 signs of Base64url. */
  collapseKey: string;
  /** Others with the key will come; otherwise it is but this push's, for when it is sent twice. */
  isReplaced: boolean;
  expiresAt: Date;
}

/** What a push says; each provider builds its own payload of it. */
export type PushContent = EventContent | MessageContent;

export interface EventContent {
  title: string;
  /** In one of the forms of `stored-message.ts`. */
  stored: string;
}

export interface MessageContent {
  title: string;
  /** Null unless it is a group. */
  dialogName: string | null;
  text: string;
  /** Unread messages of the user. */
  badge: number;
  about: { dialog_id: string; message_id: string; user_id: number };
}

/** What became of a push. `answer` is for the log of deliveries: status and reason, never a secret. */
export type PushOutcome =
  | { kind: 'delivered'; answer: string }
  /** The device is no more; not if it was told of after `since`. */
  | { kind: 'gone'; answer: string; since?: Date }
  /** It will be refused however often it is tried. */
  | { kind: 'refused'; answer: string }
  /** It may be taken later: not before so many seconds. `isUnreachable`: the provider did not answer. */
  | { kind: 'later'; answer: string; retryAfter?: number; isUnreachable?: boolean };

/** What a circuit breaker watches: one provider's account, or one host of push services. */
export interface Circuit {
  key: string;
  /** Users choose its endpoints, so endpoints of several users have to fail before the circuit opens. */
  isShared: boolean;
}

/** A way to devices, with one application's credentials. Never throws: what goes wrong is an outcome. */
export interface PushGateway {
  send(push: Push): Promise<PushOutcome>;
  /** Which pushes wait together while their provider does not answer. */
  circuitOf(push: Push): Circuit;
  /** Whose limits its pushes count for. */
  readonly traffic: 'devices' | 'mails';
  /** Pushes that may be under way at a time. */
  readonly concurrency: number;
  close(): void;
}

/** `Retry-After` in seconds or as a date; undefined when it is neither. */
export function readRetryAfter(header: string | null | undefined, now: Date): number | undefined {
  if (!header) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}
