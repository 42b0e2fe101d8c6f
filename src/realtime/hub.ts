import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { inThisShard, requireHere } from '../db/shards.ts';
import { onNewTimeline, timelineChanges } from '../db/timeline.ts';
import type { KnownViewer } from '../lib/access.ts';
import { InOrder } from '../lib/in-order.ts';
import { SECOND } from '../lib/time.ts';
import { detached } from '../platform/observability/tracing.ts';
import type { Bus } from './bus.ts';
import { CLOCK, type Clock } from './clock.ts';
import { type CredentialListener, CredentialListeners, credentialTopics } from './credential-topics.ts';
import { requireKept } from './cursors.ts';
import type { Outbox } from './outbox.ts';
import { endOfStream, GAP_RETRY_MS, lastKept, OutboxReader, type StreamRow } from './outbox-reader.ts';
import { RecentEvents } from './recent-events.ts';
import { RecipientResolver } from './recipients.ts';
import type { RecordClass } from './record-filters.ts';
import { type StreamEvent, Subscription, type SubscriptionSource, type SubscriptionTarget } from './subscription.ts';
import { SubscriptionRegistry } from './subscription-registry.ts';
import { TypingStops } from './typing-stops.ts';

/** Polling interval, because wake-up signals can be lost (for example when the sender is killed after its commit). */
const POLL_INTERVAL_MS = SECOND;

/** Maximum wait for transactions in flight when a caller needs all committed events. */
const BACKLOG_TIMEOUT_MS = SECOND;

const MAX_STEPS = 20;

const EPHEMERAL = 'ephemeral';

export interface Changes {
  events: StreamEvent[];
  /** Position up to which the events are complete. */
  position: bigint;
  hasMore: boolean;
}

/**
 * The only reader of the outbox in this process. It wakes when the outbox has grown and delivers each row, in order, to
 * the subscriptions that want it and may receive it. It reads only while there are listeners.
 */
export class Hub {
  readonly #outbox: Outbox;
  readonly #bus: Bus;
  readonly #log: Logger;
  /** Replaced when listeners return after there were none. */
  #reader = new OutboxReader();
  #recipients = new RecipientResolver();
  readonly #recent = new RecentEvents();
  readonly #subscriptions = new SubscriptionRegistry();
  /** An application that has moved has other positions. */
  readonly #requireHere = inThisShard(requireHere);
  readonly #credentials = new CredentialListeners();
  readonly #typingStops: TypingStops;
  /** Of the events that are not stored. */
  readonly #inOrder = new InOrder();
  /** Incremented whenever a user may have lost rights in a dialog. */
  removals = 0;
  /** Last position read. */
  #horizon = 0n;
  #undelivered: StreamRow[] = [];
  /** Subscriptions of an earlier timeline, which may have received events that this one lacks. */
  #doubtful: Subscription[] = [];
  #listeners = 0;
  /** One for all subscriptions, because there are tens of thousands. */
  readonly #ofSubscription: SubscriptionSource = {
    readMissed: (after, upTo, target) => this.#readMissed(after, upTo, target),
    leave: (left) => {
      if (this.#subscriptions.delete(left)) this.#listeners--;
    },
  };
  #started: Promise<void> | undefined;
  #isBegun = false;
  #isReading = false;
  #isWanted = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #ignoreTimelines = () => {};

  constructor(outbox: Outbox, bus: Bus, log: Logger, clock: Clock = CLOCK) {
    this.#typingStops = new TypingStops(clock, (stop) => this.#receive(stop));
    this.#outbox = outbox;
    this.#bus = bus;
    this.#log = log;
  }

  start(): void {
    this.#outbox.onWake(() => this.#look());
    this.#bus.on(EPHEMERAL, (row) => this.#receive({ ...(row as StreamRow), position: -1n }));
    this.#timer = setInterval(() => this.#look(), POLL_INTERVAL_MS).unref();
    this.#ignoreTimelines = onNewTimeline(() => this.#beginTimeline());
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#typingStops.stop();
    this.#ignoreTimelines();
  }

