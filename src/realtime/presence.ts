import { randomUUID } from 'node:crypto';
import type { UserViewer } from '../lib/access.ts';
import { SECOND } from '../lib/time.ts';
import type { Bus } from './bus.ts';
import { CLOCK, type Clock } from './clock.ts';
import type { LiveQueue } from './live-queue.ts';
import { keyOf, type PresenceOf, PresenceSubscriptions, type PresenceViewer } from './presence-subscriptions.ts';

type User = Pick<UserViewer, 'applicationId' | 'userId'>;

const TOPIC = 'presence';
const BLOCKS = 'blocks';
const HEARTBEAT_MS = 5 * SECOND;
/** After this silence a process and its users count as offline. */
const SILENCE_MS = 4 * HEARTBEAT_MS;
/** Users per message; even the longest ids fit in the limits of all bus drivers. */
const CHUNK = 300;

/**
 * Messages between processes. Each process numbers its own, so that receivers detect lost messages. The order between
 * processes is irrelevant.
 */
type PresenceMessage = { process: string } & (
  | { number: number; on: string[]; off: string[] }
  /** All users of a process, split into several messages if necessary. */
  | { number: number; all: string[]; isFirst: boolean; isLast: boolean }
  /** Heartbeat with the number of the last message. */
  | { number: number; beat: true }
  | { request: string | 'all' }
  | { leaving: true }
);

interface BlocksMessage extends User {
  others: (readonly [id: number, isHidden: boolean])[];
}

interface OtherProcess {
  users: Set<string>;
  /** Users of an incomplete list; they replace `users` with its last part. */
  arriving: string[];
  number: number;
  lastSeenAt: number;
}

/**
 * Tracks users with open sockets in all processes. Not stored; each process knows its own users and those that others
 * publish.
 */
export class Presence {
  readonly #process = randomUUID();
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #own = new Map<string, number>();
  readonly #others = new Map<string, OtherProcess>();
  readonly #subscriptions = new PresenceSubscriptions((key) => this.#isOnline(key));
  #changed = new Set<string>();
  #isRequested = false;
  #isPublishScheduled = false;
  #number = 0;
  /** Processes asked for their users since the last heartbeat, so that each is asked once. */
  readonly #requested = new Set<string>();
  #stopBeating = () => {};
  #isStopped = false;

  constructor(bus: Bus, clock: Clock = CLOCK) {
    this.#bus = bus;
    this.#clock = clock;
  }

  start(): void {
    this.#bus.on(TOPIC, (message) => this.#receive(message as PresenceMessage));
    this.#bus.on(BLOCKS, (message) => this.#hide(message as BlocksMessage));
    this.#bus.onReturn(() => this.#publish({ request: 'all' }));
    this.#publish({ request: 'all' });
    this.#stopBeating = this.#clock.every(HEARTBEAT_MS, () => this.#beat());
  }

  /** Notifies the other processes, so that they do not wait for the silence limit. */
  stop(): void {
    this.#stopBeating();
    this.#publish({ leaving: true });
    this.#isStopped = true;
  }

  endSubscriptions(): void {
    this.#subscriptions.end();
  }

