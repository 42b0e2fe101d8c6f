import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import type { Outcome } from './contest.ts';
import type { Options } from './options.ts';
import { plot } from './plot.ts';
import { machine, table } from './table.ts';

const FOLDER = new URL('../docs/benchmarks/', import.meta.url);

/** Puts the outcomes of a run where readers find them: `docs/benchmarks/README.md` and its picture. */
export async function write(outcomes: Outcome[], postgres: string, { names, rounds, seconds }: Options): Promise<void> {
  const command = ['npm run bench --', ...names, `--rounds ${rounds} --seconds ${seconds} --write`].join(' ');
  const page = `# Benchmarks

\`${command}\`, ${new Date().toISOString().slice(0, 10)}, commit ${commit()}.

${machine(postgres)}
Each line is the service beside something bare that does the same work: the same statements, prepared once, on a pool as
large, and the same JSON, with \`node:http\`, \`pg\` and \`ws\` and nothing else; or beside what the line names. Both sides run
in turn, ${rounds} rounds of ${seconds} s after one that does not count, 32 connections at once. Figures are medians; a ratio is that of
two neighbours in time, so that a machine which is slow for a while is slow for both. What limits the service is told in
[performance](../performance.md).

![Ratios](ratios.svg)

${table(outcomes)}`;
  await mkdir(FOLDER, { recursive: true });
  await writeFile(new URL('README.md', FOLDER), page);
  await writeFile(new URL('ratios.svg', FOLDER), plot(outcomes));
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const isChanged = git('status', '--porcelain', '--', 'src', 'prisma', 'package-lock.json') !== '';
  return git('rev-parse', '--short', 'HEAD') + (isChanged ? ', with changes' : '');
}
