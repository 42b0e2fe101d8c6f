import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { SECOND } from '../../lib/time.ts';
import type { Limit, RateCount } from './definitions.ts';

interface Share {
  left: number;
  remaining: number;
  windowEnd: number;
  isExceeded: boolean;
}

/**
 * Takes several operations at a time from a shared store, so that most cost no round trip, and an exceeded key none.
 * Together the processes never exceed the quota; they admit less by at most the shares that the others hold.
 */
export class Quota {
  readonly #limit: Limit;
  readonly #store: RateLimiterAbstract;
  readonly #shareSize: number;
  readonly #shares = new Map<string, Share>();
  readonly #taking = new Map<string, Promise<Share>>();
  readonly #cleaner: NodeJS.Timeout;

  /** @param shareSize divides the quota */
  constructor(limit: Limit, store: RateLimiterAbstract, shareSize: number) {
    this.#limit = limit;
    this.#store = store;
    this.#shareSize = shareSize;
    this.#cleaner = setInterval(() => this.#forgetOld(), limit.windowSeconds * SECOND).unref();
  }

  async count(key: string): Promise<RateCount> {
    for (;;) {
      const share = this.#current(key);
      if (share && share.left > 0) {
        share.left--;
        return this.#describe(share);
      }
      if (share?.isExceeded) return this.#describe(share);
      await this.#take(key);
    }
  }

  peek(key: string): RateCount {
    const share = this.#current(key);
    const untouched = { left: 0, remaining: this.#limit.quota, windowEnd: Date.now(), isExceeded: false };
    return { ...this.#describe(share ?? untouched), isExceeded: false };
  }

  /** As far as this process knows. */
  isUsedUp(key: string): boolean {
    const share = this.#current(key);
    return share !== undefined && share.left + share.remaining <= 0;
  }

  stop(): void {
    clearInterval(this.#cleaner);
  }

  #current(key: string): Share | undefined {
    const share = this.#shares.get(key);
    return share && share.windowEnd > Date.now() ? share : undefined;
  }

  /** Concurrent operations of one key share one request to the store. */
  #take(key: string): Promise<Share> {
    const pending = this.#taking.get(key);
    if (pending) return pending;
    const taking = this.#askStore(key).finally(() => this.#taking.delete(key));
    this.#taking.set(key, taking);
    return taking;
  }

  async #askStore(key: string): Promise<Share> {
    const answer = await this.#store.consume(key, this.#shareSize).catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal;
      throw refusal;
    });
    const isExceeded = answer.consumedPoints > this.#limit.quota;
    const share: Share = {
      left: isExceeded ? 0 : this.#shareSize,
      remaining: answer.remainingPoints,
      // Otherwise a window that is about to end would expire before its share is used.
      windowEnd: Date.now() + Math.max(answer.msBeforeNext, 1),
      isExceeded,
    };
    this.#shares.set(key, share);
    return share;
  }

  #describe({ left, remaining, windowEnd, isExceeded }: Share): RateCount {
    const resetSeconds = Math.max(1, Math.ceil((windowEnd - Date.now()) / SECOND));
    return { ...this.#limit, remaining: remaining + left, resetSeconds, isExceeded };
  }

  #forgetOld(): void {
    const now = Date.now();
    for (const [key, { windowEnd }] of this.#shares) if (windowEnd <= now) this.#shares.delete(key);
  }
}
