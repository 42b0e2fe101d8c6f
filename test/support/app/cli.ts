import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect, vi } from 'vitest';
import { runCommandLine } from '../../../src/operator/cli/command-line.ts';
import { program } from './compiled-source.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

export interface CliAnswer {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningCommand {
  answer: Promise<CliAnswer>;
  interrupt: () => void;
  kill: () => Promise<void>;
}

export function cli(env: Record<string, string>, ...args: string[]): Promise<CliAnswer> {
  return launchCli(env, ...args).answer;
}

export function launchCli(env: Record<string, string>, ...args: string[]): RunningCommand {
  const { DATABASE_URL: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [program('cli'), ...args], {
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
  const answer = once(child, 'close').then(() => ({ code: child.exitCode, stdout, stderr }));
  return {
    answer,
    interrupt: () => child.kill('SIGINT'),
    kill: async () => {
      child.kill('SIGKILL');
      await answer;
    },
  };
}

/** Rejects when the command exits; for use in `Promise.race`. */
export async function endedEarly({ answer }: RunningCommand): Promise<never> {
  const { code, stderr } = await answer;
  throw new Error(`it ended with ${code}:\n${stderr}`);
}

/** Runs a CLI command with `--json`, which must succeed. @returns its output */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export async function cliJson(env: Record<string, string>, ...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await cli(env, ...args, '--json');
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^(atrium: creating a database in .+\n)?(atrium: applying \d+ migrations\n)*$/),
  });
  return JSON.parse(stdout);
}

/** Like `cli`, but within this process, which is much faster; for the many cases of invalid input. */
export async function cliHere(env: Record<string, string>, ...args: string[]): Promise<CliAnswer> {
  vi.stubEnv('DATABASE_URL', undefined);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const [out, err] = [captureOutput(process.stdout), captureOutput(process.stderr)];
  try {
    const code = await runCommandLine(['node', 'cli', ...args]);
    return { code, stdout: out.written(), stderr: err.written() };
  } finally {
    out.release();
    err.release();
    vi.unstubAllEnvs();
  }
}

function captureOutput(stream: NodeJS.WriteStream) {
  let written = '';
  const spy = vi.spyOn(stream, 'write').mockImplementation((text, ...rest) => {
    written += text;
    for (const callback of rest) if (typeof callback === 'function') callback();
    return true;
  });
  return { written: () => written, release: () => spy.mockRestore() };
}
