/** Lets so many jobs run at once and so many wait for their turn, in order. */
export class Gate {
  readonly #atOnce: number;
  readonly #waitingAtMost: number;
  readonly #refusal: () => Error;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param refusal what those get who find the queue full */
  constructor(atOnce: number, waitingAtMost: number, refusal: () => Error) {
    this.#atOnce = atOnce;
    this.#waitingAtMost = waitingAtMost;
    this.#refusal = refusal;
  }

  async run<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#atOnce) this.#running++;
    else if (this.#waiting.length >= this.#waitingAtMost) throw this.#refusal();
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await job();
    } finally {
      // A place that becomes free goes to the next in line, so nobody who comes meanwhile can take it.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
