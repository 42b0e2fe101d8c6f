import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import type { Outcome } from './comparison.ts';
import type { Options } from './options.ts';
import { machine, table } from './table.ts';

const PAGE = new URL('../docs/performance.md', import.meta.url);
const HEADING = '\n## Results\n';

/** Replaces the last section of the page. */
export async function write(outcomes: Outcome[], postgres: string, { names, rounds, seconds }: Options): Promise<void> {
  const command = ['npm run bench --', ...names, `--rounds ${rounds} --seconds ${seconds} --write`].join(' ');
  const [before] = (await readFile(PAGE, 'utf8')).split(HEADING);
  await writeFile(
    PAGE,
    `${before}${HEADING}
\`${command}\`, ${new Date().toISOString().slice(0, 10)}, commit ${commit()}.

${machine(postgres)}
Both sides alternate for ${rounds} rounds of ${seconds} s, after one warm-up round, with 32 connections. Figures are medians. Each ratio
compares adjacent rounds, so that a slow phase of the machine affects both sides.

${table(outcomes)}`,
  );
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const isChanged = git('status', '--porcelain', '--', 'src', 'prisma', 'package-lock.json') !== '';
  return git('rev-parse', '--short', 'HEAD') + (isChanged ? ', with changes' : '');
}
