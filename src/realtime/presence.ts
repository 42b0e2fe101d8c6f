import { randomUUID } from 'node:crypto';
import type { UserViewer } from '../lib/access.ts';
import { addTo, removeFrom } from '../lib/collections.ts';
import { SECOND } from '../lib/time.ts';
import type { Bus } from './bus.ts';
import { LiveEvent, LiveQueue } from './live-queue.ts';

/** Whether a user has an open socket in any process. */
export interface PresenceOf {
  userId: number;
  online: boolean;
}

type User = Pick<UserViewer, 'applicationId' | 'userId'>;

const TOPIC = 'presence';
const HEARTBEAT_MS = 5 * SECOND;
/** After this silence a process and its users count as offline. */
const SILENCE_MS = 4 * HEARTBEAT_MS;
/** Users per message; even the longest ids fit in the limits of all bus drivers. */
const CHUNK = 300;

export interface Clock {
  /** Milliseconds of a monotonic clock. */
  now: () => number;
  every: (milliseconds: number, tick: () => void) => () => void;
}

const CLOCK: Clock = {
  now: () => performance.now(),
  every(milliseconds, tick) {
    const timer = setInterval(tick, milliseconds).unref();
    return () => clearInterval(timer);
  },
};

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
  readonly #subscriptions = new Map<string, Set<LiveQueue<PresenceOf>>>();
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
    for (const subscriptions of [...this.#subscriptions.values()])
      for (const subscribe of [...subscriptions]) void subscribe.return();
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

  /** Emits the current state of each user, then changes. */
  subscribe(applicationId: number, userIds: number[]): LiveQueue<PresenceOf> {
    const keys = userIds.map((userId) => keyOf({ applicationId, userId }));
    const queue = new LiveQueue<PresenceOf>((left) => {
      for (const key of keys) removeFrom(this.#subscriptions, key, left);
    });
    for (const [index, userId] of userIds.entries()) {
      const key = keys[index]!;
      addTo(this.#subscriptions, key, queue);
      queue.push(new LiveEvent({ userId, online: this.#isOnline(key) }));
    }
    return queue;
  }

  #isOnline(key: string): boolean {
    if (this.#own.has(key)) return true;
    for (const { users } of this.#others.values()) if (users.has(key)) return true;
    return false;
  }

  #count(key: string, change: 1 | -1): void {
    const open = (this.#own.get(key) ?? 0) + change;
    this.#noticing([key], () => {
      if (open > 0) this.#own.set(key, open);
      else this.#own.delete(key);
    });
    const isFirstOrLast = open === (change > 0 ? 1 : 0);
    if (!isFirstOrLast) return;
    this.#changed.add(key);
    this.#publishSoon();
  }

  #noticing(keys: Iterable<string>, change: () => void): void {
    const target = [...keys].filter((key) => this.#subscriptions.has(key));
    const before = target.map((key) => this.#isOnline(key));
    change();
    for (const [index, key] of target.entries()) {
      const online = this.#isOnline(key);
      if (online === before[index]) continue;
      const event = new LiveEvent({ userId: Number(key.split(':')[1]), online });
      for (const subscribe of this.#subscriptions.get(key) ?? []) subscribe.push(event);
    }
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
      this.#noticing([...message.on, ...message.off], () => {
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
    this.#noticing(new Set([...other.users, ...users]), () => {
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
    this.#noticing(other.users, () => this.#others.delete(process));
  }
}

function keyOf({ applicationId, userId }: { applicationId: number; userId: number | '' }): string {
  return `${applicationId}:${userId}`;
}
