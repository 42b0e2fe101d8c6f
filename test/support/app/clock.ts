import type { Clock } from '../../../src/realtime/clock.ts';

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

  /** Moves forward and runs the timers that become due, in order. */
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

  /** Jumps to a time, also backwards, without running timers. */
  set(moment: Date): void {
    this.#time = moment.getTime();
  }

  /** Jumps to the start time plus `milliseconds`. */
  reset(milliseconds = 0): void {
    this.#time = this.#start + milliseconds;
  }
}
