import type { Clock } from '../../../src/realtime/presence.ts';

/** A clock that stands still until a test moves it. */
export class TestClock implements Clock {
  readonly #start: number;
  #time: number;
  readonly #timers = new Set<{ due: number; every: number; tick: () => void }>();

  constructor(start = 0) {
    this.#start = start;
    this.#time = start;
  }

  now = (): number => this.#time;

  date = (): Date => new Date(this.#time);

  every = (milliseconds: number, tick: () => void): (() => void) => {
    const timer = { due: this.#time + milliseconds, every: milliseconds, tick };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** Moves on; timers that become due tick in their order. */
  advance(milliseconds: number): void {
    const end = this.#time + milliseconds;
    for (;;) {
      const [next] = [...this.#timers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due);
      if (!next) break;
      this.#time = next.due;
      next.due += next.every;
      next.tick();
    }
    this.#time = end;
  }

  /** Jumps to a moment, also backwards; no timer ticks. */
  set(moment: Date): void {
    this.#time = moment.getTime();
  }

  /** Jumps to where it started, or so many milliseconds after. */
  reset(milliseconds = 0): void {
    this.#time = this.#start + milliseconds;
  }
}
