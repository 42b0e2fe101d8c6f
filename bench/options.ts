import { parseArgs } from 'node:util';

export interface Options {
  /** Names of benchmarks; empty: all. */
  names: string[];
  rounds: number;
  seconds: number;
  /** Of the largest database of `growth`. */
  messages: number;
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
      messages: { type: 'string', default: '1000000' },
      profile: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  return {
    names: positionals,
    rounds: countOf('rounds', values.rounds, 50),
    seconds: countOf('seconds', values.seconds, 60),
    messages: countOf('messages', values.messages, 100_000_000),
    profile: values.profile,
    write: values.write,
  };
}

function countOf(name: string, text: string, most: number): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > most) throw new Error(`--${name} should be 1 to ${most}`);
  return count;
}
