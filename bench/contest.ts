import type { Options } from './options.ts';

/** Figures of one side of one round, by name: `{ 'requests/s': 2400 }`. */
export type Figures = Record<string, number>;

/** The service beside the bare limit, which does the same work with nothing around it. */
export interface Contest {
  name: string;
  service: () => Promise<Figures>;
  bare: () => Promise<Figures>;
  /** Checks, after the last round, what the answers could not show. @throws something is wrong */
  check?: () => Promise<void>;
  /** What the line of the table can't say. */
  note?: (outcome: Outcome) => string;
}

/** One line of the table. */
export interface Outcome {
  name: string;
  unit: string;
  service: number;
  bare: number;
  ratio: number;
  lowest: number;
  highest: number;
  note: string | undefined;
}

/**
 * Runs both sides in turn, after one round each that does not count. Ratios are those of neighbours in time, so that a
 * machine which is slow for a while is slow for both.
 */
export async function hold({ name, service, bare, check, note }: Contest, { rounds }: Options): Promise<Outcome[]> {
  await service();
  await bare();
  const pairs: [service: Figures, bare: Figures][] = [];
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`${name}: round ${round} of ${rounds}\n`);
    pairs.push([await service(), await bare()]);
  }
  await check?.();
  return Object.keys(pairs[0]![0]).map((unit) => {
    const ours = pairs.map(([figures]) => figures[unit]!);
    const limits = pairs.map(([, figures]) => figures[unit]!);
    const ratios = ours.map((figure, round) => figure / limits[round]!);
    const outcome = {
      name,
      unit,
      service: median(ours),
      bare: median(limits),
      ratio: median(ratios),
      lowest: Math.min(...ratios),
      highest: Math.max(...ratios),
    };
    return { ...outcome, note: note?.({ ...outcome, note: undefined }) };
  });
}

function median(numbers: number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
