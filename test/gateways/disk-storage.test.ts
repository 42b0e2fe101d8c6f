import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DiskStorage } from '../../src/gateways/disk-storage.ts';
import { newStorageKey } from '../../src/gateways/storage.ts';

let folder: string;
let storage: DiskStorage;

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'atrium-files-')), 'files');
  storage = new DiskStorage(folder);
});

afterEach(async () => {
  await rm(dirname(folder), { recursive: true });
});

async function files(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');

test('put stores the bytes unchanged and readable only by the owner', async () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
  const key = newStorageKey(92);
  const stored = await storage.put(key, Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]), {
    maxBytes: 300_000,
  });
  expect(stored).toEqual({ size: 300_000, md5: md5(bytes) });

  const found = await storage.get(key);
  expect(found!.size).toBe(300_000);
  expect((await buffer(found!.stream)).equals(bytes)).toBe(true);
  expect(await files()).toEqual([join(folder, key)]);
  expect((await stat(join(folder, key))).mode & 0o077).toBe(0);
  expect((await stat(folder)).mode & 0o077).toBe(0);
});

test('get returns a requested byte range', async () => {
  const key = newStorageKey(92);
  await storage.put(key, Readable.from([Buffer.from('0123456789')]), { maxBytes: 10 });
  const found = await storage.get(key, { start: 3, end: 5 });
  expect([await text(found!.stream), found!.size]).toEqual(['345', 10]);
});

test('put stores an empty file', async () => {
  const key = newStorageKey(92);
  expect(await storage.put(key, Readable.from([]), { maxBytes: 1 })).toEqual({ size: 0, md5: md5(Buffer.alloc(0)) });
  const found = await storage.get(key);
  expect([await text(found!.stream), found!.size]).toEqual(['', 0]);
});

test('put rejects a file above maxBytes and leaves no part of it on the disk', async () => {
  const stream = Readable.from([Buffer.alloc(6), Buffer.alloc(5)]);
  await expect(storage.put(newStorageKey(92), stream, { maxBytes: 10 })).rejects.toMatchObject({ status: 413 });
  expect(stream.destroyed).toBe(true);
  expect(await files()).toEqual([]);
});

test('put hides an upload in progress and leaves nothing when the stream fails', async () => {
  const key = newStorageKey(92);
  const stream = new PassThrough();
  const put = storage.put(key, stream, { maxBytes: 100 });
  await new Promise<void>((resolve) => stream.write(Buffer.from('half of it'), () => resolve()));
  expect(await storage.get(key)).toBeUndefined();
  stream.destroy(new Error('gone away'));
  await expect(put).rejects.toThrow('gone away');
  expect(await files()).toEqual([]);
});

test('delete removes complete files and leftovers of a crash, and ignores missing keys', async () => {
  const [whole, half, none] = [newStorageKey(92), newStorageKey(92), newStorageKey(92)];
  await storage.put(whole, Readable.from([Buffer.from('x')]), { maxBytes: 1 });
  await storage.put(half, Readable.from([Buffer.from('x')]), { maxBytes: 1 });
  await storage.delete(half);
  await writeFile(join(folder, `${half}.part`), 'x');
  for (const key of [whole, half, none]) await storage.delete(key);
  expect(await files()).toEqual([]);
  expect(await storage.get(whole)).toBeUndefined();
});

test('a download that is in progress completes after the file is deleted', async () => {
  const key = newStorageKey(92);
  await storage.put(key, Readable.from([Buffer.alloc(1_000_000, 'x')]), { maxBytes: 1_000_000 });
  const found = await storage.get(key);
  await storage.delete(key);
  expect((await buffer(found!.stream)).length).toBe(1_000_000);
});

test.each([
  '../../etc/passwd',
  '/etc/passwd',
  'a/../b',
  '',
  `${'0'.repeat(8)}/00/..`,
  `${newStorageKey(1)}\0`,
  `${newStorageKey(1)}.part`,
])('the disk storage rejects the invalid key %j', async (key) => {
  await expect(storage.get(key)).rejects.toThrow('invalid storage key');
  await expect(storage.delete(key)).rejects.toThrow('invalid storage key');
  await expect(storage.put(key, Readable.from([]), { maxBytes: 1 })).rejects.toThrow('invalid storage key');
});
