import { randomUUID } from 'node:crypto';
import { SECOND } from '../lib/time.ts';
import type { Bus } from './bus.ts';
import type { Clock } from './clock.ts';

const HEARTBEAT_MS = 5 * SECOND;
/** After this silence a process and its keys count as gone. */
const SILENCE_MS = 4 * HEARTBEAT_MS;
/** Keys per message. */
export const CHUNK = 300;

/**
 * Messages between processes. Each process numbers its own, so that receivers detect lost messages. The order between
 * processes is irrelevant.
 */
type KeysMessage = { process: string } & (
  | { number: number; on: string[]; off: string[] }
  /** All keys of a process, split into several messages if necessary. */
  | { number: number; all: string[]; isFirst: boolean; isLast: boolean }
  /** Heartbeat with the number of the last message. */
  | { number: number; beat: true }
  | { request: string | 'all' }
  | { leaving: true }
);

interface OtherProcess {
  keys: Set<string>;
  /** Keys of an incomplete list; they replace `keys` with its last part. */
  arriving: string[];
  number: number;
  lastSeenAt: number;
}

/**
 * A set of keys in all processes, for example the users with an open socket. Not stored; each process knows its own keys
 * and those that others publish.
 */
export class SharedKeys {
  readonly #process = randomUUID();
  readonly #topic: string;
  readonly #bus: Bus;
  readonly #clock: Clock;
  /** Runs a change of these keys. */
  readonly #noticing: (keys: Iterable<string>, change: () => void) => void;
  readonly #own = new Map<string, number>();
  readonly #others = new Map<string, OtherProcess>();
  #changed = new Set<string>();
  #isRequested = false;
  #isPublishScheduled = false;
  #number = 0;
  /** Processes asked for their keys since the last heartbeat, so that each is asked once. */
  readonly #requested = new Set<string>();
  #stopBeating = () => {};
  #isStopped = false;

  constructor(topic: string, bus: Bus, clock: Clock, noticing: (keys: Iterable<string>, change: () => void) => void) {
    this.#topic = topic;
    this.#bus = bus;
    this.#clock = clock;
    this.#noticing = noticing;
  }

  start(): void {
    this.#bus.on(this.#topic, (message) => this.#receive(message as KeysMessage));
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

  /** @returns removes it, unless it was added more often; repeated calls have no effect */
  add(key: string): () => void {
    this.#count(key, 1);
    let isIn = true;
    return () => {
      if (isIn) this.#count(key, -1);
      isIn = false;
    };
  }

  has(key: string): boolean {
    if (this.#own.has(key)) return true;
    for (const { keys } of this.#others.values()) if (keys.has(key)) return true;
    return false;
  }

  /** May repeat keys of several processes. */
  *[Symbol.iterator](): Iterator<string> {
    yield* this.#own.keys();
    for (const { keys } of this.#others.values()) yield* keys;
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
    const own = [...this.#own.keys()];
    for (let start = 0; start === 0 || start < own.length; start += CHUNK) {
      const all = own.slice(start, start + CHUNK);
      this.#publish({ number: ++this.#number, all, isFirst: start === 0, isLast: start + CHUNK >= own.length });
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
    message: KeysMessage extends infer One ? (One extends KeysMessage ? Omit<One, 'process'> : never) : never,
  ): void {
    if (this.#isStopped) return;
    this.#bus.publish(this.#topic, { process: this.#process, ...message });
  }

  #receive(message: KeysMessage): void {
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

  #take(message: Exclude<KeysMessage, { request: string } | { leaving: true }>): void {
    const { process, number } = message;
    const sender = this.#others.get(process);
    const restarts = 'all' in message && message.isFirst;
    const isNext = sender !== undefined && number === sender.number + ('beat' in message ? 0 : 1);
    if (!restarts && !isNext) {
      this.#askFor(process);
      return;
    }
    const other = sender ?? { keys: new Set(), arriving: [], number, lastSeenAt: 0 };
    this.#others.set(process, other);
    other.number = number;
    other.lastSeenAt = this.#clock.now();
    if ('on' in message) {
      this.#noticing([...message.on, ...message.off], () => {
        for (const key of message.on) other.keys.add(key);
        for (const key of message.off) other.keys.delete(key);
      });
    } else if ('all' in message) {
      if (message.isFirst) other.arriving = [];
      other.arriving.push(...message.all);
      if (message.isLast) this.#replace(other);
    }
  }

  /** Replaces the list at once, so that keys that remain do not appear gone in between. */
  #replace(other: OtherProcess): void {
    const keys = new Set(other.arriving);
    other.arriving = [];
    this.#noticing(new Set([...other.keys, ...keys]), () => {
      other.keys = keys;
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
    this.#noticing(other.keys, () => this.#others.delete(process));
  }
}
