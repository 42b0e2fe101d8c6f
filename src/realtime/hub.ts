import type { Logger } from 'pino';
import type { IdentifiedViewer } from '../lib/access.ts';
import { addTo, removeFrom } from '../lib/collections.ts';
import { SECOND } from '../lib/time.ts';
import { detached } from '../server/observability/tracing.ts';
import type { Bus } from './bus.ts';
import { credentialTopic, credentialTopics } from './credential-topics.ts';
import type { Outbox } from './outbox.ts';
import { endOfStream, GAP_RETRY_MS, OutboxReader, type StreamRow } from './outbox-reader.ts';
import { RecentEvents } from './recent-events.ts';
import { RecipientResolver } from './recipients.ts';
import type { RecordClass } from './record-filters.ts';
import { type StreamEvent, Subscription, type SubscriptionTarget } from './subscription.ts';
import { SubscriptionRegistry } from './subscriptions.ts';

/** What wakes a process can be lost (its sender killed after the commit, say): then the stream is looked at after this. */
const POLL_INTERVAL_MS = SECOND;

/** How long somebody who wants all that is committed waits for transactions that hold the stream up. */
const BACKLOG_TIMEOUT_MS = SECOND;

/** Steps of catching up in one call; who asks again goes on from there. */
const MAX_STEPS = 20;

/** The topic of what is told past the stream. */
const TYPING = 'typing';

/** What has happened behind a cursor. */
export interface Changes {
  events: StreamEvent[];
  /** How far they reach. */
  position: bigint;
  hasMore: boolean;
}

/**
 * The one reader of the stream in this process. It wakes when the stream has grown, finds for each row the watches that
 * want it and may know of it, and hands it to them in order. It reads only while somebody listens.
 */
