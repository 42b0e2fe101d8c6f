const FIRST = 1_000;
const LONGEST = 10_000;

/**
 * Backoff before the nth retry, counted from 0: at most 1, 2, 4, 8, then 10 s. Random, so that clients that lost their
 * connection together do not reconnect together. `retryAfter` is added.
 * @returns milliseconds
 */
export function pauseBefore(nth: number, retryAfter = 0): number {
  return retryAfter * 1_000 + Math.random() * Math.min(LONGEST, FIRST * 2 ** nth);
}

/** Resolves early, without an error, on abort. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}
