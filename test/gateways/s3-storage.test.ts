import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { S3Storage } from '../../src/gateways/s3-storage.ts';
import { newStorageKey } from '../../src/gateways/storage.ts';
import { ServiceUnavailableError } from '../../src/lib/errors.ts';
import { until } from '../support/app/until.ts';
import { type ObjectStore, STORE_CREDENTIALS, startObjectStore } from '../support/fakes/s3.ts';
import { CAN_MOUNT, mountTinyDisk } from '../support/faults/tiny-disk.ts';

let store: ObjectStore;
let folder: string;
let storage: S3Storage;
const log = pino({ level: 'silent' });

beforeAll(async () => {
  Object.assign(process.env, STORE_CREDENTIALS);
  store = await startObjectStore();
  folder = await mkdtemp(join(tmpdir(), 'atrium-files-'));
  storage = new S3Storage({ ...store, region: undefined }, folder, log);
});

afterAll(async () => {
  storage.close();
  await store.stop();
  await rm(folder, { recursive: true });
});

const put = (key: string, ...chunks: Buffer[]) => storage.put(key, Readable.from(chunks), { maxBytes: 10_000_000 });

test('put stores the bytes unchanged in the bucket and nothing on the local disk', async () => {
  const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => index % 251));
  const key = newStorageKey(92);
  const md5 = createHash('md5').update(bytes).digest('hex');
  expect(await put(key, bytes.subarray(0, 7), bytes.subarray(7))).toEqual({ size: 3_000_000, md5 });
  const found = await storage.get(key);
  expect(found!.size).toBe(3_000_000);
  expect((await buffer(found!.stream)).equals(bytes)).toBe(true);
  expect(await store.keys()).toContain(key);
  expect(await readdir(folder)).toEqual([]);
});

// Mounting a small file system requires root.
test.skipIf(!CAN_MOUNT)(
  'put is unavailable when the temporary folder is full, even when the last write fails',
  async () => {
    const disk = mountTinyDisk(1);
    let output = '';
    const notified = pino({}, { write: (line: string) => (output += line) });
    const small = new S3Storage({ ...store, region: undefined }, disk.dataDir, notified);
    try {
      const key = newStorageKey(92);
      const put = (size: number) => small.put(key, Readable.from([Buffer.alloc(size, 'x')]), { maxBytes: 10_000_000 });
      await expect(put(3_000_000)).rejects.toThrow(ServiceUnavailableError);
      expect(output).toContain('ENOSPC');
      expect(await small.get(key)).toBeUndefined();
      expect(await put(1_000)).toMatchObject({ size: 1_000 });
    } finally {
      small.close();
      await disk.remove();
    }
  },
);

test('get returns a requested byte range', async () => {
  const key = newStorageKey(92);
  await put(key, Buffer.from('0123456789'));
  const found = await storage.get(key, { start: 3, end: 5 });
  expect([await text(found!.stream), found!.size]).toEqual(['345', 10]);
});

test('downloads that no client reads leave connections for other requests', async () => {
  const key = newStorageKey(92);
  await put(key, Buffer.alloc(1_000_000));
  const downloads = await Promise.all(Array.from({ length: 60 }, () => storage.get(key)));
  const other = newStorageKey(92);
  expect((await put(other, Buffer.from('x'))).size).toBe(1);
  await storage.delete(other);
  for (const download of downloads) download!.stream.destroy();
});

test('put stores an empty file', async () => {
  const key = newStorageKey(92);
  expect((await put(key)).size).toBe(0);
  const found = await storage.get(key);
  expect([await text(found!.stream), found!.size]).toEqual(['', 0]);
});

test('put uploads nothing of a stream that is too large or fails', async () => {
  const before = await store.keys();
  const large = Readable.from([Buffer.alloc(6), Buffer.alloc(5)]);
  await expect(storage.put(newStorageKey(92), large, { maxBytes: 10 })).rejects.toMatchObject({ status: 413 });
  const broken = new PassThrough();
  const attempt = storage.put(newStorageKey(92), broken, { maxBytes: 10 });
  broken.write('half');
  broken.destroy(new Error('gone away'));
  await expect(attempt).rejects.toThrow('gone away');
  expect(await store.keys()).toEqual(before);
  expect(await readdir(folder)).toEqual([]);
});

test('delete removes an object and ignores missing keys', async () => {
  const key = newStorageKey(92);
  await put(key, Buffer.from('x'));
  for (let time = 0; time < 2; time++) await storage.delete(key);
  expect(await storage.get(key)).toBeUndefined();
  expect(await store.keys()).not.toContain(key);
});

test.each(['../x', `/${newStorageKey(1)}`, `${newStorageKey(1)}/..`])(
  'the S3 storage rejects the invalid key %j',
  async (key) => {
    await expect(storage.get(key)).rejects.toThrow('invalid storage key');
    await expect(storage.delete(key)).rejects.toThrow('invalid storage key');
    await expect(put(key)).rejects.toThrow('invalid storage key');
  },
);

test('put and delete are unavailable when the bucket, the credentials or the endpoint is wrong', async () => {
  const AWAY = { message: 'Service unavailable' };
  const others = [
    { ...store, bucket: 'not-ours', region: undefined },
    { ...store, endpoint: 'http://127.0.0.1:1', region: undefined },
  ].map((settings) => new S3Storage(settings, folder, log));
  process.env.AWS_ACCESS_KEY_ID = 'anonymous';
  others.push(new S3Storage({ ...store, region: undefined }, folder, log));
  for (const other of others) {
    await expect(other.put(newStorageKey(1), Readable.from(['x']), { maxBytes: 1 })).rejects.toMatchObject(AWAY);
    await expect(other.delete(newStorageKey(1))).rejects.toMatchObject(AWAY);
    other.close();
  }
  Object.assign(process.env, STORE_CREDENTIALS);
});

async function addressOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('an error with a body without end is cut off', async () => {
  let isOpen = true;
  const endless = createServer((_request, response) => {
    response.writeHead(500);
    const write = () => void (response.write(Buffer.alloc(64 * 1024)) && setImmediate(write));
    response.on('drain', write).on('close', () => {
      isOpen = false;
    });
    write();
  });
  const endpoint = await addressOf(endless);
  const hostile = new S3Storage({ ...store, endpoint, region: undefined }, folder, log);
  await expect(hostile.get(newStorageKey(1))).rejects.toThrow(ServiceUnavailableError);
  await until(() => !isOpen);
  hostile.close();
  endless.close();
});

test('put sends the file again when the store responds 503', async () => {
  const bodies: string[] = [];
  const sums = new Set<string | undefined>();
  const moody: Server = createServer(async (request, response) => {
    bodies.push(await text(request));
    sums.add(request.headers['content-md5'] as string);
    response.writeHead(bodies.length < 3 ? 503 : 200).end();
  });
  const endpoint = await addressOf(moody);
  const other = new S3Storage({ bucket: 'our-files', endpoint, region: undefined }, folder, log);
  await other.put(newStorageKey(1), Readable.from(['again and again']), { maxBytes: 100 });
  expect(bodies).toEqual(Array(3).fill('again and again'));
  expect([...sums]).toEqual([createHash('md5').update('again and again').digest('base64')]);
  other.close();
  moody.close();
});
