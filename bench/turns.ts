import type { Figures } from './comparison.ts';

/** Returns the part to measure. */
export type Turn = () => Promise<() => Promise<unknown>>;

/** The rate is derived from the median. */
export async function takeTurns(turn: Turn, seconds: number): Promise<Figures> {
  const end = performance.now() + seconds * 1000;
  const took: number[] = [];
  while (performance.now() < end || took.length < FEWEST) {
    const measured = await turn();
    const start = performance.now();
    await measured();
    took.push(performance.now() - start);
  }
  const median = took.sort((a, b) => a - b)[Math.floor(took.length / 2)]!;
  return { 'requests/s': 1000 / median };
}

const FEWEST = 5;
