import { SECOND } from '../lib/time.ts';

interface Rate {
  perSecond: number;
  burst: number;
}

const RATES = {
  stanza: { perSecond: 20, burst: 200 },
  join: { perSecond: 20, burst: 2_000 },
  typing: { perSecond: 2, burst: 2 },
} satisfies Record<string, Rate>;

export type RateName = keyof typeof RATES;

const MAX_BUCKETS = 50;

interface Bucket extends Rate {
  tokens: number;
  at: number;
}

/** How fast a client may send. A stanza beyond the rate is handled, but nothing is read until the rate permits more. */
export class Flow {
  /** By kind, or by kind and address; the least recently used one is forgotten. */
  readonly #buckets = new Map<string, Bucket>();

  /** @param of what the rate applies to @param now milliseconds @returns how long to stop reading, in milliseconds */
  take(kind: RateName, of: string, now: number): number {
    const key = `${kind} ${of}`;
    const rate = RATES[kind];
    const bucket = this.#buckets.get(key) ?? { ...rate, tokens: rate.burst, at: now };
    bucket.tokens = Math.min(rate.burst, bucket.tokens + ((now - bucket.at) / SECOND) * rate.perSecond) - 1;
    bucket.at = now;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= MAX_BUCKETS) break;
      this.#buckets.delete(oldest);
    }
    return bucket.tokens >= 0 ? 0 : Math.ceil((-bucket.tokens / rate.perSecond) * SECOND);
  }
}
