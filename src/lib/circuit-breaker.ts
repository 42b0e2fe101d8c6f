export interface BreakerSettings {
  /** In milliseconds. */
  now: () => number;
  /** Failures in a row that open the circuit ... */
  failures: number;
  /** ... and of how many owners they have to be. */
  owners: number;
  /** Jobs that may run at once while it is open. */
  probes: number;
  /** How long owners that have failed wait at first and at most; twice as long each time. */
  minWaitMs: number;
  maxWaitMs: number;
}

/** Owners that are remembered while a circuit is open; the one that failed longest ago is forgotten. */
const MAX_OWNERS = 1_000;

/**
 * Stops asking a peer that does not answer. Neither `cockatiel` nor `opossum`, because owners choose what is asked and
 * one of them must not open the circuit for all. A failure counts only when no job was answered since it began: a peer
 * that answers some is there. Several owners have to fail. An open circuit still admits owners that have not failed, a
 * few at a time, and closes with the first answer.
 */
export class CircuitBreaker {
  readonly #settings: BreakerSettings;
  /** Owners that have failed since the last answer. */
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

  /** A new one would be the same. */
  get isIdle(): boolean {
    return this.#running === 0 && this.#failures === 0;
  }

  /** How long the owner has to wait, in milliseconds; 0: it may run. */
  waitOf(owner: string): number {
    if (!this.isOpen) return 0;
    const { now, minWaitMs, maxWaitMs, probes } = this.#settings;
    // The clock may have been set back.
    const wait = Math.min(this.#waitsUntil - now(), maxWaitMs);
    if (wait > 0 && this.#failed.has(owner)) return wait;
    return this.#probing < probes ? 0 : minWaitMs;
  }

  /**
   * Runs a job that never fails.
   * @param isAnswered whether the peer answered; undefined when the result does not tell
   */
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
    // Jobs that fail together are one failure of the circuit.
    if (!this.isOpen || now() < this.#waitsUntil) return;
    this.#waitsUntil = now() + Math.min(minWaitMs * 2 ** Math.min(this.#openings, 20), maxWaitMs);
    this.#openings++;
  }
}
