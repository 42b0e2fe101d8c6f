import type { Logger } from 'pino';
import { db, type Transaction } from '../db/client.ts';
import type { OutboxKind } from '../generated/prisma/enums.ts';

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
}

/** The NOTIFY channel by which a process tells the others that the stream has grown. */
export const WAKE_CHANNEL = 'atrium_outbox';

/** Tells this process and the others, after a commit, that there is something to read. */
export class Outbox {
  /** Names this process in its own notifications, which it need not hear. */
  readonly origin: string;
  readonly #log: Logger;
  #listeners = new Set<() => void>();
  #wanted = false;
  #sending = false;

  constructor(origin: string, log: Logger) {
    this.origin = origin;
    this.#log = log;
  }

  onWake(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Call it after the transaction. Many calls make one notification: NOTIFY inside a writing transaction would
   * serialise all commits of the database.
   */
  wake(): void {
    for (const listener of this.#listeners) listener();
    this.#wanted = true;
    if (!this.#sending) void this.#notify();
  }

  async #notify(): Promise<void> {
    this.#sending = true;
    await new Promise(setImmediate);
    while (this.#wanted) {
      this.#wanted = false;
      try {
        await db.$executeRaw`SELECT pg_notify(${WAKE_CHANNEL}, ${this.origin})`;
      } catch (error) {
        // The others look by themselves every now and then.
        this.#log.warn({ err: error }, 'other processes could not be woken');
      }
    }
    this.#sending = false;
  }
}

/** Ended sessions: their sockets close on every process. */
export async function announceEndedSessions(
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
export async function announceRevokedApiKey(
  transaction: Transaction,
  { applicationId, id }: { applicationId: number; id: number },
  now: Date,
): Promise<void> {
  await transaction.outboxEvent.create({
    data: { applicationId, kind: 'apiKeyRevoked', subjectId: String(id), createdAt: now },
  });
}

/** Another lifetime of an application's sessions: who waits for the end of one has to ask anew when it is. */
export async function announceSessionMinutes(
  transaction: Transaction,
  applicationId: number,
  now: Date,
): Promise<void> {
  await transaction.outboxEvent.create({
    data: { applicationId, kind: 'sessionMinutesChanged', subjectId: String(applicationId), createdAt: now },
  });
}

/** A deleted user: API keys that act for them find nobody any more. */
export async function announceDeletedUser(
  transaction: Transaction,
  { applicationId, userId }: { applicationId: number; userId: number },
  now: Date,
): Promise<void> {
  await transaction.outboxEvent.create({
    data: { applicationId, kind: 'userDeleted', subjectId: String(userId), createdAt: now },
  });
}