  endSubscriptions(): void {
    for (const subscribe of [...this.#subscriptions]) void subscribe.return();
  }

  get subscriptionCount(): number {
    return this.#subscriptions.size;
  }

  /** The last position read; undefined without listeners, because the hub does not read then. */
  get readUpTo(): bigint | undefined {
    return this.#listeners === 0 ? undefined : this.#horizon;
  }

  /** One for each outbox. */
  get positions(): (bigint | undefined)[] {
    return [this.readUpTo];
  }

  /**
   * Adds a subscription. It receives all later events, and earlier ones only after the cursor.
   * @throws {BadInputError} malformed cursor, or too many values in the filters of the caller's record subscriptions
   * @throws {CursorExpiredError}
   */
  async subscribe(target: SubscriptionTarget, cursor: string | undefined): Promise<Subscription> {
    const since = cursor === undefined ? undefined : await requireKept(cursor, target.viewer);
    const timeline = timelineChanges();
    await this.#retain();
    await this.#recheck(target, since, timeline).catch((error) => {
      this.#listeners--;
      throw error;
    });
    // The cursor may come from a process that has read further than this one.
    const startsAfter = since !== undefined && since > this.#horizon ? since : this.#horizon;
    const subscription = new Subscription(target, { since, startsAfter }, this.#ofSubscription);
    try {
      this.#subscriptions.add(subscription);
    } catch (error) {
      this.#listeners--;
      throw error;
    }
    await this.#requireHere(target.viewer.applicationId).catch(async (error) => {
      await subscription.return();
      throw error;
    });
    return subscription;
  }

  hasRecordFilter(recordClass: RecordClass, text: string): boolean {
    return this.#subscriptions.hasRecordFilter(recordClass, text);
  }

  /** Does not wait for events. Without a cursor it returns only the current position. @throws {CursorExpiredError} */
  async changes(target: SubscriptionTarget, cursor: string | undefined, most: number): Promise<Changes> {
    const since = cursor === undefined ? undefined : await requireKept(cursor, target.viewer);
    const timeline = timelineChanges();
    await this.#retain();
    try {
      const end = await this.#reach();
      const events: StreamEvent[] = [];
      let position = since ?? end;
      for (let steps = 0; position < end && events.length < most && steps < MAX_STEPS; steps++) {
        const step = await this.#readMissed(position, end, target);
        events.push(...step.events);
        position = step.reached;
      }
      await this.#recheck(target, since, timeline);
      await this.#requireHere(target.viewer.applicationId);
      const rest = events.splice(most);
      if (rest.length > 0) position = events.at(-1)!.payload.position;
      return { events, position, hasMore: position < end };
    } finally {
      this.#listeners--;
    }
  }

  /** Broadcasts an event that is not stored to all processes, in the order of the calls for each acting user. */
  broadcast(row: Omit<StreamRow, 'position'>): void {
    this.#bus.publish(EPHEMERAL, row);
    this.#receive({ ...row, position: -1n });
  }

  /**
   * Notifies when the credentials of the viewer may have ended or changed in any process, or the application has moved
   * to another database, whose hub continues. The listener must check whether credentials are still valid, because the
   * event may be older than they are. @returns stops listening
   */
  async onCredentialsChanged(viewer: KnownViewer, listener: CredentialListener): Promise<() => void> {
    await this.#retain();
    for (const topic of credentialTopics(viewer)) this.#credentials.add(topic, listener);
    if ('applicationId' in viewer)
      await this.#requireHere(viewer.applicationId).catch(() => listener.applicationMoved());
    let isListening = true;
    return () => {
      for (const topic of credentialTopics(viewer)) this.#credentials.delete(topic, listener);
      if (isListening) this.#listeners--;
      isListening = false;
    };
  }

  /** A new timeline may have begun since the cursor was checked. */
  async #recheck({ viewer }: SubscriptionTarget, cursor: bigint | undefined, timeline: number): Promise<void> {
    if (cursor !== undefined && timeline !== timelineChanges()) await requireKept(String(cursor), viewer);
  }

  async #retain(): Promise<void> {
    this.#listeners++;
    if (this.#listeners === 1) this.#started = undefined;
    this.#started ??= this.#begin();
    const started = this.#started;
    try {
      await started;
    } catch (error) {
      this.#listeners--;
      // A later caller may already have restarted.
      if (this.#started === started) this.#started = undefined;
      throw error;
    }
  }

  async #begin(): Promise<void> {
    const reader = new OutboxReader();
    this.#isBegun = false;
    this.#reader = reader;
    await reader.start();
    this.#isBegun = true;
    this.#continue(reader);
  }

  /** Forgets what was read from the outbox. */
  #continue(reader: OutboxReader): void {
    this.#reader = reader;
    this.#undelivered = [];
    this.#horizon = reader.horizon;
    this.#recent.restart(this.#horizon);
    // Versions of occupants may be assigned again.
    this.#recipients = new RecipientResolver();
    this.removals++;
  }

  /** Reads undelivered rows again, because the new timeline may lack them. */
  #beginTimeline(): void {
    if (!this.#isBegun) return;
    this.#doubtful = [...this.#subscriptions];
    const reader = new OutboxReader();
    const [undelivered] = this.#undelivered;
    reader.horizon = undelivered ? undelivered.position - 1n : this.#horizon;
    this.#continue(reader);
    this.#look();
  }

  /** Ends subscriptions whose cursor is not stored. */
  async #expireLost(): Promise<void> {
    const doubtful = this.#doubtful;
    if (doubtful.length === 0) return;
    let last = 0n;
    for (const { lastPosition } of doubtful) if (lastPosition > last) last = lastPosition;
    const kept = await lastKept(last);
    if (doubtful !== this.#doubtful) return;
    this.#doubtful = [];
    for (const subscription of doubtful) if (subscription.lastPosition > kept) subscription.expire();
  }

  /** Waits for all events committed before the call, at most one second. */
  async #reach(): Promise<bigint> {
    const end = await endOfStream();
    const deadline = performance.now() + BACKLOG_TIMEOUT_MS;
    while (this.#horizon < end && performance.now() < deadline) {
      this.#look();
      await delay(GAP_RETRY_MS);
    }
    return this.#horizon;
  }

  async #readMissed(after: bigint, upTo: bigint, target: SubscriptionTarget) {
    const { rows, ...read } = await this.#recent.read(target.viewer, after, upTo);
    const known = await this.#recipients.confine(rows, target);
    await this.#requireHere(target.viewer.applicationId);
    return { events: known.map((row) => this.#recent.eventOf(row)), ...read };
  }

  /** Woken by any caller, but reads only its own outbox. */
  readonly #look = inThisShard((): void => {
    this.#isWanted = true;
    if (this.#isReading || this.#listeners === 0 || this.#isStopped) return;
    this.#isReading = true;
    void detached(() => this.#readAll()).finally(() => {
      this.#isReading = false;
    });
  });

  async #readAll(): Promise<void> {
    try {
      await this.#started;
      await this.#dispatch();
      while (this.#isWanted && this.#listeners > 0 && !this.#isStopped) {
        this.#isWanted = false;
        await this.#started;
        await this.#expireLost();
        const reader = this.#reader;
        const { rows, isBehind } = await reader.read();
        if (reader !== this.#reader) {
          // All listeners left in the meantime; new listeners start with the new reader.
          this.#isWanted = true;
          continue;
        }
        // Synchronously, so that a new subscriber finds each row either here or among the undelivered ones.
        this.#recent.add(rows);
        this.#horizon = reader.horizon;
        if (rows.some((row) => row.kind === 'dialogRemoved')) this.removals++;
        // Its events are stored before those in memory.
        if (rows.some((row) => row.kind === 'applicationMoved')) this.#recent.restart(this.#horizon);
        this.#undelivered.push(...rows);
        await this.#dispatch();
        if (isBehind === 'gap') await delay(GAP_RETRY_MS);
        if (isBehind !== 'no') this.#isWanted = true;
      }
    } catch (error) {
      if (!this.#isStopped)
        this.#log.warn(
          { err: error },
          'the outbox could not be read; live events are delayed, retrying within a second',
        );
    }
  }

  /** Delivers the rows read; a failure is retried with the next wake-up. */
  async #dispatch(): Promise<void> {
    const rows = this.#undelivered;
    if (rows.length === 0) return;
    const recipients = await this.#recipients.of(rows.filter((row) => this.#subscriptions.mayWant(row)));
    if (rows !== this.#undelivered) return; // they are read again from a new timeline
    this.#undelivered = this.#undelivered.slice(rows.length);
    for (const row of rows) {
      this.#credentials.notify(row);
      if (this.#subscriptions.mayWant(row)) this.#subscriptions.deliver(row, recipients(row));
    }
  }

  #receive(row: StreamRow): void {
    if (!this.#subscriptions.wantNow(row)) return;
    if (row.kind === 'typing') this.#typingStops.note(row);
    const deliver = async () => {
      const recipients = await this.#recipients.of([row]);
      this.#subscriptions.deliver(row, recipients(row));
    };
    this.#inOrder.run(`${row.applicationId}:${row.userId}`, deliver).catch((error) => {
      this.#log.warn({ err: error }, 'a typing event or signal was dropped');
    });
  }
}
