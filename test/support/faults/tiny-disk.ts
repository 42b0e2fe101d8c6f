import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { open, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CHUNK = Buffer.alloc(4096, 'x');

/** A separate small file system, with the shape of `createDataDir`. */
export interface TinyDisk {
  dataDir: string;
  fill: () => Promise<void>;
  free: () => Promise<void>;
  remove: () => Promise<void>;
}

/** @throws if this process may not mount */
export function mountTinyDisk(megabytes: number): TinyDisk {
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-disk-'));
  const { status, stderr } = spawnSync('mount', [
    ...['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs'],
    dataDir,
  ]);
  if (status !== 0) {
    rmdirSync(dataDir);
    throw new Error(`no file system can be mounted here: ${stderr}`);
  }
  const filling = join(dataDir, 'filling');
  return {
    dataDir,
    fill: async () => {
      const file = await open(filling, 'a');
      try {
        for (;;) await file.write(CHUNK);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        await file.close();
      }
    },
    free: () => rm(filling, { force: true }),
    remove: async () => {
      // A process that just ended may still hold a file, so the unmount is lazy.
      spawnSync('umount', ['--lazy', dataDir]);
      await rmdir(dataDir);
    },
  };
}

/** Whether this process may mount, which requires root on Linux. */
export const CAN_MOUNT = canMount();

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    void mountTinyDisk(1).remove();
    return true;
  } catch {
    return false;
  }
}
