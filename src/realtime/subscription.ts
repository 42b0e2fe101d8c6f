import { setTimeout as delay } from 'node:timers/promises';
import { isDatabaseUnavailable } from '../db/failures.ts';
import { lanes } from '../db/lanes.ts';
import { jobOwnerOf, type UserViewer, type Viewer } from '../lib/access.ts';
import { CursorExpiredError } from '../lib/errors.ts';
import { requireKept } from './cursors.ts';
import { type LiveEvent, LiveQueue } from './live-queue.ts';
import type { StreamRow } from './outbox-reader.ts';

/** One kind of rows, new and edited messages, or all dialog events. */
export type SubscriptionKind =
  | 'messageSent'
  | 'reactionAdded'
  | 'reactionRemoved'
  | 'dialogEvents'
  | 'messageChanges'
  | 'typing'
  | 'typingWithStops'
  | 'signal'
  | 'contactChanged'
  | 'recordChanged';

/** Stored dialog events, which subscribers can catch up on. */
const DIALOG_EVENTS = new Set<StreamRow['kind']>([
  'messageSent',
  'messageEdited',
  'messagesDeleted',
  'messagesMarked',
  'reactionAdded',
  'reactionRemoved',
  'dialogChanged',
  'dialogRemoved',
]);

/** Of rows that are not stored. */
const EPHEMERAL = new Set<SubscriptionKind>(['typing', 'typingWithStops', 'signal']);

export function isEphemeral(kind: SubscriptionKind): boolean {
  return EPHEMERAL.has(kind);
}

const RECORD_EVENTS = new Set<StreamRow['kind']>(['recordCreated', 'recordUpdated', 'recordDeleted']);

export function wants(kind: SubscriptionKind, row: StreamRow): boolean {
  if (kind === 'dialogEvents') return DIALOG_EVENTS.has(row.kind);
  if (kind === 'messageChanges') return row.kind === 'messageSent' || row.kind === 'messageEdited';
  if (kind === 'recordChanged') return RECORD_EVENTS.has(row.kind);
  if (kind === 'typing' || kind === 'typingWithStops')
    return row.kind === 'typing' && (kind === 'typingWithStops' || row.detail?.isTyping !== false);
  return row.kind === kind;
}

export type StreamEvent = LiveEvent<StreamRow>;

export type SubscribingViewer = UserViewer | Extract<Viewer, { kind: 'key' }>;

export interface SubscriptionTarget {
  viewer: SubscribingViewer;
  kind: SubscriptionKind;
  /** Undefined for all current and future dialogs of the viewer. */
  dialogId?: string | undefined;
  /** Records of this class instead; permissions are checked at delivery. */
  classKey?: number;
  filter?: RecordFilter;
  /** Of public groups, which have no list of occupants. Default: in none. */
  isJoined?: (dialogId: string) => boolean;
  /** Whether signals that the viewer sends to other users are included, for the viewer's other connections. */
  includesOwn?: boolean;
}

export interface RecordFilter {
  text: string;
  valueCount: number;
}

const ASK_AGAIN_AFTER = 250;

/** One for all subscriptions, because each literal is an object. */
const NEVER = -1n;

export interface SubscriptionSource {
  /**
   * Reads the next events after a position, up to `upTo`, that the subscriber wants and may receive now.
   * @returns how far they reach, and whether they were read from the database
   */
  readMissed: (
    after: bigint,
    upTo: bigint,
    target: SubscriptionTarget,
  ) => Promise<{ events: StreamEvent[]; reached: bigint; isStored: boolean }>;
  leave: (subscription: Subscription) => void;
}

/**
 * The events of one subscriber in order, each once: first the missed events since a cursor, then live events, which are
 * queued from the start. The hub fills the queue; `return` removes the subscription from the hub.
 *
 * The queue of a record subscription also contains changes that permissions or the filter exclude. If a burst of changes
 * fills it, they become missed events, which are read in steps.
 */
