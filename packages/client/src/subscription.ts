import { type Continuation, continuationOf, type Operation, operationOf, type Values } from './documents.ts';
import { AtriumError, mayPass } from './errors.ts';
import type { Line, Talker } from './line.ts';
import { pause, pauseBefore } from './pauses.ts';
import { graphql } from './schema.ts';
import type { Wire } from './wire.ts';

export interface SubscriptionOptions<Data> {
  /** Ends the subscription, which rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /**
   * Called when missed events are no longer available: load the displayed data again. Later events follow after this
   * call. Administrators without access to messages also get it at the start, and after a reconnect before the first
   * event. Default: the subscription ends with an error.
   */
  onGap?: (() => void | Promise<void>) | undefined;
  /** Receives events one by one, as an alternative to iterating; the next event waits for the returned promise. */
  next?: ((data: Data) => void | Promise<void>) | undefined;
  /** Called at the end, with an error if there is one. Default: an error becomes an unhandled rejection. */
  end?: ((error?: unknown) => void) | undefined;
}

const PRESENT = graphql(`query Present { changes { cursor } }`);
const PRESENT_OF_LOG = graphql(`query PresentOfLog { requestLog(first: 1) { cursor } }`);
/** Buffered events; beyond that, the subscription pauses and fetches the rest later. */
const MAX_WAITING = 1_000;
const MAX_FAILURES = 5;
/** Codes with which the service refuses the query of the cursor. */
const CURSOR_REFUSALS: readonly string[] = ['FORBIDDEN', 'REASON_REQUIRED'];

/** An event, or a gap (no `data`). */
type Waiting<Data> = { data?: Data; cursor: string | undefined };

/**
 * Delivers each event once and in order across reconnects. Iterate it once, or pass `next`. Leaving the loop stops it.
 */
export class Subscription<Data> implements AsyncIterable<Data>, Talker {
  /** Resolves once no further event can be missed: load the displayed data after that. */
  readonly ready: Promise<void>;
  readonly #operation: Operation;
  readonly #continuation: Continuation;
  readonly #variables: Values;
  readonly #options: SubscriptionOptions<Data>;
  readonly #line: Line;
  /** Cursors of the last received and the last delivered event. */
  #place: { received: string | undefined; handed: string | undefined } = { received: undefined, handed: undefined };
  #waiting: Waiting<Data>[] = [];
  #wake: () => void = () => {};
  #settleReady!: { resolve: () => void; reject: (error: unknown) => void };
  #ended: { error?: unknown } | undefined;
  #wire: Wire | undefined;
  #attempt = new AbortController();
  #failures = 0;
  #isFull = false;
  /** The current cursor is being fetched. */
  #isSeeking = false;
  /** Events were lost, and the new cursor is not known yet. */
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
    this.ready.catch(() => {}); // the end of the subscription reports the same error

    options.signal?.addEventListener('abort', this.#abort);
    if (options.signal?.aborted) this.#end({ error: options.signal.reason });
    else line.add(this);
    if (options.next) void this.#hand(options.next);
  }

  /** Cursor of the last delivered event; pass it as `since` to continue later. */
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
      this.#end({ error: new AtriumError('UNREACHABLE', 'The connection was lost before the answer was complete') });
    }
  }

  end(error?: AtriumError): void {
    this.#end(error ? { error } : {});
  }

  /** Subscribes after the last cursor; without one, fetches the current cursor first. */
  #begin(): void {
    // Also without a connection, so that the next one subscribes.
    this.#isFull = false;
    const wire = this.#wire;
    if (!wire || this.#ended) return;
    this.#attempt.abort();
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#hasBegun = true;
    const continuation = this.#continuation;
    const since = this.#place.received;
    if (continuation.kind !== 'resumed' || since !== undefined) {
      this.#settleReady.resolve();
      this.#listen(wire, attempt, continuation.kind === 'resumed' ? { [continuation.since]: since } : {});
      return;
    }
    // Without a cursor, a connection lost before the first event would lose events.
    this.#isSeeking = true;
    const { text } = operationOf(continuation.isOfRequestLog ? PRESENT_OF_LOG : PRESENT, 'query');
    this.#run(wire, attempt, text, {}, (data) => {
      const [{ cursor }] = Object.values(data) as [{ cursor: string }];
      this.#isSeeking = false;
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

  #run(
    wire: Wire,
    attempt: AbortController,
    text: string,
    variables: Values,
    take: (data: Values) => void,
    complete: () => void = () => {},
  ): void {
    const { signal } = attempt;
    const ifCurrent = (act: () => void) => {
      if (!signal.aborted) act();
    };
    const stop = wire.run(text, variables, {
      next: ({ data, errors }) =>
        ifCurrent(() => {
          if (!errors && data) take(data);
          else this.#failed(AtriumError.answered(errors ?? []), attempt, this.#failures < MAX_FAILURES);
        }),
      refused: (error) => ifCurrent(() => this.#failed(error, attempt, true)),
      complete: () => ifCurrent(complete),
    });
    signal.addEventListener('abort', stop);
  }

  #take(data: Values): void {
    const continuation = this.#continuation;
    let cursor: string | undefined;
    if (continuation.kind === 'resumed') {
      const event = data[continuation.field] as Values;
      cursor = event[continuation.cursor] as string;
      if (!isBehind(cursor, this.#place.received)) return; // a repetition
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
    if (this.#isSeeking && CURSOR_REFUSALS.includes(error.code) && this.#wire && this.#options.onGap) {
      this.#beginWithoutCursor(this.#wire);
      return;
    }
    this.#isSeeking = false;
    if (error.code === 'CURSOR_EXPIRED' && this.#options.onGap) {
      this.#place.received = undefined;
      this.#isGap = true; // `onGap` is called once the new cursor is known
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

  /** For administrators who may read the events, but not the cursor, which `changes` returns with messages. */
  #beginWithoutCursor(wire: Wire): void {
    this.#isSeeking = false;
    this.#attempt.abort();
    this.#attempt = new AbortController();
    this.#settleReady.resolve();
    this.#listen(wire, this.#attempt, {});
    this.#push({ cursor: undefined }); // events before are unknown
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
      throw error; // becomes an unhandled rejection
    }
    end?.();
  }
}

/** Compares cursors: decimal integers of any length. */
function isBehind(cursor: string, place: string | undefined): boolean {
  if (place === undefined) return true;
  return cursor.length === place.length ? cursor > place : cursor.length > place.length;
}
