import type { Clock } from '../../src/realtime/presence.ts';

/** A clock that stands until a test moves it on. */
export class HandClock implements Clock {
  #time = 0;
  readonly #tickers = new Set<{ due: number; every: number; tick: () => void }>();

  now = (): number => this.#time;

  every = (milliseconds: number, tick: () => void): (() => void) => {
    const ticker = { due: this.#time + milliseconds, every: milliseconds, tick };
    this.#tickers.add(ticker);
    return () => this.#tickers.delete(ticker);
  };

  /** What is due on the way happens in its order. */
  pass(milliseconds: number): void {
    const end = this.#time + milliseconds;
    for (;;) {
      const [next] = [...this.#tickers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due);
      if (!next) break;
      this.#time = next.due;
      next.due += next.every;
      next.tick();
    }
    this.#time = end;
  }
}
