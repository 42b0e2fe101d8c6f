/** Maximum queued events; a slower reader is disconnected. */
const MAX_QUEUED = 1_000;

export class LiveEvent<Payload = unknown> {
  readonly payload: Payload;
  /** Milliseconds since 1970; undefined for missed events. */
  readonly occurredAt: number | undefined;
  #results: Map<string, unknown> | undefined;

  constructor(payload: Payload, occurredAt?: number) {
    this.payload = payload;
    this.occurredAt = occurredAt;
  }

  /**
   * Computes once per key, so that a thousand subscribers of one document cost one execution. After a failure the next
   * caller computes again.
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

export interface QueueReader {
  /** The queue has received an event, or has ended. */
  ready: () => void;
}

/** Queue of the events of one subscriber. Calls `leave` when the reader stops. */
export class LiveQueue<Payload> implements AsyncIterableIterator<LiveEvent<Payload>> {
  readonly #leave: (queue: LiveQueue<Payload>) => void;
  #queue: LiveEvent<Payload>[] = [];
  #wake: (() => void) | undefined;
  #end: 'open' | 'finishing' | 'done' = 'open';
  #isTooSlow = false;
  #onTooSlow: (() => void) | undefined;
  /** Does not wait in `next`. */
  reader: QueueReader | undefined;

  constructor(leave: (queue: LiveQueue<Payload>) => void) {
    this.#leave = leave;
  }

  /** Called when the queue is full: closes the connection, so that the client resumes with its last cursor. */
  set onTooSlow(endConnection: (() => void) | undefined) {
    this.#onTooSlow = endConnection;
    if (this.#isTooSlow) endConnection?.();
  }

  push(event: LiveEvent<Payload>): void {
    if (this.#end !== 'open') return;
    if (this.#queue.length >= MAX_QUEUED) {
      if (this.dropQueue(this.#queue[0]!, event)) return;
      this.#isTooSlow = true;
      this.#close();
      this.#onTooSlow?.();
    } else {
      this.#queue.push(event);
      this.signal();
    }
  }

  finish(): void {
    if (this.#end !== 'open') return;
    this.#end = 'finishing';
    this.signal();
  }

  /** Whether `next` would wait for an event. */
  get isIdle(): boolean {
    return this.#end === 'open' && this.#queue.length === 0 && !this.hasMissed;
  }

  get isOpen(): boolean {
    return this.#end === 'open' || this.#end === 'finishing';
  }

  /** Whether the reader may have lost its rights since the event, so that shared results do not apply to it. */
  isDoubtful(_event: LiveEvent<Payload>): boolean {
    return false;
  }

  /**
   * Executes the events just taken: immediately, or in turns for a backlog from the database.
   * @returns a promise in the latter case
   */
  executeInTurn(execute: () => void, _whenDone: () => Promise<unknown>): Promise<unknown> | undefined {
    execute();
    return undefined;
  }

  takeReady(max: number): LiveEvent<Payload>[] {
    if (this.#queue.length > max) return this.#queue.splice(0, max);
    const ready = this.#queue;
    this.#queue = [];
    return ready;
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

  /** Whether missed events may precede the queue. */
  protected get hasMissed(): boolean {
    return false;
  }

  protected async nextMissed(): Promise<LiveEvent<Payload> | undefined> {
    return undefined;
  }

  /** @returns whether the reader will read the queued events and `event` again as missed ones */
  protected dropQueue(_first: LiveEvent<Payload>, _event: LiveEvent<Payload>): boolean {
    return false;
  }

  protected clear(): void {
    this.#queue = [];
  }

  /** The reader does not continue after a failure, so close the queue; it would grow otherwise. */
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
    this.signal();
  }

  protected signal(): void {
    this.#wake?.();
    this.reader?.ready();
  }
}
