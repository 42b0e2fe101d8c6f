import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from '../tools.ts';
import { type Package, ROOT } from './packages.ts';

/** Bytes of the compressed package. */
const MAX_BYTES = 9 * 1024 * 1024;

/** Nothing else of a package may be published. */
const FORBIDDEN = [/(^|\/)\.env/, /(^|\/)data\//, /\.(key|pem|p8|p12)$/, /credentials\.json$/];

export interface Packed extends Package {
  file: string;
  bytes: number;
  files: string[];
}

/** @returns what hinders the release */
export function problemsOf(packages: readonly Package[], packed: readonly Packed[]): string[] {
  return [...versionProblems(packages), ...packed.flatMap(contentProblems), ...packed.flatMap(toolProblems)];
}

function versionProblems(packages: readonly Package[]): string[] {
  const versions = [...new Set(packages.map(({ manifest }) => manifest.version))];
  if (versions.length > 1) return [`the versions differ: ${versions.join(', ')}; run npm run version:set <version>`];
  const names = packages.map(({ manifest }) => manifest.name);
  return packages.flatMap(({ manifest }) =>
    Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })
      .filter(([name, range]) => names.includes(name) && range !== `^${versions[0]}`)
      .map(([name, range]) => `${manifest.name} depends on ${name} ${range}; expected ^${versions[0]}`),
  );
}

/** That of a release must be described before it is published. */
export function changelogProblems(version: string): string[] {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  return changelog.includes(`\n## ${version}`) ? [] : [`CHANGELOG.md has no section ${version}`];
}

function contentProblems({ manifest: { name, bundleDependencies }, bytes, files }: Packed): string[] {
  const forbidden = bundleDependencies ? FORBIDDEN : [...FORBIDDEN, /(^|\/)node_modules\//];
  const secrets = files.filter((path) => forbidden.some((pattern) => pattern.test(path)));
  return [
    ...secrets.map((path) => `${name} contains ${path}`),
    ...(bytes > MAX_BYTES ? [`${name} has ${bytes} bytes; at most ${MAX_BYTES} are allowed`] : []),
  ];
}

function toolProblems({ manifest: { name, exports }, file }: Packed): string[] {
  const lint = run('publint', ['--strict', file]);
  // All packages are ES modules, which `require` can load since Node.js 20.19.
  const others = Object.keys(exports ?? {}).filter((path) => /\.(css|graphql)$/.test(path));
  const excluded = others.length > 0 ? ['--exclude-entrypoints', ...others] : [];
  const options = ['--profile', 'esm-only', '--no-color', '--no-emoji', ...excluded];
  const types = exports ? run('attw', [file, ...options]) : undefined;
  return [lint, types].filter((problem) => problem !== undefined).map((problem) => `${name}: ${problem}`);
}

function run(tool: string, args: string[]): string | undefined {
  const { status, stdout, stderr } = runTool('package-checks', tool, args, 'pipe');
  return status === 0 ? undefined : `${tool} failed:\n${stdout}${stderr}`;
}
