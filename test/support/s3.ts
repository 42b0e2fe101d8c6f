import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is used of the package, which comes without types. */
interface S3rver {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}

const S3rver = createRequire(import.meta.url)('s3rver') as new (options: Record<string, unknown>) => S3rver;

export interface ObjectStore {
  endpoint: string;
  bucket: string;
  /** Keys of the objects it has. */
  keys: () => Promise<string[]>;
  stop: () => Promise<void>;
}

/** What the store takes for its only account. */
export const STORE_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

/** A store that speaks as S3 does, on a free port, with one bucket. It knows its account by the key, and no signatures. */
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
