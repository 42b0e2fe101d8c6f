import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { program } from './compiled-source.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

export interface Service {
  url: string;
  dataDir: string;
  pid: number;
  output: () => string;
  /** Stops it gracefully. @returns its exit code */
  stop: () => Promise<number | null>;
  kill: () => Promise<void>;
}

/** A data folder that the embedded PostgreSQL can use, also if root runs the tests. */
export async function createDataDir(): Promise<{ dataDir: string; remove: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-service-'));
  await chmod(dataDir, 0o755);
  return { dataDir, remove: () => rm(dataDir, { recursive: true, force: true }) };
}

/** Environment with an empty data folder, which is removed when the test ends. */
export async function freshDataDir(): Promise<{ DATA_DIR: string }> {
  const { dataDir, remove } = await createDataDir();
  onTestFinished(remove);
  return { DATA_DIR: dataDir };
}

/** Starts the service as a separate process on a free port, and waits until it is ready. */
export async function startService(dataDir: string, env: Record<string, string> = {}): Promise<Service> {
  const { child, output } = launch({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn', RATE_LIMIT: 'off', ...env });
  const url = await readyUrl(child, output);
  return {
    url,
    dataDir,
    pid: child.pid!,
    output,
    stop: async () => {
      child.kill('SIGTERM');
      return exitCode(child);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exitCode(child);
    },
  };
}

/** Starts a service that must fail to start. @returns its exit code and output */
export async function failToStart(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const { child, output } = launch({ PORT: '0', ...env });
  return { code: await exitCode(child), output: output() };
}

export function launch(env: Record<string, string>) {
  const { DATABASE_URL: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [program('main')], {
    cwd: ROOT,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      written += text;
    });
  }
  return { child, output: () => written };
}

async function readyUrl(child: ChildProcess, output: () => string): Promise<string> {
  for (;;) {
    const url = /ready at (\S+)\n/.exec(output())?.[1];
    if (url) return url;
    if (child.exitCode !== null) throw new Error(`the service did not start:\n${output()}`);
    await Promise.race([once(child.stdout!, 'data'), once(child, 'close')]);
  }
}

/** Waits for the exit; null if a signal ended the process. */
export async function exitCode(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  return child.exitCode;
}
