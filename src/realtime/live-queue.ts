/** Events that may wait for a reader who does not keep up, before the reader is given up. */
const MAX_QUEUED = 1_000;

/** Something that happened, as the payload of a subscription begins with it. */
export class LiveEvent<Payload = unknown> {
  readonly payload: Payload;
  /** In milliseconds since 1970; undefined for what is told to somebody who had missed it. */
  readonly occurredAt: number | undefined;
  #results: Map<string, unknown> | undefined;

  constructor(payload: Payload, occurredAt?: number) {
    this.payload = payload;
    this.occurredAt = occurredAt;
  }

  /**
   * Computes once for all who share the key: a thousand subscribers of one document cost one execution. What fails is
   * computed again for the next of them.
   */
  once<Result>(key: string, compute: () => Result): Result {
    this.#results ??= new Map();
    let result = this.#results.get(key) as Result | undefined;
    if (result === undefined) {
      result = compute();
      this.#results.set(key, result);
      if (result instanceof Promise) result.catch(() => this.#results!.delete(key));
    }
    return result;
  }
}

/** One subscriber's events, which wait until they are asked for. Whoever fills it is told when the reader leaves. */
export class LiveQueue<Payload> implements AsyncIterableIterator<LiveEvent<Payload>> {
  readonly #leave: (queue: LiveQueue<Payload>) => void;
  #queue: LiveEvent<Payload>[] = [];
  #wake: (() => void) | undefined;
  #end: 'open' | 'finishing' | 'done' = 'open';
  #isTooSlow = false;
  #onTooSlow: (() => void) | undefined;

  constructor(leave: (queue: LiveQueue<Payload>) => void) {
    this.#leave = leave;
  }

  /** Called when the reader has fallen too far behind: ends its connection, so that it comes back with its last cursor. */
  set onTooSlow(endConnection: (() => void) | undefined) {
    this.#onTooSlow = endConnection;
    if (this.#isTooSlow) endConnection?.();
  }

  push(event: LiveEvent<Payload>): void {
    if (this.#end !== 'open') return;
    if (this.#queue.length >= MAX_QUEUED) {
      this.#isTooSlow = true;
      this.#close();
      this.#onTooSlow?.();
    } else {
      this.#queue.push(event);
      this.#wake?.();
    }
  }

  /** Nothing more comes: the reader still gets what waits, then it is over. */
  finish(): void {
    if (this.#end !== 'open') return;
    this.#end = 'finishing';
    this.#wake?.();
  }

  /** Whether more may come. */
  get isOpen(): boolean {
    return this.#end === 'open' || this.#end === 'finishing';
  }

  /** Whether the reader may have lost the right to an event since it came: what others are told of it is not theirs. */
  isDoubtful(_event: LiveEvent<Payload>): boolean {
    return false;
  }

  /**
   * Executes events that were just taken: at once, or in turns where they are of the past and many.
   * @returns waits for them in the latter case
   */
  executeInTurn(execute: () => void, _whenDone: () => Promise<unknown>): Promise<unknown> | undefined {
    execute();
    return undefined;
  }

  /** Events that can be had without waiting, at most so many. */
  takeReady(max: number): LiveEvent<Payload>[] {
    return this.#queue.splice(0, max);
  }

  async next(): Promise<IteratorResult<LiveEvent<Payload>, undefined>> {
    while (this.isOpen) {
      const event = this.hasMissed ? await this.#nextMissed() : this.#queue.shift();
      if (event) return { value: event, done: false };
      if (this.hasMissed || this.#queue.length > 0) continue;
      if (this.#end === 'finishing') this.#close();
      else if (this.#end === 'open') await this.#pushed();
    }
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<LiveEvent<Payload>, undefined>> {
    this.#close();
    return { value: undefined, done: true };
  }

  async throw(error: unknown): Promise<never> {
    this.#close();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Whether there may be events that come before those in the queue. */
  protected get hasMissed(): boolean {
    return false;
  }

  /** The next of them, if there is one. */
  protected async nextMissed(): Promise<LiveEvent<Payload> | undefined> {
    return undefined;
  }

  protected clear(): void {
    this.#queue = [];
  }

  /** Nobody asks again after a failure: what goes on filling it would be kept for nobody. */
  async #nextMissed(): Promise<LiveEvent<Payload> | undefined> {
    try {
      return await this.nextMissed();
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  #pushed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }

  #close(): void {
    if (!this.isOpen) return;
    this.#end = 'done';
    this.clear();
    this.#leave(this);
    this.#wake?.();
  }
}
