// Tools that few proofs and the release need. They are not in package.json, because together they have as many packages
// as the service; npm installs them on first use into a cache outside the repository.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

interface Tool {
  /** Exact versions, so that a release of a tool cannot change a result. */
  dependencies: Record<string, string>;
  overrides?: object;
}

const TOOLS = {
  'compose-linter': { dependencies: { dclint: '3.1.0' } },
  'openapi-client': {
    dependencies: { 'openapi-fetch': '0.17.0', 'openapi-typescript': '7.13.0', typescript: '5.9.3' },
  },
  'package-checks': { dependencies: { '@arethetypeswrong/cli': '0.18.5', publint: '0.3.25' } },
  registry: {
    dependencies: { verdaccio: '6.8.0' },
    // It requires a tag that the registry does not have.
    overrides: { 'verdaccio-audit': { 'node-fetch': '^2.7.0' } },
  },
} satisfies Record<string, Tool>;

/** @returns the folder that contains `node_modules` with the tool */
export function installTool(name: keyof typeof TOOLS): string {
  const manifest: Tool = TOOLS[name];
  const versions = Object.entries(manifest.dependencies).map(([tool, version]) => `${tool}@${version}`);
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'atrium-tools');
  const folder = join(cache, versions.join('+').replaceAll('/', '-'));
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const place = mkdtempSync(join(cache, 'installing-'));
  try {
    writeFileSync(join(place, 'package.json'), JSON.stringify({ private: true, ...manifest }));
    npm(['install', '--ignore-scripts', '--no-audit', '--no-fund'], place);
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
