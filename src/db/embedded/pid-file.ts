import { closeSync, constants, ftruncateSync, openSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** What a server's lock file tells; `host` is the folder of its Unix socket (on Windows an address). */
export type PidFile = { pid: number; host: string; port: number };

/** @returns undefined when there is none or when its server is still writing it; that server need not be alive */
export function readPidFile(folder: string): PidFile | undefined {
  const [pid, , , port, socketFolder, address] = readLines(folder);
  const host = process.platform === 'win32' ? address : socketFolder;
  return pid && port && host ? { pid: Number(pid), port: Number(port), host } : undefined;
}

/**
 * PostgreSQL does not start while the process named in the lock file lives. That number may belong to somebody else by
 * now (after a power cut, in a restarted container) or to a dead server nobody has waited for (in a container without
 * an init), and the start would fail until that ends. Naming us instead helps: a server takes its parent for no rival,
 * and still looks for processes its predecessor has left by other means.
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

/** A server has its cluster's folder as its working directory from its first moment until it is dead. */
function isServerOf(folder: string, pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch (error) {
    // Another user's process is none of ours, and PostgreSQL knows.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
