import type { DeviceStorage } from './device-storage.ts';
import { unref } from './store.ts';

const SAVE_AFTER = 400;

/** Copies of what was shown last, per user, for a start without network. Failures are ignored: it is only a copy. */
export class OfflineCache {
  readonly #storage: DeviceStorage;
  readonly #isSignedIn: () => boolean;
  readonly #waiting = new Map<string, unknown>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #flushing = Promise.resolve();

  constructor(storage: DeviceStorage, isSignedIn: () => boolean) {
    this.#storage = storage;
    this.#isSignedIn = isSignedIn;
  }

  async load<Value>(key: string): Promise<Value | undefined> {
    return (this.#waiting.get(key) ?? (await this.#storage.get('cache', key).catch(() => undefined))) as
      | Value
      | undefined;
  }

  /** Saves soon, so that many changes write once. Ignores what arrives after a user has signed out. */
  save(key: string, value: unknown): void {
    if (!this.#isSignedIn()) return;
    this.#waiting.set(key, value);
    this.#timer ??= setTimeout(() => {
      this.#flushing = this.#flush();
    }, SAVE_AFTER);
    unref(this.#timer);
  }

  async remove(key: string): Promise<void> {
    this.#waiting.delete(key);
    await this.#storage.delete('cache', key).catch(() => {});
  }

  async clear(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#flushing;
    this.#waiting.clear();
    await this.#storage.clear('cache').catch(() => {});
  }

  async #flush(): Promise<void> {
    for (const [key, value] of this.#waiting) {
      this.#waiting.delete(key);
      await this.#storage.put('cache', key, value).catch(() => {});
    }
    this.#timer = undefined;
  }
}