export class Subscription extends LiveQueue<StreamRow> {
  readonly target: SubscriptionTarget;
  readonly startsAfter: bigint;
  /** Of the events that the subscriber has received, or will. */
  lastPosition: bigint;
  readonly #source: SubscriptionSource;
  /** Position up to which missed events have been read; undefined when complete. */
  #missedFrom: bigint | undefined;
  /** Last position read from the outbox; the live queue starts after it. */
  #missedTo: bigint;
  /** A position that must still be stored, after a burst. */
  #burstFrom: bigint | undefined;
  #missed: StreamEvent[] = [];
  #isStored = false;
  #isExpired = false;
  #lostAt = NEVER;

  constructor(
    target: SubscriptionTarget,
    { since, startsAfter }: { since: bigint | undefined; startsAfter: bigint },
    source: SubscriptionSource,
  ) {
    super(source.leave as (queue: LiveQueue<StreamRow>) => void);
    this.target = target;
    this.startsAfter = startsAfter;
    this.lastPosition = startsAfter;
    this.#missedFrom = since !== undefined && since < startsAfter ? since : undefined;
    this.#missedTo = startsAfter;
    this.#source = source;
  }

  override push(event: StreamEvent): void {
    if (event.payload.position > this.lastPosition) this.lastPosition = event.payload.position;
    if (this.#burstFrom === undefined) super.push(event);
    else this.#missedTo = event.payload.position;
  }

  /** The viewer has left a dialog and has no rights to its earlier events. */
  loseRights({ position }: StreamRow): void {
    this.#lostAt = position;
  }

  /** The database has lost events that the subscriber knows: ends with `CURSOR_EXPIRED`. */
  expire(): void {
    this.#isExpired = true;
    this.#missedFrom = undefined;
    this.clear();
    this.signal();
  }

  override isDoubtful({ payload }: StreamEvent): boolean {
    return payload.position < this.#lostAt;
  }

  override takeReady(max: number): StreamEvent[] {
    if (this.#missed.length === 0) return this.hasMissed ? [] : super.takeReady(max);
    const missed = this.#missed.splice(0, max);
    return !this.hasMissed ? [...missed, ...super.takeReady(max - missed.length)] : missed;
  }

  override executeInTurn(execute: () => void, whenDone: () => Promise<unknown>): Promise<unknown> | undefined {
    if (!this.#isStored) return super.executeInTurn(execute, whenDone);
    this.#isStored = this.hasMissed;
    const run = () => {
      execute();
      return whenDone();
    };
    return lanes.catchUpSteps.run(run, jobOwnerOf(this.target.viewer));
  }

  protected override get hasMissed(): boolean {
    return this.#isExpired || this.#missedFrom !== undefined || this.#missed.length > 0;
  }

  protected override async nextMissed(): Promise<StreamEvent | undefined> {
    while (this.#missed.length === 0 && this.#missedFrom !== undefined && this.isOpen) {
      try {
        // Throws instead of skipping events that a very slow reader can no longer read.
        if (this.#burstFrom !== undefined) await requireKept(String(this.#burstFrom), this.target.viewer);
        const { events, reached, isStored } = await this.#source.readMissed(
          this.#missedFrom,
          this.#missedTo,
          this.target,
        );
        this.#isStored = isStored && events.length > 0;
        const isComplete = reached >= this.#missedTo;
        this.#missedFrom = isComplete ? undefined : reached;
        if (this.#burstFrom !== undefined) this.#burstFrom = this.#missedFrom;
        this.#missed = events;
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        await delay(ASK_AGAIN_AFTER, undefined, { ref: false });
      }
    }
    if (this.#isExpired) throw new CursorExpiredError();
    return this.#missed.shift();
  }

  protected override dropQueue({ payload: first }: StreamEvent, { payload: last }: StreamEvent): boolean {
    if (this.target.classKey === undefined) return false;
    super.clear();
    this.#missedFrom ??= first.position - 1n;
    this.#missedTo = last.position;
    this.#burstFrom = first.position;
    return true;
  }

  protected override clear(): void {
    super.clear();
    this.#missed = [];
  }
}
