import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { exitCode } from '../../support/app/service.ts';
import { until } from '../../support/app/until.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

// It starts services, each with a database server of its own.
const FILE = 'test/proof/operations/main.test.ts';

const builds = () => readdirSync(ROOT).filter((name) => name.startsWith('dist-test-'));

/** Command lines of processes that use the folder. */
function usersOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return `${command}${readFileSync(`/proc/${pid}/environ`, 'utf8')}`.includes(folder) ? command : '';
      } catch {
        return ''; // it ended
      }
    })
    .filter((command) => command !== '' && !command.includes('run-cleaner'));
}

test.runIf(existsSync('/proc/self/environ')).each([
  ['Ctrl-C', 'SIGINT', 'the process group'],
  ['SIGTERM', 'SIGTERM', 'the process'],
  ['SIGKILL', 'SIGKILL', 'the process'],
] as const)('a run of tests that ends by %s leaves no process and no folder', async (_name, signal, target) => {
  const before = builds();
  const runs = () => readdirSync(tmpdir()).filter((name) => name.startsWith('atrium-test-'));
  const run = spawn(process.execPath, [VITEST, 'run', '--project', 'proof', FILE], {
    cwd: ROOT,
    detached: true,
    stdio: 'ignore',
  });
  await until(() => runs().length === 1);
  const folder = join(tmpdir(), runs()[0]!);
  const isRunning = (program: RegExp) => usersOf(folder).some((command) => program.test(command));
  await until(() => isRunning(/dist-test-\w+\/main\.js/) && isRunning(/postgres\0-D\0.+atrium-service-/));
  process.kill(target === 'the process group' ? -run.pid! : run.pid!, signal);
  await exitCode(run);
  await until(() => builds().length === before.length && runs().length === 0);
  expect(usersOf(folder)).toEqual([]);
});
