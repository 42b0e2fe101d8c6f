import { coalesce } from '../db/coalesce.ts';
import { columns } from '../db/columns.ts';
import { query } from '../db/query.ts';
import { jobOwnerOf } from '../lib/access.ts';
import { SECOND } from '../lib/time.ts';
import { catchUpSteps } from './catch-up.ts';
import { LiveEvent } from './live-queue.ts';
import { readMissed, type StreamRow } from './outbox-reader.ts';
import type { StreamEvent, SubscribingViewer } from './subscription.ts';

/** Rows that are kept for whoever comes back soon. */
const MAX_ROWS = 10_000;

/** Rows of one step of catching up. */
const STEP = 500;

/** How long those who catch up at the same time share what they are told. */
const SHARED_FOR_MS = SECOND;

interface ReadRows {
  rows: StreamRow[];
  reached: bigint;
  /** They were read from the database. */
  isStored: boolean;
}

/**
 * The end of the stream in memory: when thousands come back at once with their cursors, the database is not asked by
 * each of them. What a row says of its dialog's occupants is read anew all the same, since it is of the past.
 */
export class RecentEvents {
  #rows: StreamRow[] = [];
  /** Rows up to here are not kept. */
  #begin = 0n;
  #shared = new Map<bigint, StreamEvent>();
  #forget: NodeJS.Timeout | undefined;
  readonly #reads = new Map<string, Promise<Omit<ReadRows, 'isStored'>>>();

  /** Begins anew behind a position. */
  restart(position: bigint): void {
    this.#rows = [];
    this.#begin = position;
  }

  /** Takes the next rows of the stream in, in its order. */
  add(rows: StreamRow[]): void {
    this.#rows.push(...rows);
    this.#forgetChanged(rows);
    if (this.#rows.length < 2 * MAX_ROWS) return;
    const forgotten = this.#rows.splice(0, this.#rows.length - MAX_ROWS);
    this.#begin = forgotten.at(-1)!.position;
  }

  /** Rows behind a position as far as another that the reader has reached, with their dialogs as they are now. */
  async read(viewer: SubscribingViewer, after: bigint, upTo: bigint): Promise<ReadRows> {
    if (after < this.#begin) return this.#readStored(viewer, after, upTo);
    const { applicationId } = viewer;
    const from = this.#indexBehind(after);
    const rows = this.#rows.slice(from, Math.min(from + STEP, this.#indexBehind(upTo)));
    const reached = rows.length === STEP ? rows.at(-1)!.position : upTo;
    const own = rows.filter((row) => row.applicationId === applicationId && isPublished(row));
    const dialogs = await Promise.all(own.map((row) => (row.dialogId === null ? {} : dialogNow(row))));
    return { rows: own.map((row, index) => ({ ...row, ...dialogs[index]! })), reached, isStored: false };
  }

  /** Subscriptions of one viewer that wait for the same rows share a read. */
  async #readStored(viewer: SubscribingViewer, after: bigint, upTo: bigint): Promise<ReadRows> {
    const owner = jobOwnerOf(viewer);
    const key = [...owner, after].join();
    const readUpTo = async () => {
      const rows = await catchUpSteps.run(() => readMissed(viewer.applicationId, after, upTo, STEP), owner);
      return { rows, reached: rows.length === STEP ? rows.at(-1)!.position : upTo };
    };
    const known = this.#reads.get(key);
    const reading = known ?? readUpTo().finally(() => this.#reads.delete(key));
    if (!known) this.#reads.set(key, reading);
    const { rows, reached } = await reading;
    if (reached <= upTo) return { rows, reached, isStored: true };
    return { rows: rows.filter(({ position }) => position <= upTo), reached: upTo, isStored: true };
  }

  /** One event for all who are told of the row within a moment. */
  eventOf(row: StreamRow): StreamEvent {
    const known = this.#shared.get(row.position);
    if (known) return known;
    const event = new LiveEvent(row);
    this.#shared.set(row.position, event);
    this.#forget ??= setTimeout(() => {
      this.#forget = undefined;
      this.#shared = new Map();
    }, SHARED_FOR_MS).unref();
    return event;
  }

  /** Answers that show deleted messages, or records as they were, are shared with nobody who comes later. */
  #forgetChanged(rows: StreamRow[]): void {
    if (this.#shared.size === 0) return;
    const ids = new Set(rows.flatMap(changedIds));
    if (ids.size === 0) return;
    for (const [position, { payload }] of this.#shared) if (ids.has(payload.subjectId)) this.#shared.delete(position);
  }

  /** Of the first row behind a position. */
  #indexBehind(position: bigint): number {
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

/** Of what was shown before and is to be shown no more: deleted, or maybe out of somebody's sight. */
function changedIds({ kind, subjectId, detail }: StreamRow): string[] {
  if (kind === 'messagesDeleted') return detail!.messageIds!;
  return kind === 'recordUpdated' || kind === 'recordDeleted' ? [subjectId] : [];
}

/** Whether subscribers may be told of it. */
function isPublished({ dialogId, classKey }: StreamRow): boolean {
  return dialogId !== null || classKey !== null;
}

type DialogKey = Pick<StreamRow, 'applicationId' | 'dialogId'>;
type DialogNow = Pick<StreamRow, 'dialogType' | 'memberVersion'>;

const DIALOG = columns({
  applicationId: ['int', 'd.application_id'],
  dialogId: ['text', 'd.id'],
  dialogType: ['int', 'd.type'],
  memberVersion: ['int', 'd.member_version'],
});

const dialogNow = coalesce(
  async (wanted: DialogKey[]): Promise<DialogNow[]> => {
    const keyOf = ({ applicationId, dialogId }: DialogKey) => `${applicationId} ${dialogId}`;
    const dialogs = [...new Map(wanted.map((one) => [keyOf(one), one])).values()];
    const rows = await query`
      SELECT ${DIALOG}
      FROM unnest(${dialogs.map((one) => one.applicationId)}::int[], ${dialogs.map((one) => one.dialogId)}::text[])
        AS w (application_id, id)
      JOIN dialogs d USING (application_id, id)`;
    const known = new Map(rows.map((row) => [keyOf(row), row]));
    return wanted.map((one) => {
      const { dialogType, memberVersion } = known.get(keyOf(one)) ?? { dialogType: null, memberVersion: null };
      return { dialogType, memberVersion };
    });
  },
  { max: 10_000 },
);
