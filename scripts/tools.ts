// Tools that few proofs and the release need. They are not in package.json, because together they have as many packages
// as the service; npm installs them on first use into a cache outside the repository.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Exact versions, so that a release of a tool cannot change a result. */
const TOOLS = {
  'compose-linter': { dclint: '3.1.0' },
  'package-checks': { '@arethetypeswrong/cli': '0.18.5', publint: '0.3.25' },
  'openapi-client': { 'openapi-fetch': '0.17.0', 'openapi-typescript': '7.13.0', typescript: '5.9.3' },
  registry: { verdaccio: '6.8.0' },
} as const;

/** @returns the folder that contains `node_modules` with the tool */
export function installTool(name: keyof typeof TOOLS): string {
  const packages = Object.entries(TOOLS[name]).map(([tool, version]) => `${tool}@${version}`);
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'atrium-tools');
  const folder = join(cache, packages.join('+').replaceAll('/', '-'));
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const place = mkdtempSync(join(cache, 'installing-'));
  try {
    writeFileSync(join(place, 'package.json'), '{ "private": true }');
    npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', ...packages], place);
    // Another process may have installed it in the meantime.
    if (!existsSync(folder)) renameSync(place, folder);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  return folder;
}

function npm(args: string[], cwd: string): void {
  const options = { cwd, encoding: 'utf8', shell: process.platform === 'win32' } as const;
  const { status, stderr } = spawnSync('npm', args, options);
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stderr}`);
}
