import { MINUTE } from '../../lib/time.ts';

const BURST = 100;
const PER_MINUTE = 10;
const MAX_KINDS = 5_000;

interface Bucket {
  tokens: number;
  /** Milliseconds of a monotonic clock. */
  filledAt: number;
}

/**
 * Decides which requests of a kind are recorded: the first hundred, then ten per minute, so that a flood of one kind
 * does not displace others.
 */
export class RequestSamples {
  readonly #buckets = new Map<string, Bucket>();

  admits(kind: string, now: number): boolean {
    const bucket = this.#buckets.get(kind) ?? { tokens: BURST, filledAt: now };
    const tokens = Math.min(BURST, bucket.tokens + ((now - bucket.filledAt) / MINUTE) * PER_MINUTE);
    const isAdmitted = tokens >= 1;
    this.#buckets.delete(kind);
    this.#buckets.set(kind, { tokens: isAdmitted ? tokens - 1 : tokens, filledAt: now });
    if (this.#buckets.size > MAX_KINDS) this.#buckets.delete(this.#buckets.keys().next().value!);
    return isAdmitted;
  }
}
