import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from './cleanup.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 15_000;

export interface Started {
  url: string;
  child: ChildProcess;
  stop: () => Promise<void>;
}

/** @throws if the process exits or does not print `ready at <url>` within two minutes */
export async function startNode(
  args: string[],
  { env = {}, settings, cleanup }: { env?: Record<string, string>; settings?: unknown; cleanup: Cleanup },
): Promise<Started> {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const stop = () => stopChild(child);
  cleanup.add(stop);
  if (settings !== undefined) child.send(settings as object);
  return { url: await readyUrl(child, args), child, stop };
}

/** The settings are its first message. */
export function startScript(script: URL, settings: unknown, cleanup: Cleanup): Promise<Started> {
  const args = ['--env-file=production.env', '--import', 'tsx', fileURLToPath(script)];
  return startNode(args, { settings, cleanup });
}

function readyUrl(child: ChildProcess, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`node ${args.join(' ')}: ${reason}`));
    const timer = setTimeout(() => fail('not ready in time'), START_TIMEOUT_MS);
    let output = '';
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const [, url] = /ready at (\S+)\n/.exec(output) ?? [];
      if (!url) return;
      clearTimeout(timer);
      resolve(url);
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`ended with ${code}`);
    });
  });
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  const kill = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  child.kill('SIGTERM');
  await exited;
  clearTimeout(kill);
}
