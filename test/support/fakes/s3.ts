import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

export interface ObjectStore {
  endpoint: string;
  bucket: string;
  keys: () => Promise<string[]>;
  stop: () => Promise<void>;
}

export const STORE_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

/** Starts an S3-compatible store with one bucket. It checks access keys, but not signatures. */
export async function startObjectStore(): Promise<ObjectStore> {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-s3-'));
  const bucket = 'our-files';
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket,
    keys: async () => {
      const files = await readdir(join(directory, bucket), { recursive: true });
      return files.flatMap((file) => /^(.*)\._S3rver_object$/.exec(file)?.[1] ?? []).sort();
    },
    stop: async () => {
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}
