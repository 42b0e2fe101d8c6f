import { addTo, removeFrom } from '../lib/collections.ts';
import { LiveEvent, LiveQueue } from './live-queue.ts';

/** Whether a user has an open socket in any process. */
export interface PresenceOf {
  userId: number;
  online: boolean;
}

/** A user who subscribes, and the users who appear offline because of a block. */
export interface PresenceViewer {
  userId: number;
  hidden: ReadonlySet<number>;
}

class PresenceQueue extends LiveQueue<PresenceOf> {
  readonly viewerId: number | undefined;
  readonly hidden: Set<number>;

  constructor(leave: (queue: LiveQueue<PresenceOf>) => void, viewer: PresenceViewer | undefined) {
    super(leave);
    this.viewerId = viewer?.userId;
    this.hidden = new Set(viewer?.hidden);
  }
}

/** Subscriptions to the presence of users, by user key. */
export class PresenceSubscriptions {
  readonly #queues = new Map<string, Set<PresenceQueue>>();
  readonly #isOnline: (key: string) => boolean;

  constructor(isOnline: (key: string) => boolean) {
    this.#isOnline = isOnline;
  }

  /** Emits the current state of each user. */
  add(applicationId: number, userIds: number[], viewer: PresenceViewer | undefined): LiveQueue<PresenceOf> {
    const keys = userIds.map((userId) => keyOf({ applicationId, userId }));
    const queue = new PresenceQueue((left) => {
      for (const key of keys) removeFrom(this.#queues, key, left as PresenceQueue);
    }, viewer);
    for (const [index, userId] of userIds.entries()) {
      const key = keys[index]!;
      addTo(this.#queues, key, queue);
      queue.push(new LiveEvent({ userId, online: !queue.hidden.has(userId) && this.#isOnline(key) }));
    }
    return queue;
  }

  end(): void {
    for (const queues of [...this.#queues.values()]) for (const queue of [...queues]) void queue.return();
  }

  /** Delivers what the change does to users who have subscribers. */
  noticing(keys: Iterable<string>, change: () => void): void {
    const target = [...keys].filter((key) => this.#queues.has(key));
    const before = target.map((key) => this.#isOnline(key));
    change();
    for (const [index, key] of target.entries()) {
      const online = this.#isOnline(key);
      if (online === before[index]) continue;
      const userId = userOf(key);
      const event = new LiveEvent({ userId, online });
      for (const queue of this.#queues.get(key) ?? []) if (!queue.hidden.has(userId)) queue.push(event);
    }
  }

  /** A block between two users has begun or ended. */
  hide(applicationId: number, pair: readonly [number, number], isHidden: boolean): void {
    for (const [userId, viewerId] of [pair, [pair[1], pair[0]] as const]) {
      const key = keyOf({ applicationId, userId });
      for (const queue of this.#queues.get(key) ?? []) {
        if (queue.viewerId !== viewerId || queue.hidden.has(userId) === isHidden) continue;
        if (isHidden) queue.hidden.add(userId);
        else queue.hidden.delete(userId);
        if (this.#isOnline(key)) queue.push(new LiveEvent({ userId, online: !isHidden }));
      }
    }
  }
}

export function keyOf({ applicationId, userId }: { applicationId: number; userId: number | '' }): string {
  return `${applicationId}:${userId}`;
}

function userOf(key: string): number {
  return Number(key.split(':')[1]);
}
