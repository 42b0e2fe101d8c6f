import { type Continuation, continuationOf, type Operation, operationOf, type Values } from './documents.ts';
import { AtriumError, mayPass } from './errors.ts';
import type { Line, Talker } from './line.ts';
import { pause, pauseBefore } from './pauses.ts';
import { graphql } from './schema.ts';
import type { Wire } from './wire.ts';

export interface SubscriptionOptions<Data> {
  /** Ends the subscription, which then rejects with the reason. */
  signal?: AbortSignal | undefined;
  /**
   * More was missed than the service keeps: load anew what is shown. The events from before this call come after it.
   * Without it the subscription ends with `CURSOR_EXPIRED`.
   */
  onGap?: (() => void | Promise<void>) | undefined;
  /** Takes the events, one after the other; the next comes when it is through. Instead of iterating. */
  next?: ((data: Data) => void | Promise<void>) | undefined;
  /**
   * It has ended, `next` with it: with an error, or because it was stopped or the service has no more to tell.
   * Without it an error is an unhandled rejection.
   */
  end?: ((error?: unknown) => void) | undefined;
}

const PRESENT = graphql(`query Present { changes { cursor } }`);
/** Events that may wait for whoever takes them; behind those, the service is asked for them again later. */
const MAX_WAITING = 1_000;
/** How often the service may fail to tell the same event. */
const MAX_FAILURES = 5;

/** An event, or that some are missing before the next. */
type Waiting<Data> = { data?: Data; cursor: string | undefined };

/**
 * Events, each once and in order, whatever becomes of the connection. Iterate it once, or give `next`.
 * A loop that is left stops it.
 */
export class Subscription<Data> implements AsyncIterable<Data>, Talker {
  /** Resolves when nothing that happens from now on will be missed: load what is shown behind it. */
  readonly ready: Promise<void>;
  readonly #operation: Operation;
  readonly #continuation: Continuation;
  readonly #variables: Values;
  readonly #options: SubscriptionOptions<Data>;
  readonly #line: Line;
  /** Cursors: of what has come, and of what was handed over. */
  #place: { received: string | undefined; handed: string | undefined } = { received: undefined, handed: undefined };
  #waiting: Waiting<Data>[] = [];
  #wake: () => void = () => {};
  #settleReady!: { resolve: () => void; reject: (error: unknown) => void };
  #ended: { error?: unknown } | undefined;
  #wire: Wire | undefined;
  /** Stops the operation that runs, and makes the one before deaf. */
  #attempt = new AbortController();
  #failures = 0;
  /** Too much waits for whoever takes it, so nothing is listened to. */
  #isFull = false;
  /** Events were missed, and it is not known yet where to go on. */
  #isGap = false;
  #hasBegun = false;

