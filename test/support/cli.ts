import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

export interface CliAnswer {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs one command of the CLI as a process of its own, from source, to its end. */
export async function cli(env: Record<string, string>, ...args: string[]): Promise<CliAnswer> {
  const { DATABASE_URL: _, ...inherited } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli.ts', ...args], {
    cwd: ROOT,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  await once(child, 'close');
  return { code: child.exitCode, stdout, stderr };
}

/** As `cli`, with `--json`, of a command that succeeds. @returns what it prints */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export async function cliJson(env: Record<string, string>, ...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await cli(env, ...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}
