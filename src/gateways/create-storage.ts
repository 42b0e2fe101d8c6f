import { join } from 'node:path';
import type { Logger } from 'pino';
import { DiskStorage } from './disk-storage.ts';
import type { S3Settings } from './s3-storage.ts';
import type { Storage } from './storage.ts';

export interface StorageSettings {
  /** With S3, the folder `<dataDir>/files` only buffers uploads. */
  s3: S3Settings | undefined;
  dataDir: string;
  log: Logger;
}

export async function createStorage({ s3, dataDir, log }: StorageSettings): Promise<Storage> {
  const folder = join(dataDir, 'files');
  if (!s3) return new DiskStorage(folder, log);
  const { S3Storage } = await import('./s3-storage.ts');
  return new S3Storage(s3, folder, log);
}
