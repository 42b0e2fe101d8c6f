import type { UserViewer, Viewer } from '../lib/access.ts';
import { readMissed, type StreamRow } from './outbox-reader.ts';

/** Kinds of rows that subscriptions tell of. */
export type WatchedKind = 'messageSent' | 'reactionAdded' | 'reactionRemoved';

/** What happened, as a subscription's payload begins with it. */
export class LiveEvent {
  readonly row: StreamRow;
  #results = new Map<string, unknown>();

  constructor(row: StreamRow) {
    this.row = row;
  }

  /** Computes once for all who share the key: a thousand subscribers of one document cost one execution. */
  once<Result>(key: string, compute: () => Result): Result {
    let result = this.#results.get(key) as Result | undefined;
    if (result === undefined) {
      result = compute();
      this.#results.set(key, result);
    }
    return result;
  }
}

export type WatchingViewer = UserViewer | Extract<Viewer, { kind: 'key' }>;

export interface WatchedDialogs {
  viewer: WatchingViewer;
  kind: WatchedKind;
  /** One dialog, or undefined for all the viewer may see, also those that come later. */
  dialogId: string | undefined;
}

/** Events that may wait for a reader who does not keep up, before the reader is given up. */
const MAX_WAITING = 1_000;

/** Rows of one step of catching up. */
const MISSED_BATCH = 200;

/** A reader fell too far behind; it may come back with its last cursor. */
export class TooSlowError extends Error {}

/**
 * One subscriber's events in order, each once: first those missed since a cursor, then the live ones, which wait in
 * a queue from the moment of joining. The hub fills it; leaving it (`return`) tells the hub.
 */
export class Watch implements AsyncIterableIterator<LiveEvent> {
  readonly watched: WatchedDialogs;
  /** Live events begin behind this position; set when the hub takes the watch in. */
  startsAfter = 0n;
  /** The reader was given up for being too slow. */
  onTooSlow: (() => void) | undefined;
  readonly #mayPass: (rows: StreamRow[], watched: WatchedDialogs) => Promise<StreamRow[]>;
  readonly #leave: (watch: Watch) => void;
  #missedFrom: bigint | undefined;
  #missed: LiveEvent[] = [];
  #queue: LiveEvent[] = [];
  #wake: (() => void) | undefined;
  #end: 'open' | 'done' | 'too slow' = 'open';

  constructor(
    watched: WatchedDialogs,
    since: bigint | undefined,
    mayPass: (rows: StreamRow[], watched: WatchedDialogs) => Promise<StreamRow[]>,
    leave: (watch: Watch) => void,
  ) {
    this.watched = watched;
    this.#missedFrom = since;
    this.#mayPass = mayPass;
    this.#leave = leave;
  }

  /** The hub's side: a live event that this subscriber may know of. */
  push(event: LiveEvent): void {
    if (this.#end !== 'open') return;
    if (this.#queue.length >= MAX_WAITING) {
      this.#giveUp();
    } else {
      this.#queue.push(event);
      this.#wake?.();
    }
  }

  /** Events that can be had without waiting, at most so many. */
  takeReady(max: number): LiveEvent[] {
    const missed = this.#missed.splice(0, max);
    // Live ones only follow once all that was missed is through.
    return this.#missedFrom === undefined && this.#missed.length === 0
      ? [...missed, ...this.#queue.splice(0, max - missed.length)]
      : missed;
  }

  async next(): Promise<IteratorResult<LiveEvent, undefined>> {
    while (this.#end === 'open') {
      const event = this.#missed.shift();
      if (event) return { value: event, done: false };
      if (this.#missedFrom !== undefined) {
        await this.#catchUp(this.#missedFrom);
        continue;
      }
      const live = this.#queue.shift();
      if (live) return { value: live, done: false };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    if (this.#end === 'too slow') throw new TooSlowError('The subscriber does not keep up');
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<LiveEvent, undefined>> {
    this.#close('done');
    return { value: undefined, done: true };
  }

  async throw(error: unknown): Promise<never> {
    this.#close('done');
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #catchUp(from: bigint): Promise<void> {
    const rows = await readMissed(from, this.startsAfter, MISSED_BATCH);
    this.#missedFrom = rows.length === MISSED_BATCH ? rows.at(-1)!.position : undefined;
    const { kind, dialogId, viewer } = this.watched;
    const wanted = rows.filter(
      (row) =>
        row.kind === kind &&
        row.applicationId === viewer.applicationId &&
        (dialogId === undefined || row.dialogId === dialogId),
    );
    this.#missed = (await this.#mayPass(wanted, this.watched)).map((row) => new LiveEvent(row));
  }

  #giveUp(): void {
    this.#close('too slow');
    this.onTooSlow?.();
  }

  #close(end: 'done' | 'too slow'): void {
    if (this.#end !== 'open') return;
    this.#end = end;
    this.#queue = [];
    this.#missed = [];
    this.#leave(this);
    this.#wake?.();
  }
}
