import { closeSync, constants, ftruncateSync, openSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** `host` is the folder of the Unix socket (on Windows an address). */
export type PidFile = { pid: number; host: string; port: number };

/** @returns undefined if absent or incomplete; the server may be dead */
export function readPidFile(folder: string): PidFile | undefined {
  const [pid, , , port, socketFolder, address] = readLines(folder);
  const host = process.platform === 'win32' ? address : socketFolder;
  return pid && port && host ? { pid: Number(pid), port: Number(port), host } : undefined;
}

/**
 * PostgreSQL does not start while the process in the lock file lives, but that id may belong to another process or an
 * unreaped zombie by now. Writing the id of this process helps, because a server ignores its parent; it still detects
 * processes of its predecessor by other means.
 */
export function disownStranger(folder: string): void {
  if (process.platform !== 'linux') return;
  const [pid, ...rest] = readLines(folder);
  if (!pid || !isAlive(Number(pid)) || isServerOf(folder, Number(pid))) return;

  const file = openSync(join(folder, 'postmaster.pid'), constants.O_WRONLY | constants.O_NOFOLLOW);
  ftruncateSync(file);
  writeSync(file, [process.pid, ...rest].join('\n'));
  closeSync(file);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function readLines(folder: string): string[] {
  try {
    return readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** The working directory of a running server is its cluster's folder. */
function isServerOf(folder: string, pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
