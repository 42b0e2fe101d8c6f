import { PRESENCE } from './chat-documents.ts';
import type { Core } from './core.ts';
import { type Live, Store } from './store.ts';

/** So that a list that appears user by user subscribes once. */
const COLLECT_MS = 50;
/** The service accepts this number of users per subscription. */
const MAX_USERS = 100;
const NONE_ONLINE: ReadonlySet<number> = new Set();

/** Who is online. All parts of a page share subscriptions. */
export class Presence {
  readonly #core: Core;
  readonly #counts = new Map<number, number>();
  readonly #online = new Set<number>();
  readonly #stores = new Map<string, { ids: readonly number[]; store: Store<ReadonlySet<number>> }>();
  #subscriptions: { stop: () => void }[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(core: Core) {
    this.#core = core;
  }

  /** The same object for the same users. */
  of(userIds: readonly number[]): Live<ReadonlySet<number>> {
    const ids = [...new Set(userIds)].sort((a, b) => a - b);
    const key = ids.join();
    let cached = this.#stores.get(key);
    if (!cached) {
      cached = { ids, store: new Store(NONE_ONLINE, () => this.#add(key, ids)) };
      this.#stores.set(key, cached);
      this.#core.stores.add(cached.store as Store<unknown>);
    }
    return cached.store;
  }

  #add(key: string, ids: readonly number[]): () => void {
    for (const id of ids) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
    this.#show(key);
    this.#subscribeSoon();
    return () => {
      for (const id of ids) {
        const count = this.#counts.get(id)! - 1;
        if (count > 0) this.#counts.set(id, count);
        else this.#counts.delete(id);
      }
      this.#subscribeSoon();
    };
  }

  #subscribeSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#subscribe(), COLLECT_MS);
  }

  #subscribe(): void {
    for (const subscription of this.#subscriptions) subscription.stop();
    this.#subscriptions = [];
    const ids = [...this.#counts.keys()];
    for (const id of this.#online) if (!this.#counts.has(id)) this.#online.delete(id);
    if (this.#core.userId() === undefined) return;
    for (let start = 0; start < ids.length; start += MAX_USERS) {
      const subscription = this.#core.client.subscribe(
        PRESENCE,
        { userIds: ids.slice(start, start + MAX_USERS) },
        {
          next: ({ presence: { userId, online } }) => {
            if (online === this.#online.has(userId)) return;
            if (online) this.#online.add(userId);
            else this.#online.delete(userId);
            for (const [key, { ids }] of this.#stores) if (ids.includes(userId)) this.#show(key);
          },
          end: () => {},
        },
      );
      this.#subscriptions.push(subscription);
    }
  }

  #show(key: string): void {
    const { ids, store } = this.#stores.get(key)!;
    const online = ids.filter((id) => this.#online.has(id));
    const before = store.get();
    if (online.length !== before.size || online.some((id) => !before.has(id))) store.set(new Set(online));
  }
}
