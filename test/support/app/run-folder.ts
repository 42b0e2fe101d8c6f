import { spawn } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');

const SHARED_MEMORY = '/dev/shm';
/** All proofs together use less than half of it. Containers often have 64 MB. */
const NEEDED_BYTES = 4 * 2 ** 30;

export interface RunFolders {
  /** In the root of the repository, so that the packages are found. */
  build: string;
  remove: () => void;
}

/**
 * Creates a folder for everything temporary of a run and makes it the folder that `tmpdir()` returns, here and in all
 * processes of the run. A separate process removes it, and all processes that still use it, when `remove` is called or
 * when this process ends, even by SIGKILL.
 */
export async function createRunFolders(): Promise<RunFolders> {
  const folder = await mkdtemp(join(process.env.TMPDIR ?? memoryFolder() ?? tmpdir(), 'atrium-test-'));
  await chmod(folder, 0o1777); // like `/tmp`: as root, PostgreSQL and some tests run as other users
  process.env.TMPDIR = folder;
  const build = await mkdtemp(join(ROOT, 'dist-test-'));
  const cleaner = spawn(process.execPath, [join(import.meta.dirname, 'run-cleaner.mjs'), folder, build], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  cleaner.unref();
  return { build, remove: () => cleaner.stdin.end() };
}

/** Where each test file of the run leaves the statements that it made the service send. */
export const statementsFolder = () => join(tmpdir(), 'statements');

/** A file system in memory takes a tenth of the time of a disk to clone the 700 files of a database. */
function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize >= NEEDED_BYTES ? SHARED_MEMORY : undefined;
  } catch {
    return undefined;
  }
}
