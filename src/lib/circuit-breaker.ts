export interface BreakerSettings {
  now: () => number;
  failures: number;
  /** Distinct owners that the failures must come from. */
  owners: number;
  probes: number;
  /** Doubles each time from the minimum to the maximum. */
  minWaitMs: number;
  maxWaitMs: number;
}

/** The owner that failed longest ago is dropped. */
const MAX_OWNERS = 1_000;

/**
 * Not `cockatiel` or `opossum`, because owners choose the peer and one owner must not open the circuit for all. A
 * failure counts only if no job succeeded since it started, because a peer that responds to some is available. An open
 * circuit still admits owners that have not failed, a few at a time, and closes with the first response.
 */
export class CircuitBreaker {
  readonly #settings: BreakerSettings;
  readonly #failed = new Set<string>();
  #failures = 0;
  #answers = 0;
  #running = 0;
  #probing = 0;
  #openings = 0;
  #waitsUntil = Number.NEGATIVE_INFINITY;

  constructor(settings: BreakerSettings) {
    this.#settings = settings;
  }

  get isOpen(): boolean {
    return this.#failures >= this.#settings.failures && this.#failed.size >= this.#settings.owners;
  }

  /** The caller may drop an idle object. */
  get isIdle(): boolean {
    return this.#running === 0 && this.#failures === 0;
  }

  /** Milliseconds. */
  waitOf(owner: string): number {
    if (!this.isOpen) return 0;
    const { now, minWaitMs, maxWaitMs, probes } = this.#settings;
    // The clock may have been set back.
    const wait = Math.min(this.#waitsUntil - now(), maxWaitMs);
    if (wait > 0 && this.#failed.has(owner)) return wait;
    return this.#probing < probes ? 0 : minWaitMs;
  }

  /** @param job must not reject @param isAnswered undefined when the result does not show it */
  async run<Result>(
    owner: string,
    job: () => Promise<Result>,
    isAnswered: (result: Result) => boolean | undefined,
  ): Promise<Result> {
    const answersBefore = this.#answers;
    const probes = this.isOpen ? 1 : 0;
    this.#running++;
    this.#probing += probes;
    try {
      const result = await job();
      const verdict = isAnswered(result);
      if (verdict) this.#close();
      else if (verdict === false && answersBefore === this.#answers) this.#fail(owner);
      return result;
    } finally {
      this.#running--;
      this.#probing -= probes;
    }
  }

  #close(): void {
    this.#answers++;
    this.#failures = 0;
    this.#failed.clear();
    this.#openings = 0;
    this.#waitsUntil = Number.NEGATIVE_INFINITY;
  }

  #fail(owner: string): void {
    this.#failures++;
    this.#failed.delete(owner);
    this.#failed.add(owner);
    if (this.#failed.size > MAX_OWNERS) this.#failed.delete(this.#failed.values().next().value!);
    const { now, minWaitMs, maxWaitMs } = this.#settings;
    // Jobs that fail in parallel count as one opening.
    if (!this.isOpen || now() < this.#waitsUntil) return;
    this.#waitsUntil = now() + Math.min(minWaitMs * 2 ** Math.min(this.#openings, 20), maxWaitMs);
    this.#openings++;
  }
}
