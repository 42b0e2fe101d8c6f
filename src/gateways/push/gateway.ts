import type { PushChannel } from '../../generated/prisma/enums.ts';

export interface BrowserKeys {
  p256dh: string;
  auth: string;
}

export interface Push {
  /** A retry uses the same id, also after a crash. */
  id: string;
  channel: PushChannel;
  address: string;
  keys: BrowserKeys | null;
  bundleIdentifier: string | null;
  content: PushContent;
  /** A later push with the same key replaces this one if the user has not seen it. At most 32 Base64url characters. */
  collapseKey: string;
  /** Whether other pushes share the collapse key. Otherwise the key only prevents duplicates. */
  isReplaced: boolean;
  expiresAt: Date;
}

export type PushContent = EventContent | MessageContent;

export interface EventContent {
  title: string;
  stored: string;
}

export interface MessageContent {
  title: string;
  dialogName: string | null;
  text: string;
  badge: number;
  about: { dialog_id: string; message_id: string; user_id: number };
}

/** `answer` is for the delivery log, so it never contains a secret. */
export type PushOutcome =
  | { kind: 'delivered'; answer: string }
  /** The device is gone; ignored if it registered again after `since`. */
  | { kind: 'gone'; answer: string; since?: Date }
  | { kind: 'refused'; answer: string }
  /** `retryAfter` in seconds. `isUnreachable`: the provider did not respond. */
  | { kind: 'later'; answer: string; retryAfter?: number; isUnreachable?: boolean };

/** Scope of a circuit breaker: a provider account, or a host of push services. */
export interface Circuit {
  key: string;
  /** Users choose the endpoints. The circuit opens after failures of several users, so that one cannot block others. */
  isShared: boolean;
}

/** `send` never rejects; failures are outcomes. */
export interface PushGateway {
  send(push: Push): Promise<PushOutcome>;
  circuitOf(push: Push): Circuit;
  readonly traffic: 'devices' | 'mails';
  readonly concurrency: number;
  close(): void;
}

/** @returns seconds */
export function readRetryAfter(header: string | null | undefined, now: Date): number | undefined {
  if (!header) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}
