import { parseArgs } from 'node:util';

export interface Options {
  /** Names of benchmarks; empty: all. */
  names: string[];
  rounds: number;
  seconds: number;
  /** Folder for a CPU profile of the service. Profiling is slow and lowers the ratios. */
  profile: string | undefined;
  write: boolean;
}

/** `npm run bench -- send list --rounds 3 --seconds 2` */
export function readOptions(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      profile: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  return {
    names: positionals,
    rounds: countOf('rounds', values.rounds, 50),
    seconds: countOf('seconds', values.seconds, 60),
    profile: values.profile,
    write: values.write,
  };
}

function countOf(name: string, text: string, most: number): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > most) throw new Error(`--${name} should be 1 to ${most}`);
  return count;
}