  constructor(
    document: Parameters<typeof operationOf>[0],
    variables: Values,
    line: Line,
    options: SubscriptionOptions<Data>,
  ) {
    this.#operation = operationOf(document, 'subscription');
    this.#continuation = continuationOf(this.#operation);
    this.#variables = variables;
    this.#options = options;
    this.#line = line;
    if (this.#continuation.kind === 'resumed') {
      const since = variables[this.#continuation.since];
      if (typeof since === 'string') this.#place = { received: since, handed: since };
    }
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject };
    });
    this.ready.catch(() => {}); // the end tells it, too

    options.signal?.addEventListener('abort', this.#abort);
    if (options.signal?.aborted) this.#end({ error: options.signal.reason });
    else line.add(this);
    if (options.next) void this.#hand(options.next);
  }

  /** Of the event that was handed over last; with it as `since` another subscription goes on behind that. */
  get cursor(): string | undefined {
    return this.#place.handed;
  }

  stop(): void {
    this.#waiting = [];
    this.#end({});
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Data, void, void> {
    try {
      for (;;) {
        const first = this.#waiting.shift();
        if (first) {
          this.#place.handed = first.cursor;
          if (first.data === undefined) await this.#options.onGap?.();
          else yield first.data;
        } else if (this.#ended) {
          if ('error' in this.#ended) throw this.#ended.error;
          return;
        } else {
          if (this.#isFull) this.#begin();
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.stop();
    }
  }

  begin(wire: Wire): void {
    this.#wire = wire;
    if (!this.#isFull) this.#begin();
  }

  lost(): void {
    this.#wire = undefined;
    this.#attempt.abort();
    if (this.#continuation.kind === 'once' && this.#hasBegun) {
      this.#end({ error: new AtriumError('UNREACHABLE', 'The connection was lost while the answer came') });
    }
  }

  end(error?: AtriumError): void {
    this.#end(error ? { error } : {});
  }

  /** Asks for what comes behind the place where it is, at first for the place. */
  #begin(): void {
    const wire = this.#wire;
    if (!wire || this.#ended) return;
    this.#attempt.abort();
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#isFull = false;
    this.#hasBegun = true;
    const continuation = this.#continuation;
    const since = this.#place.received;
    if (continuation.kind !== 'resumed' || since !== undefined) {
      this.#settleReady.resolve();
      this.#listen(wire, attempt, continuation.kind === 'resumed' ? { [continuation.since]: since } : {});
      return;
    }
    // Else a connection that breaks before the first event would lose what comes meanwhile.
    this.#run(wire, attempt, operationOf(PRESENT, 'query').text, {}, (data) => {
      const { cursor } = (data as { changes: { cursor: string } }).changes;
      this.#place.received = cursor;
      this.#place.handed ??= cursor;
      if (this.#isGap) this.#push({ cursor });
      this.#isGap = false;
      this.#begin();
    });
  }

  #listen(wire: Wire, attempt: AbortController, from: Values): void {
    const variables = { ...this.#variables, ...from };
    const take = (data: Values) => this.#take(data);
    this.#run(wire, attempt, this.#operation.text, variables, take, () => this.#end({}));
  }

  /** Runs an operation as long as its attempt is the present one. */
  #run(
    wire: Wire,
    attempt: AbortController,
    text: string,
    variables: Values,
    take: (data: Values) => void,
    complete: () => void = () => {},
  ): void {
    const { signal } = attempt;
    const tell = (act: () => void) => {
      if (!signal.aborted) act();
    };
    const stop = wire.run(text, variables, {
      next: ({ data, errors }) =>
        tell(() => {
          if (!errors && data) take(data);
          else this.#failed(AtriumError.answered(errors ?? []), attempt, this.#failures < MAX_FAILURES);
        }),
      refused: (error) => tell(() => this.#failed(error, attempt, true)),
      complete: () => tell(complete),
    });
    signal.addEventListener('abort', stop);
  }

  #take(data: Values): void {
    const continuation = this.#continuation;
    let cursor: string | undefined;
    if (continuation.kind === 'resumed') {
      const event = data[continuation.field] as Values;
      cursor = event[continuation.cursor] as string;
      if (!isBehind(cursor, this.#place.received)) return; // told before
      this.#place.received = cursor;
    }
    this.#failures = 0;
    this.#push({ data: data as Data, cursor });
    if (this.#waiting.length < MAX_WAITING) return;
    if (continuation.kind === 'resumed') {
      this.#isFull = true;
      this.#attempt.abort();
    } else {
      this.#waiting.shift();
    }
  }

  #push(waiting: Waiting<Data>): void {
    this.#waiting.push(waiting);
    this.#wake();
  }

  #failed(error: AtriumError, attempt: AbortController, mayTryAgain: boolean): void {
    if (error.code === 'CURSOR_EXPIRED' && this.#options.onGap) {
      this.#place.received = undefined;
      this.#isGap = true; // only when the place of now is known is it time to load anew
      this.#begin();
      return;
    }
    if (!mayPass(error) || !mayTryAgain || this.#continuation.kind === 'once') {
      this.#end({ error });
      return;
    }
    this.#failures++;
    const again = new AbortController();
    attempt.abort();
    this.#attempt = again;
    void pause(pauseBefore(this.#failures, error.retryAfter), again.signal).then(() => {
      if (!again.signal.aborted) this.#begin();
    });
  }

  readonly #abort = () => {
    this.#waiting = [];
    this.#end({ error: this.#options.signal?.reason });
  };

  #end(ended: { error?: unknown }): void {
    if (this.#ended) return;
    this.#ended = ended;
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#attempt.abort();
    this.#line.remove(this);
    if ('error' in ended) this.#settleReady.reject(ended.error);
    else this.#settleReady.resolve();
    this.#wake();
  }

  async #hand(next: (data: Data) => void | Promise<void>): Promise<void> {
    const { end } = this.#options;
    try {
      for await (const data of this) await next(data);
    } catch (error) {
      if (end) return end(error);
      throw error; // unheard, as of any promise that nobody waits for
    }
    end?.();
  }
}

/** Cursors are whole numbers as text, of any length. */
function isBehind(cursor: string, place: string | undefined): boolean {
  if (place === undefined) return true;
  return cursor.length === place.length ? cursor > place : cursor.length > place.length;
}
