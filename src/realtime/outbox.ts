import type { Transaction } from '../db/client.ts';
import type { OutboxKind } from '../generated/prisma/enums.ts';
import type { Bus } from './bus.ts';

/**
 * A row of the outbox. Its position is assigned before its transaction commits, so a missing position may still appear:
 * see `OutboxReader`. Insert it after the first write of a transaction, so that the transaction has its id before the
 * position is drawn.
 */
export interface OutboxRow {
  position: bigint;
  applicationId: number;
  kind: OutboxKind;
  dialogId: string | null;
  subjectId: string;
  userId: number | null;
  name: string | null;
  detail: EventDetail | null;
  audienceIds: number[] | null;
  classKey: number | null;
}

export interface EventDetail {
  /** `messagesDeleted`, `messagesMarked`; absent for all messages of the dialog at that time. */
  messageIds?: string[];
  /** `messageSent`, `messagesMarked`: only of legacy chat clients. */
  origin?: EventOrigin;
  /** `messagesMarked`; absent if unchanged. */
  read?: boolean;
  /** `messagesMarked`; absent if unchanged. */
  delivered?: boolean;
  /** `dialogRemoved`: hidden until the next message, left by (or removed from) the user, or destroyed for all. */
  removal?: 'hidden' | 'left' | 'destroyed';
  /** `contactChanged`: what the acting user did. */
  contact?: 'requested' | 'accepted' | 'rejected' | 'withdrawn' | 'removed';
  /** `typing`: false when the user stops; absent before. */
  isTyping?: false;
  /** `signal` */
  signal?: SignalContent;
  /**
   * `recordUpdated`, `recordDeleted`: the previous record under column names, so that users who could read it are
   * notified.
   */
  before?: RecordImage;
}

/** The stanza of a legacy chat client that caused an event. */
export interface EventOrigin {
  /** Names the connection among those of the user. */
  resource: string;
  stanzaId?: string | undefined;
  /** Of a message that is not stored: whether receipts are wanted, and which message it confirms. */
  isMarkable?: boolean | undefined;
  /** Of a system message or call. */
  module?: string | undefined;
  marker?: { name: 'received' | 'displayed'; messageId: string } | undefined;
}

export interface SignalContent {
  id: string;
  kind: 'message' | 'system' | 'call';
  /** Undefined for signals to a dialog. */
  recipientId?: number | undefined;
  text: string;
  payload: Record<string, unknown>;
  origin?: EventOrigin | undefined;
}

/** The parts of a record that permissions and filters use. */
export interface RecordImage {
  parent_id: string | null;
  user_id: number;
  readers: string[];
  fields: Record<string, unknown>;
  /** ISO 8601, as `updated_at`. */
  created_at: string;
  updated_at: string;
}

export interface DialogEvent {
  kind: 'messageEdited' | 'messagesDeleted' | 'messagesMarked' | 'dialogChanged' | 'dialogRemoved';
  applicationId: number;
  dialogId: string;
  /** Id of the message; otherwise the id of the dialog. */
  subjectId?: string;
  /** The acting user; undefined for an API key alone. */
  userId?: number | undefined;
  detail?: EventDetail;
  /** The only recipients; undefined for the occupants at the time of delivery. */
  audienceIds?: number[] | undefined;
}

const WAKE = 'wake';

export class Outbox {
  readonly #bus: Bus;
  readonly #listeners = new Set<() => void>();

  constructor(bus: Bus) {
    this.#bus = bus;
    bus.on(WAKE, () => this.#wakeHere());
    bus.onReturn(() => this.#wakeHere());
  }

  onWake(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Call it after the commit, because NOTIFY within a transaction would serialize all commits of the database. */
  wake(): void {
    this.#wakeHere();
    this.#bus.publish(WAKE);
  }

  #wakeHere(): void {
    for (const listener of this.#listeners) listener();
  }
}

/**
 * Appends events after the first write of the transaction. They keep their order within a dialog; dialogs are ordered
 * by id, because statements return rows in arbitrary order.
 */
export async function appendDialogEvents(transaction: Transaction, events: DialogEvent[], now: Date): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((one, ord) => ({ ...one, subjectId: one.subjectId ?? one.dialogId, ord }));
  await transaction.$executeRaw`
    INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, detail, audience_ids, created_at)
    SELECT g."applicationId", g.kind::outbox_kind, g."dialogId", g."subjectId", g."userId", g.detail, g."audienceIds",
      ${now}
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS g (ord int, kind text, "applicationId" int,
      "dialogId" text, "subjectId" text, "userId" int, detail jsonb, "audienceIds" int[])
    ORDER BY g."dialogId", g.ord`;
}

/** One event for each of both, whose subject is the other. */
export async function appendContactEvents(
  transaction: Transaction,
  change: { applicationId: number; userId: number; contactId: number; action: NonNullable<EventDetail['contact']> },
  now: Date,
): Promise<void> {
  const { applicationId, userId, contactId, action } = change;
  const event = { applicationId, kind: 'contactChanged' as const, userId, detail: { contact: action }, createdAt: now };
  await transaction.outboxEvent.createMany({
    data: [
      { ...event, subjectId: String(contactId), audienceIds: [userId] },
      { ...event, subjectId: String(userId), audienceIds: [contactId] },
    ],
  });
}

type NoticeKind = 'sessionEnded' | 'apiKeyRevoked' | 'sessionMinutesChanged' | 'userDeleted' | 'classDeleted';

/**
 * For connections, which check their sessions and keys again, and for what processes keep of classes.
 * @param ids of the subjects
 */
export async function appendNotices(
  transaction: Transaction,
  kind: NoticeKind,
  { applicationId, ids }: { applicationId: number; ids: readonly number[] },
  now: Date,
): Promise<void> {
  const ofClass = (id: number) => (kind === 'classDeleted' ? { classKey: id } : {});
  await transaction.outboxEvent.createMany({
    data: ids.map((id) => ({ applicationId, kind, subjectId: String(id), createdAt: now, ...ofClass(id) })),
  });
}
