import type { UserViewer } from '../lib/access.ts';
import type { Bus } from './bus.ts';
import { CLOCK, type Clock } from './clock.ts';
import type { LiveQueue } from './live-queue.ts';
import { keyOf, type PresenceOf, PresenceSubscriptions, type PresenceViewer } from './presence-subscriptions.ts';
import { CHUNK, SharedKeys } from './shared-keys.ts';

type User = Pick<UserViewer, 'applicationId' | 'userId'>;

const TOPIC = 'presence';
const BLOCKS = 'blocks';

interface BlocksMessage extends User {
  others: (readonly [id: number, isHidden: boolean])[];
}

/** Tracks users with open sockets in all processes. */
export class Presence {
  readonly #bus: Bus;
  readonly #users: SharedKeys;
  readonly #subscriptions = new PresenceSubscriptions((key) => this.#users.has(key));

  constructor(bus: Bus, clock: Clock = CLOCK) {
    this.#bus = bus;
    this.#users = new SharedKeys(TOPIC, bus, clock, (keys, change) => this.#subscriptions.noticing(keys, change));
  }

  start(): void {
    this.#users.start();
    this.#bus.on(BLOCKS, (message) => this.#hide(message as BlocksMessage));
  }

  stop(): void {
    this.#users.stop();
  }

  endSubscriptions(): void {
    this.#subscriptions.end();
  }

  /** Registers an open socket. @returns unregisters it; repeated calls have no effect */
  connect(user: User): () => void {
    return this.#users.add(keyOf(user));
  }

  isOnline(user: User): boolean {
    return this.#users.has(keyOf(user));
  }

  /** Takes time proportional to the users online. */
  countOnline(applicationId: number): number {
    const prefix = keyOf({ applicationId, userId: '' });
    return new Set([...this.#users].filter((key) => key.startsWith(prefix))).size;
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
}
