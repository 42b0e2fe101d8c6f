// `npm run release` packs, checks and publishes all packages; with `--dry-run`, it publishes nothing.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { changelogProblems, type Packed, problemsOf } from './checks.ts';
import { type Package, publishedPackages, ROOT } from './packages.ts';

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    /** Keeps the packed files. */
    out: { type: 'string' },
    /** Packs what is built. */
    'skip-build': { type: 'boolean', default: false },
  },
});
const isDryRun = values['dry-run'];
const folder = values.out ? resolve(values.out) : mkdtempSync(join(tmpdir(), 'atrium-release-'));
mkdirSync(folder, { recursive: true });

try {
  const packages = publishedPackages();
  const { version } = packages[0]!.manifest;
  const packed = packages.map(pack);
  const problems = [...problemsOf(packages, packed), ...(isDryRun ? [] : releaseProblems(version))];
  for (const [index, { manifest, bytes, files }] of packed.entries()) {
    const size = `${Math.ceil(bytes / 1024)} kB, ${files.length} files`;
    print(`${index + 1}. ${manifest.name}@${manifest.version}  ${size}`);
  }
  if (problems.length > 0) {
    print(`\nnot ready for a release:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    process.exitCode = 1;
  } else if (isDryRun) {
    print('\ndry run: all checks passed, nothing was published');
    for (const problem of changelogProblems(version)) print(`before the release: ${problem}`);
  } else for (const one of packed) publish(one);
} finally {
  if (!values.out) rmSync(folder, { recursive: true, force: true });
}

function pack({ folder: path, manifest }: Package): Packed {
  const scripts = values['skip-build'] ? ['--ignore-scripts'] : [];
  // Scripts of the package write to the standard output, too.
  const output = npm(['pack', '--json', '--silent', '--pack-destination', folder, ...scripts], join(ROOT, path));
  const [{ filename, size, files }] = JSON.parse(output.slice(output.indexOf('[\n  {')));
  const paths = (files as { path: string }[]).map((file) => file.path);
  return { folder: path, manifest, file: join(folder, filename), bytes: size, files: paths };
}

/** npm signs a statement of where the package was built, which requires a build server that it knows. */
function publish({ file, manifest }: Packed): void {
  print(`\npublishing ${manifest.name}@${manifest.version}`);
  npm(['publish', file, '--provenance', '--access', 'public'], ROOT);
}

function releaseProblems(version: string): string[] {
  const { stdout } = spawnSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' });
  const isBuildServer = process.env.GITHUB_ACTIONS === 'true' || process.env.GITLAB_CI === 'true';
  return [
    ...changelogProblems(version),
    ...(stdout.trim() === '' ? [] : ['the working tree has changes that are not committed']),
    ...(isBuildServer ? [] : ['packages are only published by a workflow of a build server, with provenance']),
  ];
}

function npm(args: string[], cwd: string): string {
  const options = { cwd, encoding: 'utf8', shell: process.platform === 'win32', maxBuffer: 64 << 20 } as const;
  const { status, stdout, stderr } = spawnSync('npm', args, options);
  if (status === 0) return stdout;
  throw new Error(`npm ${args[0]} in ${cwd} failed:\n${stdout}${stderr}`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
