import type { Transaction } from '../db/client.ts';
import type { OutboxKind } from '../generated/prisma/enums.ts';
import type { Bus } from './bus.ts';

/**
 * One row of the stream. Its position is handed out before its transaction commits, so a reader must not take
 * a missing position for the past: see `OutboxReader`. A row is always inserted after the first write of its
 * transaction, which therefore has its transaction id before the position is drawn.
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
  /** Class of the record it is about. */
  classKey: number | null;
}

/** What the kinds tell beyond the columns that all have. */
export interface EventDetail {
  /** `messagesDeleted`, `messagesMarked`; absent: all that the dialog had then. */
  messageIds?: string[];
  /** `messagesMarked`; absent: it stays as it was. */
  read?: boolean;
  /** `messagesMarked`; absent: it stays as it was. */
  delivered?: boolean;
  /** `dialogRemoved`: hidden until its next message, left or removed from, or destroyed for all. */
  removal?: 'hidden' | 'left' | 'destroyed';
  /** `recordUpdated`, `recordDeleted`: the record as it was, in the columns' names, so that whoever saw it can be told. */
  before?: RecordImage;
}

/** A record at one moment, as far as rights and filters look at it. */
export interface RecordImage {
  parent_id: string | null;
  user_id: number;
  readers: string[];
  fields: Record<string, unknown>;
  /** ISO 8601. */
  created_at: string;
  updated_at: string;
}

/** Something that happened in a dialog. */
export interface DialogEvent {
  kind: 'messageEdited' | 'messagesDeleted' | 'messagesMarked' | 'dialogChanged' | 'dialogRemoved';
  applicationId: number;
  dialogId: string;
  /** Of the message it is about; otherwise the dialog itself. */
  subjectId?: string;
  /** Who did it; undefined for an API key alone. */
  userId?: number | undefined;
  detail?: EventDetail;
  /** Users who alone may know of it; undefined: the occupants, whoever they are when it is told. */
  audienceIds?: number[] | undefined;
}

/** On which a process tells the others that the stream has grown. */
const WAKE = 'wake';

/** Tells this process and the others, after a commit, that there is something to read. */
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

  /** Call it after the transaction: what is told inside one would serialise all commits of the database. */
  wake(): void {
    this.#wakeHere();
    this.#bus.publish(WAKE);
  }

  #wakeHere(): void {
    for (const listener of this.#listeners) listener();
  }
}

/**
 * What happened in dialogs, in each of them in that order; after the first write of the transaction. Those of several
 * come in the order of their ids: statements return rows as they lie in the table, which nobody should see.
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

/** Ended sessions: their sockets close on every process. */
export async function appendEndedSessions(
  transaction: Transaction,
  sessions: { applicationId: number; id: number }[],
  now: Date,
): Promise<void> {
  await transaction.outboxEvent.createMany({
    data: sessions.map(({ applicationId, id }) => ({
      applicationId,
      kind: 'sessionEnded',
      subjectId: String(id),
      createdAt: now,
    })),
  });
}

/** A revoked API key: what was opened with it ends on every process. */
export async function appendRevokedApiKey(
  transaction: Transaction,
  { applicationId, id }: { applicationId: number; id: number },
  now: Date,
): Promise<void> {
  await transaction.outboxEvent.create({
    data: { applicationId, kind: 'apiKeyRevoked', subjectId: String(id), createdAt: now },
  });
}

/** Another lifetime of an application's sessions: who waits for the end of one has to ask anew when it is. */
export async function appendSessionMinutes(transaction: Transaction, applicationId: number, now: Date): Promise<void> {
  await transaction.outboxEvent.create({
    data: { applicationId, kind: 'sessionMinutesChanged', subjectId: String(applicationId), createdAt: now },
  });
}

/** A deleted user: API keys that act for them find nobody any more. */
export async function appendDeletedUser(
  transaction: Transaction,
  { applicationId, userId }: { applicationId: number; userId: number },
  now: Date,
): Promise<void> {
  await transaction.outboxEvent.create({
    data: { applicationId, kind: 'userDeleted', subjectId: String(userId), createdAt: now },
  });
}

/** A deleted class: nothing more comes of its records. */
export async function appendDeletedClass(
  transaction: Transaction,
  { applicationId, classKey }: { applicationId: number; classKey: number },
  now: Date,
): Promise<void> {
  await transaction.outboxEvent.create({
    data: { applicationId, classKey, kind: 'classDeleted', subjectId: String(classKey), createdAt: now },
  });
}
