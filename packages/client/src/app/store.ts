/** A value that changes. The value is a new object after each change and otherwise the same one. */
export interface Live<Value> {
  /** The value before anything was loaded, which pages that are rendered on a server show. */
  readonly initial: Value;
  readonly get: () => Value;
  /** Calls `listener` after each change. The value is kept up to date while there are listeners. @returns stops it */
  readonly subscribe: (listener: () => void) => () => void;
}

/** Milliseconds for which a store without listeners keeps working, because another listener often follows. */
const LINGER = 3_000;

export class Store<Value> implements Live<Value> {
  readonly initial: Value;
  #value: Value;
  readonly #listeners = new Set<() => void>();
  readonly #start: (() => () => void) | undefined;
  #stop: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param start begins to update the value; returns a function that ends it */
  constructor(value: Value, start?: () => () => void) {
    this.initial = value;
    this.#value = value;
    this.#start = start;
  }

  readonly get = (): Value => this.#value;

  readonly subscribe = (listener: () => void): (() => void) => {
    // A wrapper, because the same function may subscribe twice.
    const entry = () => listener();
    this.#listeners.add(entry);
    clearTimeout(this.#timer);
    this.#stop ??= this.#start?.();
    return () => {
      if (!this.#listeners.delete(entry) || this.#listeners.size > 0) return;
      this.#timer = setTimeout(() => this.end(), LINGER);
      unref(this.#timer);
    };
  };

  get isWatched(): boolean {
    return this.#stop !== undefined;
  }

  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) callSafely(listener);
  }

  /** Ends the updates at once; the next listener starts them again. */
  end(): void {
    clearTimeout(this.#timer);
    const stop = this.#stop;
    this.#stop = undefined;
    stop?.();
  }

  /** Starts the updates again, for example for another user. */
  restart(): void {
    if (!this.#stop) return;
    this.end();
    if (this.#listeners.size > 0) this.#stop = this.#start?.();
  }
}

/** Reports an error of an application callback as uncaught, so that it does not interrupt the client. */
export function callSafely(act: () => void): void {
  try {
    act();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Calls `show` with the value, and again after each change. @returns stops it */
export function watching<Value>(live: Live<Value>, show: (value: Value) => void): () => void {
  let shown: Value | undefined;
  const update = () => {
    const value = live.get();
    if (value === shown) return;
    shown = value;
    show(value);
  };
  const stop = live.subscribe(update);
  callSafely(update);
  return stop;
}

/** Lets a process of Node end while the timer runs. */
export function unref(timer: unknown): void {
  (timer as { unref?: () => void }).unref?.();
}

/** A call whose result may be ignored: its failure never becomes an unhandled rejection. */
export function quiet<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {});
  return promise;
}
