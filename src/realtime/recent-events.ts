import { applicationOf, coalesce } from '../db/coalesce.ts';
import { columns } from '../db/columns.ts';
import { lanes } from '../db/lanes.ts';
import { query } from '../db/query.ts';
import { inThisShard } from '../db/shards.ts';
import { jobOwnerOf } from '../lib/access.ts';
import { SECOND } from '../lib/time.ts';
import { LiveEvent } from './live-queue.ts';
import { readMissed, readRange, type StreamRow } from './outbox-reader.ts';
import type { StreamEvent, SubscribingViewer } from './subscription.ts';

const MAX_ROWS = 10_000;

const STEP = 500;

/** Time during which subscribers that catch up share results. */
const SHARED_FOR_MS = SECOND;

interface ReadRows {
  rows: StreamRow[];
  reached: bigint;
  isStored: boolean;
}

/**
 * The end of the outbox in memory, so that thousands of reconnecting clients do not query the database for rows.
 * Dialogs are read again, because the stored versions of their occupants are outdated.
 */
export class RecentEvents {
  #rows: StreamRow[] = [];
  #begin = 0n;
  #shared = new Map<bigint, StreamEvent>();
  #forget: NodeJS.Timeout | undefined;
  /** Reads the rows from before the start. */
  #filling: Promise<void> | undefined;
  readonly #reads = new Map<string, Promise<Omit<ReadRows, 'isStored'>>>();

  restart(position: bigint): void {
    this.#rows = [];
    this.#begin = position;
    this.#filling = undefined;
  }

  add(rows: StreamRow[]): void {
    this.#rows.push(...rows);
    this.#forgetChanged(rows);
    if (this.#rows.length < 2 * MAX_ROWS) return;
    const forgotten = this.#rows.splice(0, this.#rows.length - MAX_ROWS);
    this.#begin = forgotten.at(-1)!.position;
  }

  /**
   * Rows with `after` < position <= `upTo`, with the current state of their dialogs; `upTo` must have been read by the
   * hub.
   */
  async read(viewer: SubscribingViewer, after: bigint, upTo: bigint): Promise<ReadRows> {
    if (after < this.#begin) {
      this.#filling ??= this.#fill();
      await this.#filling;
    }
    if (after < this.#begin) return this.#readStored(viewer, after, upTo);
    const { applicationId } = viewer;
    const from = this.#indexAfter(after);
    const rows = this.#rows.slice(from, Math.min(from + STEP, this.#indexAfter(upTo)));
    const reached = rows.length === STEP ? rows.at(-1)!.position : upTo;
    const own = rows.filter((row) => row.applicationId === applicationId && isPublished(row));
    const dialogs = await Promise.all(own.map((row) => (row.dialogId === null ? {} : dialogNow(row))));
    return { rows: own.map((row, index) => ({ ...row, ...dialogs[index]! })), reached, isStored: false };
  }

  /** Once after a start, when all clients of a process that was killed reconnect with cursors from before. */
  readonly #fill = inThisShard(async (): Promise<void> => {
    const upTo = this.#begin;
    const after = upTo > MAX_ROWS ? upTo - BigInt(MAX_ROWS) : 0n;
    try {
      const rows = await lanes.catchUpSteps.run(() => readRange(after, upTo), [], { isRefusable: false });
      if (this.#begin !== upTo) return; // restarted, or later rows have displaced these
      this.#rows = [...rows, ...this.#rows];
      this.#begin = after;
    } catch (error) {
      this.#filling = undefined;
      throw error;
    }
  });

  /** Concurrent subscriptions of one viewer share a read. */
  async #readStored(viewer: SubscribingViewer, after: bigint, upTo: bigint): Promise<ReadRows> {
    const owner = jobOwnerOf(viewer);
    const key = [...owner, after].join();
    const readUpTo = async () => {
      const rows = await lanes.catchUpSteps.run(() => readMissed(viewer.applicationId, after, upTo, STEP), owner);
      return { rows, reached: rows.length === STEP ? rows.at(-1)!.position : upTo };
    };
    const cached = this.#reads.get(key);
    const reading = cached ?? readUpTo().finally(() => this.#reads.delete(key));
    if (!cached) this.#reads.set(key, reading);
    const { rows, reached } = await reading;
    if (reached <= upTo) return { rows, reached, isStored: true };
    return { rows: rows.filter(({ position }) => position <= upTo), reached: upTo, isStored: true };
  }

  /** Shares one event among all subscribers that catch up within a second. */
  eventOf(row: StreamRow): StreamEvent {
    const cached = this.#shared.get(row.position);
    if (cached) return cached;
    const event = new LiveEvent(row);
    this.#shared.set(row.position, event);
    this.#forget ??= setTimeout(() => {
      this.#forget = undefined;
      this.#shared = new Map();
    }, SHARED_FOR_MS).unref();
    return event;
  }

  /** Drops shared results that contain deleted messages or earlier states of records. */
  #forgetChanged(rows: StreamRow[]): void {
    if (this.#shared.size === 0) return;
    const ids = new Set(rows.flatMap(changedIds));
    if (ids.size === 0) return;
    for (const [position, { payload }] of this.#shared) if (ids.has(payload.subjectId)) this.#shared.delete(position);
  }

  #indexAfter(position: bigint): number {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#rows[middle]!.position <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Ids of deleted messages, and of records that some users may no longer see. */
function changedIds({ kind, subjectId, detail }: StreamRow): string[] {
  if (kind === 'messagesDeleted') return detail!.messageIds!;
  return kind === 'recordUpdated' || kind === 'recordDeleted' ? [subjectId] : [];
}

function isPublished({ kind, dialogId, classKey }: StreamRow): boolean {
  return dialogId !== null || classKey !== null || kind === 'contactChanged';
}

type DialogKey = Pick<StreamRow, 'applicationId' | 'dialogId'>;
type DialogNow = Pick<StreamRow, 'dialogType' | 'memberVersion'>;

const DIALOG = columns({
  dialogId: ['text', 'd.id'],
  dialogType: ['int', 'd.type'],
  memberVersion: ['int', 'd.member_version'],
});

const dialogNow = coalesce(
  async (wanted: DialogKey[], applicationId: number): Promise<DialogNow[]> => {
    const ids = [...new Set(wanted.map(({ dialogId }) => dialogId))];
    const rows = await query`
      SELECT ${DIALOG} FROM dialogs d WHERE d.application_id = ${applicationId} AND d.id = ANY(${ids}::text[])`;
    const known = new Map<string | null, DialogNow>(rows.map(({ dialogId, ...dialog }) => [dialogId, dialog]));
    return wanted.map(({ dialogId }) => known.get(dialogId) ?? { dialogType: null, memberVersion: null });
  },
  { max: 10_000, applicationOf },
);
