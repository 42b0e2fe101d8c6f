const FIRST = 1_000;
const LONGEST = 10_000;

/**
 * How long to wait before the nth try again, counted from 0: up to 1, 2, 4, 8, 10 s. By chance, since thousands who
 * lost their connection together should not come back together. A wait that the service asked for is kept.
 * @returns milliseconds
 */
export function pauseBefore(nth: number, retryAfter = 0): number {
  return retryAfter * 1_000 + Math.random() * Math.min(LONGEST, FIRST * 2 ** nth);
}

/** Waits; an abort ends it early, without an error. */
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
