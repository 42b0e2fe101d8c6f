export interface Clock {
  /** Milliseconds of a monotonic clock. */
  now: () => number;
  every: (milliseconds: number, tick: () => void) => () => void;
}

export const CLOCK: Clock = {
  now: () => performance.now(),
  every(milliseconds, tick) {
    const timer = setInterval(tick, milliseconds).unref();
    return () => clearInterval(timer);
  },
};
