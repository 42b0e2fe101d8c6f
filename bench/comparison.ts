import type { Options } from './options.ts';

/** Results of one side of one round by unit: `{ 'requests/s': 2400 }`. */
export type Figures = Record<string, number>;

/** The service compared with a baseline that does the same work with nothing around it. */
export interface Comparison {
  name: string;
  service: () => Promise<Figures>;
  bare: () => Promise<Figures>;
  note?: (outcome: Outcome) => string;
}

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

/** Ratios compare adjacent rounds, so that a slow phase of the machine affects both sides. */
export async function compare({ name, service, bare, note }: Comparison, { rounds }: Options): Promise<Outcome[]> {
  await service();
  await bare();
  const pairs: [service: Figures, bare: Figures][] = [];
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`${name}: round ${round} of ${rounds}\n`);
    pairs.push([await service(), await bare()]);
  }
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

export function median(numbers: number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