  /** Registers an open socket. @returns unregisters it; repeated calls have no effect */
  connect(user: User): () => void {
    const key = keyOf(user);
    this.#count(key, 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#count(key, -1);
      isOpen = false;
    };
  }

  isOnline(user: User): boolean {
    return this.#isOnline(keyOf(user));
  }

  /** Takes time proportional to the users online. */
  countOnline(applicationId: number): number {
    const prefix = keyOf({ applicationId, userId: '' });
    const keys = [this.#own, ...[...this.#others.values()].map(({ users }) => users)].flatMap((one) => [...one.keys()]);
    return new Set(keys.filter((key) => key.startsWith(prefix))).size;
  }

  /** Emits the current state of each user, then changes. @param viewer undefined: blocks do not matter */
  subscribe(applicationId: number, userIds: number[], viewer?: PresenceViewer): LiveQueue<PresenceOf> {
    return this.#subscriptions.add(applicationId, userIds, viewer);
  }

  /** The blocks between a user and others may have changed: those in `hidden` do not see each other. */
  hide({ applicationId, userId }: User, otherIds: readonly number[], hidden: ReadonlySet<number>): void {
    for (let start = 0; start < otherIds.length; start += CHUNK) {
      const others = otherIds.slice(start, start + CHUNK).map((id) => [id, hidden.has(id)] as const);
      const message: BlocksMessage = { applicationId, userId, others };
      this.#hide(message);
      this.#bus.publish(BLOCKS, message);
    }
  }

  #hide({ applicationId, userId, others }: BlocksMessage): void {
    for (const [id, isHidden] of others) this.#subscriptions.hide(applicationId, [userId, id], isHidden);
  }

  #isOnline(key: string): boolean {
    if (this.#own.has(key)) return true;
    for (const { users } of this.#others.values()) if (users.has(key)) return true;
    return false;
  }

  #count(key: string, change: 1 | -1): void {
    const open = (this.#own.get(key) ?? 0) + change;
    this.#subscriptions.noticing([key], () => {
      if (open > 0) this.#own.set(key, open);
      else this.#own.delete(key);
    });
    const isFirstOrLast = open === (change > 0 ? 1 : 0);
    if (!isFirstOrLast) return;
    this.#changed.add(key);
    this.#publishSoon();
  }

  /** Batches the changes of one turn of the event loop and responds once to all requests in it. */
  #publishSoon(): void {
    if (this.#isPublishScheduled) return;
    this.#isPublishScheduled = true;
    setImmediate(() => {
      this.#isPublishScheduled = false;
      const changed = [...this.#changed];
      this.#changed = new Set();
      if (this.#isRequested) this.#publishAll();
      else this.#publishChanges(changed);
      this.#isRequested = false;
    });
  }

  #publishChanges(changed: string[]): void {
    for (let start = 0; start < changed.length; start += CHUNK) {
      const keys = changed.slice(start, start + CHUNK);
      const on = keys.filter((key) => this.#own.has(key));
      this.#publish({ number: ++this.#number, on, off: keys.filter((key) => !this.#own.has(key)) });
    }
  }

  #publishAll(): void {
    const users = [...this.#own.keys()];
    for (let start = 0; start === 0 || start < users.length; start += CHUNK) {
      const all = users.slice(start, start + CHUNK);
      this.#publish({ number: ++this.#number, all, isFirst: start === 0, isLast: start + CHUNK >= users.length });
    }
  }

  #beat(): void {
    this.#requested.clear();
    if (this.#own.size > 0) this.#publish({ number: this.#number, beat: true });
    for (const [process, { lastSeenAt }] of this.#others) {
      if (this.#clock.now() - lastSeenAt > SILENCE_MS) this.#lose(process);
    }
  }

  #publish(
    message: PresenceMessage extends infer One ? (One extends PresenceMessage ? Omit<One, 'process'> : never) : never,
  ): void {
    if (this.#isStopped) return;
    this.#bus.publish(TOPIC, { process: this.#process, ...message });
  }

  #receive(message: PresenceMessage): void {
    if ('request' in message) {
      if (message.request !== 'all' && message.request !== this.#process) return;
      this.#isRequested = true;
      this.#publishSoon();
    } else if ('leaving' in message) {
      this.#lose(message.process);
    } else {
      this.#take(message);
    }
  }

  #take(message: Exclude<PresenceMessage, { request: string } | { leaving: true }>): void {
    const { process, number } = message;
    const sender = this.#others.get(process);
    const restarts = 'all' in message && message.isFirst;
    const isNext = sender !== undefined && number === sender.number + ('beat' in message ? 0 : 1);
    if (!restarts && !isNext) {
      this.#askFor(process);
      return;
    }
    const other = sender ?? { users: new Set(), arriving: [], number, lastSeenAt: 0 };
    this.#others.set(process, other);
    other.number = number;
    other.lastSeenAt = this.#clock.now();
    if ('on' in message) {
      this.#subscriptions.noticing([...message.on, ...message.off], () => {
        for (const key of message.on) other.users.add(key);
        for (const key of message.off) other.users.delete(key);
      });
    } else if ('all' in message) {
      if (message.isFirst) other.arriving = [];
      other.arriving.push(...message.all);
      if (message.isLast) this.#replace(other);
    }
  }

  /** Replaces the list at once, so that users who remain online do not appear offline in between. */
  #replace(other: OtherProcess): void {
    const users = new Set(other.arriving);
    other.arriving = [];
    this.#subscriptions.noticing(new Set([...other.users, ...users]), () => {
      other.users = users;
    });
  }

  #askFor(process: string): void {
    if (this.#requested.has(process)) return;
    this.#requested.add(process);
    this.#publish({ request: process });
  }

  #lose(process: string): void {
    const other = this.#others.get(process);
    if (!other) return;
    this.#subscriptions.noticing(other.users, () => this.#others.delete(process));
  }
}
