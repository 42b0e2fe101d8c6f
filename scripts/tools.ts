// Tools that few commands need, in `tools`. They are not in package.json, because together they are larger than the
// service; npm installs them on first use, with the versions of their lockfile, into a cache outside the repository.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

const TOOLS = resolve(import.meta.dirname, '../tools');

type ToolSet = 'checks' | 'compose-linter' | 'load-generator' | 'openapi-client' | 'package-checks' | 'registry';

/** @returns the folder that contains `node_modules` with the tools @throws npm cannot install them */
export function installTools(name: ToolSet): string {
  const files = ['package.json', 'package-lock.json'].map((file) => join(TOOLS, name, file));
  const hash = createHash('sha256').update(readFileSync(files[1]!)).digest('hex').slice(0, 12);
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'atrium-tools');
  const folder = join(cache, `${name}-${hash}`);
  if (existsSync(folder)) return folder;
  process.stderr.write(`installing tools/${name} into ${folder}\n`);
  mkdirSync(cache, { recursive: true });
  const temporary = mkdtempSync(join(cache, 'installing-'));
  try {
    for (const [index, file] of files.entries())
      copyFileSync(file, join(temporary, ['package.json', 'package-lock.json'][index]!));
    npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], temporary);
    // Another process may have installed them in the meantime.
    if (!existsSync(folder)) renameSync(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return folder;
}

/** Runs a program of the tools in the current folder. */
export function runTool(
  name: ToolSet,
  program: string,
  args: string[],
  stdio: 'inherit' | 'pipe',
): SpawnSyncReturns<string> {
  const isWindows = process.platform === 'win32';
  const path = join(installTools(name), 'node_modules/.bin', isWindows ? `${program}.cmd` : program);
  return spawnSync(path, args, { stdio, encoding: 'utf8', shell: isWindows });
}

function npm(args: string[], cwd: string): void {
  const options = { cwd, encoding: 'utf8', shell: process.platform === 'win32' } as const;
  const { status, stderr } = spawnSync('npm', args, options);
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stderr}`);
}
