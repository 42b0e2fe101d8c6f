import { randomUUID } from 'node:crypto';
import { MigrationError } from './errors.ts';
import { columnList, excluded, inSnakeCase, rowsOf } from './rows.ts';
import { db, HOUR, jobOwnerOf, OPERATOR, Prisma, type Transaction, transact } from './service.ts';
import type { SourceMessage } from './shapes.ts';

export type ItemKind =
  | 'user'
  | 'class'
  | 'record'
  | 'dialog'
  /** A dialog in the list of a user. */
  | 'listed dialog'
  /** A user whose list of dialogs was read. */
  | 'dialog list'
  | 'hidden'
  | 'muted'
  | 'reactions'
  | 'blob'
  /** Contacts and privacy lists of a user. */
  | 'chat';

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
  async open(
    source: string,
    { startedAt, restart, firstStep }: { startedAt: Date; restart: boolean; firstStep: string },
  ): Promise<boolean> {
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
      if (found) await this.#clear(transaction, { isCompleted: false });
      else await keepDocumentedBehavior(transaction, applicationId);
      // An abandoned run has stored nothing, or its items are stored again.
      const since = found === null ? null : found.step === null ? found.startedAt : found.since;
      const run = { source, runId: this.#runId, startedAt, since, step: firstStep, cursor: {}, counts: {} };
      await transaction.migration.upsert({
        where: { applicationId },
        create: { applicationId, ...run },
        update: run,
      });
      this.since = since ?? undefined;
      this.step = firstStep;
      return false;
    });
  }

  async stage(cursor: Cursor, items: Item[] = [], messages: SourceMessage[] = []): Promise<void> {
    await this.write(cursor, async (transaction) => {
      await this.#stageItems(transaction, items);
      await this.#stageMessages(transaction, messages);
    });
  }

  async write(cursor: Cursor, work: (transaction: Transaction) => Promise<void>): Promise<void> {
    await this.#transact(async (transaction) => {
      await this.#advance(transaction, this.step, cursor);
      await work(transaction);
    });
    this.cursor = cursor;
  }

  /** After the last step (undefined), keeps only what the next run needs. */
  async enterStep(step: string | undefined): Promise<void> {
    await this.#transact(async (transaction) => {
      await this.#advance(transaction, step, {});
      if (step === undefined) await this.#clear(transaction, { isCompleted: true });
    }, OPERATOR);
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

  async *items<Content>(kind: ItemKind, after = ''): AsyncGenerator<StoredItem<Content>, void, void> {
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

  #transact(work: (transaction: Transaction) => Promise<void>, actor?: typeof OPERATOR): Promise<void> {
    this.#signal.throwIfAborted();
    return transact(jobOwnerOf({ applicationId: this.applicationId, actor }), work, { timeoutMs: HOUR });
  }

  async #advance(transaction: Transaction, step: string | undefined, cursor: Cursor): Promise<void> {
    const { count } = await transaction.migration.updateMany({
      where: { applicationId: this.applicationId, runId: this.#runId },
      data: { step: step ?? null, cursor, counts: this.counts },
    });
    if (count === 0) throw new MigrationError('another process has taken over this migration');
  }

  async #stageItems(transaction: Transaction, items: Item[]): Promise<void> {
    if (items.length === 0) return;
    // An item may occur twice on a page; the later one counts.
    const rows = new Map(items.map((item) => [`${item.kind} ${item.id}`, item]));
    await transaction.$executeRaw`
      INSERT INTO migrated_items (application_id, kind, id, container, content)
      SELECT ${this.applicationId}::int, g.kind, g.id, coalesce(g.container, ''), g.content
      FROM ${rowsOf('migrated_items', [...rows.values()])} AS g
      ON CONFLICT (application_id, kind, id) DO UPDATE SET container = excluded.container, content = excluded.content`;
  }

  async #stageMessages(transaction: Transaction, messages: SourceMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const rows = new Map(messages.map((message) => [message.id, inSnakeCase(message)]));
    const names = Object.keys(inSnakeCase(messages[0]!));
    const staged = await transaction.$executeRaw`
      INSERT INTO migrated_messages AS k (application_id, ${columnList(names)})
      SELECT ${this.applicationId}::int, ${columnList(names, 'g')}
      FROM ${rowsOf('migrated_messages', [...rows.values()])} WITH ORDINALITY AS g ORDER BY g.ordinality
      ON CONFLICT (application_id, id) DO UPDATE SET ${excluded(names.filter((name) => !FIXED.includes(name)))}
      WHERE k.dialog_id = excluded.dialog_id`;
    if (staged < rows.size) throw new MigrationError('the other server returned one message in two dialogs');
  }

  /** The next run detects changes by the previous state. */
  async #clear(transaction: Transaction, { isCompleted }: { isCompleted: boolean }): Promise<void> {
    const { applicationId } = this;
    await transaction.migratedMessage.deleteMany({ where: { applicationId } });
    await transaction.migratedItem.deleteMany({ where: { applicationId, kind: { notIn: COMPARED } } });
    await transaction.$executeRaw`
      UPDATE migrated_items SET previous = CASE WHEN ${isCompleted} THEN content ELSE previous END, content = NULL
      WHERE application_id = ${applicationId} AND content IS NOT NULL`;
  }
}

/** Kinds of which the next run needs what this one has read. */
const COMPARED: ItemKind[] = ['dialog', 'chat'];

/** Properties of a message that never change. */
const FIXED = ['id', 'dialog_id', 'sender_id', 'recipient_id', 'date_sent', 'created_at'];

/** Clients of a migrated application may rely on the documented behavior. */
async function keepDocumentedBehavior(transaction: Transaction, id: number): Promise<void> {
  await transaction.application.update({ where: { id }, data: { groups: 'self', filesByNumber: 'session' } });
}
