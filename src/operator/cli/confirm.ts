import { createInterface } from 'node:readline/promises';
import { Option } from 'commander';

export function yesOption(): Option {
  return new Option('--yes', 'do not ask for confirmation');
}

/** Asks on a terminal. @throws {Error} the answer is no, or there is no terminal and no `--yes` */
export async function confirm(question: string, { yes }: { yes?: boolean }): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) throw new Error(`${question} Add --yes to confirm`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} Type yes to continue: `);
    if (answer.trim().toLowerCase() !== 'yes') throw new Error('cancelled; nothing was changed');
  } finally {
    terminal.close();
  }
}
