import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import type { Outcome } from './comparison.ts';
import type { Options } from './options.ts';
import { plot } from './plot.ts';
import { machine, table } from './table.ts';

const FOLDER = new URL('../docs/benchmarks/', import.meta.url);

export async function write(outcomes: Outcome[], postgres: string, { names, rounds, seconds }: Options): Promise<void> {
  const command = ['npm run bench --', ...names, `--rounds ${rounds} --seconds ${seconds} --write`].join(' ');
  const page = `# Benchmarks

\`${command}\`, ${new Date().toISOString().slice(0, 10)}, commit ${commit()}.

${machine(postgres)}
Each row compares the service with a bare baseline that does the same work with \`node:http\`, \`pg\` and \`ws\` only: its
own schema, one prepared statement per request, a pool of the same size, and the same JSON. Some rows name another
baseline. Both sides alternate for ${rounds} rounds of ${seconds} s, after one warm-up round, with 32 connections. Figures are medians. Each ratio
compares adjacent rounds, so that a slow phase of the machine affects both sides. [Performance](../performance.md) explains
the limits of the service.

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
