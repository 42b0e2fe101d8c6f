import { SECOND } from '../lib/time.ts';
import type { Clock } from './clock.ts';
import type { StreamRow } from './outbox-reader.ts';

/** After this time without another event a user has stopped typing. */
const TYPING_MS = 6 * SECOND;
const CHECK_INTERVAL_MS = SECOND / 2;

/** Notices in each process that has subscribers when a user stops typing, also if the process of the user was killed. */
export class TypingStops {
  readonly #clock: Clock;
  readonly #deliver: (stop: StreamRow) => void;
  /** In the order in which they expire. */
  readonly #typing = new Map<string, { row: StreamRow; at: number }>();
  #stopChecking: (() => void) | undefined;

  constructor(clock: Clock, deliver: (stop: StreamRow) => void) {
    this.#clock = clock;
    this.#deliver = deliver;
  }

  note(row: StreamRow): void {
    const key = [row.applicationId, row.dialogId, row.userId].join();
    this.#typing.delete(key);
    if (row.detail?.isTyping === false) return;
    this.#typing.set(key, { row, at: this.#clock.now() });
    this.#stopChecking ??= this.#clock.every(CHECK_INTERVAL_MS, () => this.#check());
  }

  stop(): void {
    this.#stopChecking?.();
    this.#stopChecking = undefined;
    this.#typing.clear();
  }

  #check(): void {
    for (const [key, { row, at }] of this.#typing) {
      if (this.#clock.now() - at < TYPING_MS) break;
      this.#typing.delete(key);
      this.#deliver({ ...row, detail: { isTyping: false } });
    }
    if (this.#typing.size === 0) this.stop();
  }
}
