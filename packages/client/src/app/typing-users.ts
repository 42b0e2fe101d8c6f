import { unref } from './store.ts';

/** Clients report typing every few seconds. */
const TYPING_MS = 6_000;

/** Users who have reported in the last seconds that they type. */
export class TypingUsers {
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();
  readonly #show: (userIds: readonly number[]) => void;

  /** @param show called when a user begins or ends */
  constructor(show: (userIds: readonly number[]) => void) {
    this.#show = show;
  }

  add(userId: number): void {
    const isNew = !this.#timers.has(userId);
    clearTimeout(this.#timers.get(userId));
    const timer = setTimeout(() => this.remove(userId), TYPING_MS);
    unref(timer);
    this.#timers.set(userId, timer);
    if (isNew) this.#show([...this.#timers.keys()]);
  }

  remove(userId: number): void {
    clearTimeout(this.#timers.get(userId));
    if (this.#timers.delete(userId)) this.#show([...this.#timers.keys()]);
  }

  /** Forgets all users without `show`. */
  clear(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
