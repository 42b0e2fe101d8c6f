import { closeSync, constants, ftruncateSync, openSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A server's lock file; `host` is the folder of its Unix socket (on Windows an address). */
export type PidFile = { pid: number; host: string; port: number };

/** @returns undefined if absent or incomplete; the server may be dead */
export function readPidFile(folder: string): PidFile | undefined {
  const [pid, , , port, socketFolder, address] = readLines(folder);
  const host = process.platform === 'win32' ? address : socketFolder;
  return pid && port && host ? { pid: Number(pid), port: Number(port), host } : undefined;
}

/**
 * PostgreSQL does not start while the process in the lock file lives. That id may belong to another process by now
 * (after a power failure, in a restarted container) or to an unreaped zombie (in a container without an init). Writing
 * the id of this process helps, because a server ignores its parent, and it still detects processes of its predecessor
 * by other means.
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
    // A process of another user: PostgreSQL itself handles it.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