export class Hub {
  readonly #outbox: Outbox;
  readonly #bus: Bus;
  readonly #log: Logger;
  /** Another one whenever somebody listens again after nobody did. */
  #reader = new OutboxReader();
  readonly #recipients = new RecipientResolver();
  readonly #recent = new RecentEvents();
  readonly #subscriptions = new SubscriptionRegistry();
  /** Who has to look at their credentials again, by what the credentials depend on. */
  readonly #credentials = new Map<string, Set<() => void>>();
  /** Grows whenever somebody may have lost their rights in a dialog. */
  removals = 0;
  /** Rows up to here are kept among the recent ones, and given to the watches that were there. */
  #horizon = 0n;
  /** Rows that have been read and not been given to the watches. */
  #undelivered: StreamRow[] = [];
  #listeners = 0;
  #started: Promise<void> | undefined;
  #isDraining = false;
  #isWanted = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(outbox: Outbox, bus: Bus, log: Logger) {
    this.#outbox = outbox;
    this.#bus = bus;
    this.#log = log;
  }

  start(): void {
    this.#outbox.onWake(() => this.#look());
    this.#bus.on(TYPING, (row) => void this.#receive({ ...(row as StreamRow), position: -1n }));
    this.#timer = setInterval(() => this.#look(), POLL_INTERVAL_MS).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  /** Ends every watch in good order, so that nothing keeps its connection open. */
  endSubscriptions(): void {
    for (const subscribe of [...this.#subscriptions]) void subscribe.return();
  }

  /** Watches that are open. */
  get subscriptionCount(): number {
    return this.#subscriptions.size;
  }

  /** How far the stream has been read; undefined while nobody listens, so that it is not read. */
  get readUpTo(): bigint | undefined {
    return this.#listeners === 0 ? undefined : this.#horizon;
  }

  /**
   * Takes a watch in. What happened before is delivered only behind `since`; from here on nothing is missed.
   * @throws {BadInputError} too many values in the filters of the caller's record subscriptions
   */
  async subscribe(target: SubscriptionTarget, since: bigint | undefined): Promise<Subscription> {
    await this.#retain();
    // A cursor from another process may be ahead of what this one has read.
    const startsAfter = since !== undefined && since > this.#horizon ? since : this.#horizon;
    const missed = { read: this.#readMissed.bind(this) };
    const subscription = new Subscription(target, { since, startsAfter }, missed, (left) => {
      if (this.#subscriptions.delete(left)) this.#listeners--;
    });
    try {
      this.#subscriptions.add(subscription);
    } catch (error) {
      this.#listeners--;
      throw error;
    }
    return subscription;
  }

  /** Whether an open watch of the records of a class has this filter. */
  hasRecordFilter(recordClass: RecordClass, text: string): boolean {
    return this.#subscriptions.hasRecordFilter(recordClass, text);
  }

  /** What a watch would be told of, without waiting for more. Without `since`: nothing but the place to go on from. */
  async changes(target: SubscriptionTarget, since: bigint | undefined, most: number): Promise<Changes> {
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
      const rest = events.splice(most);
      if (rest.length > 0) position = events.at(-1)!.payload.position;
      return { events, position, hasMore: position < end };
    } finally {
      this.#listeners--;
    }
  }

  /** Tells of something that nobody is told of later, on all processes. */
  broadcast(row: Omit<StreamRow, 'position'>): void {
    this.#bus.publish(TYPING, row);
    void this.#receive({ ...row, position: -1n });
  }

  /**
   * Calls back when the viewer's credentials may have ended or changed, on whatever process: whether they still hold
   * is for the caller to ask, as what happened may lie before they were opened. @returns stops listening
   */
  async onCredentialsChanged(viewer: IdentifiedViewer, callback: () => void): Promise<() => void> {
    await this.#retain();
    const topics = credentialTopics(viewer);
    for (const topic of topics) addTo(this.#credentials, topic, callback);
    let isListening = true;
    return () => {
      for (const topic of topics) removeFrom(this.#credentials, topic, callback);
      if (isListening) this.#listeners--;
      isListening = false;
    };
  }

  /** The first listener makes the reader start at the end of the stream. */
  async #retain(): Promise<void> {
    this.#listeners++;
    if (this.#listeners === 1) this.#started = undefined;
    this.#started ??= this.#begin();
    const started = this.#started;
    try {
      await started;
    } catch (error) {
      this.#listeners--;
      // Who came a moment later may have begun anew already.
      if (this.#started === started) this.#started = undefined;
      throw error;
    }
  }

  async #begin(): Promise<void> {
    const reader = new OutboxReader();
    this.#reader = reader;
    await reader.start();
    this.#undelivered = [];
    this.#horizon = reader.horizon;
    this.#recent.restart(this.#horizon);
    this.removals++;
  }

  /** Reads on until everything is read that was committed before the call, or for a moment. */
  async #reach(): Promise<bigint> {
    const end = await endOfStream();
    const deadline = performance.now() + BACKLOG_TIMEOUT_MS;
    while (this.#horizon < end && performance.now() < deadline) {
      this.#look();
      await new Promise((resolve) => setTimeout(resolve, GAP_RETRY_MS));
    }
    return this.#horizon;
  }

  async #readMissed(after: bigint, upTo: bigint, target: SubscriptionTarget) {
    const { rows, ...read } = await this.#recent.read(target.viewer, after, upTo);
    const known = await this.#recipients.confine(rows, target);
    return { events: known.map((row) => this.#recent.eventOf(row)), ...read };
  }

  #look(): void {
    this.#isWanted = true;
    if (this.#isDraining || this.#listeners === 0 || this.#isStopped) return;
    this.#isDraining = true;
    void detached(() => this.#drain()).finally(() => {
      this.#isDraining = false;
    });
  }

  async #drain(): Promise<void> {
    try {
      await this.#started;
      await this.#dispatch();
      while (this.#isWanted && this.#listeners > 0 && !this.#isStopped) {
        this.#isWanted = false;
        await this.#started;
        const reader = this.#reader;
        const { rows, isBehind } = await reader.read();
        if (reader !== this.#reader) {
          // Everybody has left meanwhile, and who has come since begins where the new reader does.
          this.#isWanted = true;
          continue;
        }
        // At once, so that whoever comes now finds each row either here or among what is still delivered.
        this.#recent.add(rows);
        this.#horizon = reader.horizon;
        if (rows.some((row) => row.kind === 'dialogRemoved')) this.removals++;
        this.#undelivered.push(...rows);
        await this.#dispatch();
        if (isBehind === 'gap') await new Promise((resolve) => setTimeout(resolve, GAP_RETRY_MS));
        if (isBehind !== 'no') this.#isWanted = true;
      }
    } catch (error) {
      if (!this.#isStopped) this.#log.warn({ err: error }, 'the event stream could not be read; trying again');
    }
  }

  /** Gives what has been read to the watches; what fails is tried again with the next look. */
  async #dispatch(): Promise<void> {
    const rows = this.#undelivered;
    if (rows.length === 0) return;
    const recipients = await this.#recipients.of(rows.filter((row) => this.#subscriptions.mayWant(row)));
    this.#undelivered = this.#undelivered.slice(rows.length);
    for (const row of rows) {
      for (const callback of this.#credentials.get(credentialTopic(row)) ?? []) callback();
      if (this.#subscriptions.mayWant(row)) this.#subscriptions.deliver(row, recipients(row));
    }
  }

  async #receive(row: StreamRow): Promise<void> {
    if (!this.#subscriptions.wantOfDialog(row)) return;
    try {
      const recipients = await this.#recipients.of([row]);
      this.#subscriptions.deliver(row, recipients(row));
    } catch (error) {
      this.#log.warn({ err: error }, 'nobody could be told who is typing');
    }
  }
}
