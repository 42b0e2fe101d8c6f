import { randomUUID } from 'node:crypto';
import { db, Prisma, type Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { OPERATOR } from '../../lib/actor.ts';
import { MigrationError } from './problem.ts';
import type { SourceMessage } from './shapes.ts';

export type ItemKind =
  | 'user'
  | 'class'
  | 'record'
  | 'dialog'
  /** A dialog in the list of a user. */
  | 'place'
  /** A user whose list of dialogs was read. */
  | 'asked'
  | 'hidden'
  | 'muted'
  | 'reactions'
  | 'blob';

export interface Item {
  kind: ItemKind;
  id: string;
  /** Id of the dialog or name of the class. */
  container?: string;
  content: unknown;
}

export interface StoredItem<Content> {
  id: string;
  content: Content;
  previous: Content | null;
}

export type Cursor = Record<string, string | number>;

const BATCH = 500;

const LOCK_TIMEOUT_MS = 60 * 60 * 1_000;

/** Items and progress are updated in one transaction, so that a killed process resumes after the last stored page. */
export class Ledger {
  readonly applicationId: number;
  readonly #signal: AbortSignal;
  readonly #runId = randomUUID();
  /** Start of the previous run, by the clock of the other server. */
  since: Date | undefined;
  /** Undefined: completed. */
  step: string | undefined;
  cursor: Cursor = {};
  counts: Record<string, number> = {};

  constructor(applicationId: number, signal: AbortSignal) {
    this.applicationId = applicationId;
    this.#signal = signal;
  }

  /**
   * Makes a concurrent process stop. The first run switches the application to the documented behavior.
   * @throws {MigrationError} the unfinished run is from another server
   */
  async open(source: string, { startedAt, restart }: { startedAt: Date; restart: boolean }): Promise<boolean> {
    const { applicationId } = this;
    return transact(jobOwnerOf({ applicationId, actor: OPERATOR }), async (transaction) => {
      await transaction.$executeRaw`SELECT FROM applications WHERE id = ${applicationId} FOR NO KEY UPDATE`;
      const found = await transaction.migration.findUnique({ where: { applicationId } });
      const isOpen = found !== null && found.step !== null && !restart;
      if (isOpen && found.source !== source) {
        throw new MigrationError(`a migration from ${found.source} is unfinished; --restart discards it`);
      }
      if (isOpen) {
        await transaction.migration.update({ where: { applicationId }, data: { runId: this.#runId } });
        this.since = found.since ?? undefined;
        this.step = found.step!;
        this.cursor = found.cursor as Cursor;
        this.counts = found.counts as Record<string, number>;
        return true;
      }
      if (found) await this.#forget(transaction);
      else await keepDocumentedBehavior(transaction, applicationId);
      // An abandoned run has stored nothing, or its items are stored again.
      const since = found === null ? null : found.step === null ? found.startedAt : found.since;
      const begun = { source, runId: this.#runId, startedAt, since, step: FIRST, cursor: {}, counts: {} };
      await transaction.migration.upsert({
        where: { applicationId },
        create: { applicationId, ...begun },
        update: begun,
      });
      this.since = since ?? undefined;
      this.step = FIRST;
      return false;
    });
  }

  async keep(cursor: Cursor, items: Item[], messages: SourceMessage[] = []): Promise<void> {
    await this.write(cursor, async (transaction) => {
      await this.#keepItems(transaction, items);
      await this.#keepMessages(transaction, messages);
    });
  }

  async write(cursor: Cursor, work: (transaction: Transaction) => Promise<void>): Promise<void> {
    this.#signal.throwIfAborted();
    await transact(
      jobOwnerOf({ applicationId: this.applicationId }),
      async (transaction) => {
        await this.#move(transaction, this.step, cursor);
        await work(transaction);
      },
      { timeoutMs: LOCK_TIMEOUT_MS },
    );
    this.cursor = cursor;
  }

  /** After the last step (undefined), keeps only what the next run needs. */
  async enter(step: string | undefined): Promise<void> {
    this.#signal.throwIfAborted();
    await transact(
      jobOwnerOf({ applicationId: this.applicationId, actor: OPERATOR }),
      async (transaction) => {
        await this.#move(transaction, step, {});
        if (step === undefined) await this.#forget(transaction);
      },
      { timeoutMs: LOCK_TIMEOUT_MS },
    );
    this.step = step;
    this.cursor = {};
  }

  count(name: string, number = 1): void {
    if (number > 0) this.counts[name] = (this.counts[name] ?? 0) + number;
  }

  async *batches<Content>(
    kind: ItemKind,
    after = '',
    container?: string,
  ): AsyncGenerator<StoredItem<Content>[], void, void> {
    for (let last = after; ; ) {
      const items = (await db.migratedItem.findMany({
        where: {
          applicationId: this.applicationId,
          kind,
          id: { gt: last },
          content: { not: Prisma.AnyNull },
          ...(container === undefined ? {} : { container }),
        },
        orderBy: { id: 'asc' },
        take: BATCH,
        select: { id: true, content: true, previous: true },
      })) as StoredItem<Content>[];
      if (items.length > 0) yield items;
      if (items.length < BATCH) return;
      last = items.at(-1)!.id;
    }
  }

  async *each<Content>(kind: ItemKind, after = ''): AsyncGenerator<StoredItem<Content>, void, void> {
    for await (const items of this.batches<Content>(kind, after)) yield* items;
  }

  async size(kind: ItemKind): Promise<number> {
    const { applicationId } = this;
    return db.migratedItem.count({ where: { applicationId, kind, content: { not: Prisma.AnyNull } } });
  }

  async totals(): Promise<Record<string, number>> {
    const { applicationId } = this;
    const where = { applicationId };
    return {
      users: await db.user.count({ where }),
      usersWithoutPassword: await db.user.count({ where: { ...where, passwordHash: null } }),
      classes: await db.recordClass.count({ where }),
      records: await db.record.count({ where }),
      dialogs: await db.dialog.count({ where }),
      messages: await db.message.count({ where }),
      files: await db.blob.count({ where }),
    };
  }

  async #move(transaction: Transaction, step: string | undefined, cursor: Cursor): Promise<void> {
    const { count } = await transaction.migration.updateMany({
      where: { applicationId: this.applicationId, runId: this.#runId },
      data: { step: step ?? null, cursor, counts: this.counts },
    });
    if (count === 0) throw new MigrationError('another process has taken over this migration');
  }

  async #keepItems(transaction: Transaction, items: Item[]): Promise<void> {
    if (items.length === 0) return;
    // An item may occur twice on a page; the later one counts.
    const rows = new Map(items.map((item) => [`${item.kind} ${item.id}`, item]));
    await transaction.$executeRaw`
      INSERT INTO migrated_items (application_id, kind, id, container, content)
      SELECT ${this.applicationId}::int, g.kind, g.id, coalesce(g.container, ''), g.content
      FROM json_to_recordset(${JSON.stringify([...rows.values()])}::json) AS g (
        kind text, id text, container text, content json)
      ON CONFLICT (application_id, kind, id) DO UPDATE SET container = excluded.container, content = excluded.content`;
  }

  async #keepMessages(transaction: Transaction, messages: SourceMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const rows = new Map(messages.map((message) => [message.id, message]));
    const kept = await transaction.$executeRaw`
      INSERT INTO migrated_messages AS k (application_id, dialog_id, id, sender_id, recipient_id, text, attachments,
        custom_fields, date_sent, created_at, updated_at, read_ids, delivered_ids, has_reactions)
      SELECT ${this.applicationId}::int, g."dialogId", g.id, g."senderId", g."recipientId", g.text, g.attachments,
        g."customFields", g."dateSent", g."createdAt", g."updatedAt", g."readIds", g."deliveredIds", g."hasReactions"
      FROM ROWS FROM (json_to_recordset(${JSON.stringify([...rows.values()])}::json) AS (
        "dialogId" text, id text, "senderId" int, "recipientId" int, text text, attachments json, "customFields" json,
        "dateSent" int, "createdAt" timestamptz(3), "updatedAt" timestamptz(3), "readIds" int[], "deliveredIds" int[],
        "hasReactions" boolean)) WITH ORDINALITY g ORDER BY g.ordinality
      ON CONFLICT (application_id, id) DO UPDATE SET text = excluded.text, attachments = excluded.attachments,
        custom_fields = excluded.custom_fields, updated_at = excluded.updated_at, read_ids = excluded.read_ids,
        delivered_ids = excluded.delivered_ids, has_reactions = excluded.has_reactions
      WHERE k.dialog_id = excluded.dialog_id`;
    if (kept < rows.size) throw new MigrationError('the other server returned one message in two dialogs');
  }

  /** The next run detects changes by the previous state. */
  async #forget(transaction: Transaction): Promise<void> {
    const { applicationId } = this;
    const isDone = this.step !== undefined && this.step === LAST;
    await transaction.migratedMessage.deleteMany({ where: { applicationId } });
    await transaction.migratedItem.deleteMany({ where: { applicationId, NOT: { kind: 'dialog' } } });
    await transaction.$executeRaw`
      UPDATE migrated_items SET previous = CASE WHEN ${isDone} THEN content ELSE previous END, content = NULL
      WHERE application_id = ${applicationId} AND content IS NOT NULL`;
  }
}

const FIRST = 'users';
const LAST = 'files';

/** Clients of a migrated application may rely on the documented behavior. */
async function keepDocumentedBehavior(transaction: Transaction, id: number): Promise<void> {
  await transaction.application.update({ where: { id }, data: { groups: 'self', filesByNumber: 'session' } });
}
