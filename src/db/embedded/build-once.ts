import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isAlive } from './pid-file.ts';

/** Other processes see `folder` complete or not at all. The first of several builders wins, and all use its result. */
export async function buildOnce(folder: string, build: (temporary: string) => unknown): Promise<void> {
  removeAbandoned(folder);
  const temporary = `${folder}.new-${process.pid}-${randomBytes(4).toString('hex')}`;
  mkdirSync(temporary, { mode: 0o700 });
  try {
    await build(temporary);
    putInPlace(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function removeAbandoned(folder: string): void {
  const prefix = `${basename(folder)}.new-`;
  for (const name of readdirSync(dirname(folder))) {
    if (!name.startsWith(prefix)) continue;
    const builder = Number.parseInt(name.slice(prefix.length), 10);
    if (!isAlive(builder)) rmSync(join(dirname(folder), name), { recursive: true, force: true });
  }
}

function putInPlace(temporary: string, folder: string): void {
  try {
    // POSIX replaces an empty folder, Windows does not.
    if (process.platform === 'win32' && existsSync(folder)) rmdirSync(folder);
    renameSync(temporary, folder);
  } catch (error) {
    const wasFaster = ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (!wasFaster) throw error;
  }
}
