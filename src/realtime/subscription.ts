import { setTimeout as delay } from 'node:timers/promises';
import { isDatabaseUnavailable } from '../db/failures.ts';
import { jobOwnerOf, type UserViewer, type Viewer } from '../lib/access.ts';
import { catchUpSteps } from './catch-up.ts';
import { type LiveEvent, LiveQueue } from './live-queue.ts';
import type { StreamRow } from './outbox-reader.ts';

/** What is asked for: one kind of rows, messages that are new or edited, or all that happens in dialogs. */
export type SubscriptionKind =
  | 'messageSent'
  | 'reactionAdded'
  | 'reactionRemoved'
  | 'dialogEvents'
  | 'messageChanges'
  | 'typing'
  | 'recordChanged';

/** What happens in dialogs and is told of again to whoever has missed it. */
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

const RECORD_EVENTS = new Set<StreamRow['kind']>(['recordCreated', 'recordUpdated', 'recordDeleted']);

export function wants(kind: SubscriptionKind, row: StreamRow): boolean {
  if (kind === 'dialogEvents') return DIALOG_EVENTS.has(row.kind);
  if (kind === 'messageChanges') return row.kind === 'messageSent' || row.kind === 'messageEdited';
  if (kind === 'recordChanged') return RECORD_EVENTS.has(row.kind);
  return row.kind === kind;
}

/** Something that happened, in a dialog or to a record. */
export type StreamEvent = LiveEvent<StreamRow>;

export type SubscribingViewer = UserViewer | Extract<Viewer, { kind: 'key' }>;

export interface SubscriptionTarget {
  viewer: SubscribingViewer;
  kind: SubscriptionKind;
  /** One dialog, or undefined for all the viewer may see, also those that come later. */
  dialogId?: string | undefined;
  /** Records of this class instead; whether the viewer may know of each is looked at when it is told. */
  classKey?: number;
  /** Which of those records. */
  filter?: RecordFilter;
}

export interface RecordFilter {
  /** Equal for equal filters. */
  text: string;
  /** Values that it compares with. */
  valueCount: number;
}

/** How soon what was missed is asked for again while the database is away. */
const ASK_AGAIN_AFTER = 250;

/** Where a watch finds what it has missed. */
export interface MissedEvents {
  /**
   * The next of the stream's events behind a position, as far as `upTo`: those the watcher wants and may know of now.
   * @returns how far they reach, and whether they were read from the database
   */
  read: (
    after: bigint,
    upTo: bigint,
    target: SubscriptionTarget,
  ) => Promise<{ events: StreamEvent[]; reached: bigint; isStored: boolean }>;
}

/**
 * One subscriber's events in order, each once: first those missed since a cursor, then the live ones, which wait in
 * a queue from the moment of joining. The hub fills it; leaving it (`return`) tells the hub.
 */
export class Subscription extends LiveQueue<StreamRow> {
  readonly target: SubscriptionTarget;
  /** Live events begin behind this position. */
  readonly startsAfter: bigint;
  readonly #missedEvents: MissedEvents;
  /** How far the missed events have been read; undefined: all of them. */
  #missedFrom: bigint | undefined;
  #missed: StreamEvent[] = [];
  /** The missed events were read from the database. */
  #isStored = false;
  #lostAt = -1n;

  constructor(
    target: SubscriptionTarget,
    { since, startsAfter }: { since: bigint | undefined; startsAfter: bigint },
    missedEvents: MissedEvents,
    leave: (subscription: Subscription) => void,
  ) {
    super(() => leave(this));
    this.target = target;
    this.startsAfter = startsAfter;
    this.#missedFrom = since !== undefined && since < startsAfter ? since : undefined;
    this.#missedEvents = missedEvents;
  }

  /** The watcher is out of a dialog: what was there before is theirs no more. */
  loseRights({ position }: StreamRow): void {
    this.#lostAt = position;
  }

  override isDoubtful({ payload }: StreamEvent): boolean {
    return payload.position < this.#lostAt;
  }

  /** Live ones only follow once all that was missed is through. */
  override takeReady(max: number): StreamEvent[] {
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
    return catchUpSteps.run(run, jobOwnerOf(this.target.viewer));
  }

  protected override get hasMissed(): boolean {
    return this.#missedFrom !== undefined || this.#missed.length > 0;
  }

  protected override async nextMissed(): Promise<StreamEvent | undefined> {
    while (this.#missed.length === 0 && this.#missedFrom !== undefined && this.isOpen) {
      try {
        const { events, reached, isStored } = await this.#missedEvents.read(
          this.#missedFrom,
          this.startsAfter,
          this.target,
        );
        this.#isStored = isStored && events.length > 0;
        this.#missedFrom = reached < this.startsAfter ? reached : undefined;
        this.#missed = events;
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        await delay(ASK_AGAIN_AFTER, undefined, { ref: false });
      }
    }
    return this.#missed.shift();
  }

  protected override clear(): void {
    super.clear();
    this.#missed = [];
  }
}
