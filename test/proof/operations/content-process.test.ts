import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, db } from '../../../src/db/client.ts';
import { DiskStorage } from '../../../src/gateways/disk-storage.ts';
import { sweepFiles } from '../../../src/jobs/sweep-files.ts';
import { createDatabase, type TestDatabase } from '../../support/app/database.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';

const HOUR = 3_600_000;
const MIB = 1024 * 1024;
const BOUNDARY = 'multipart/form-data; boundary=B';

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof createDataDir>>;
let service: Service;
let headers: Record<string, string>;

beforeAll(async () => {
  database = await createDatabase();
  folder = await createDataDir();
  await connectDatabase(database.config);
  await start();
  const key = { Authorization: 'ApiKey secret', 'Content-Type': 'application/json' };
  const { user } = await json('POST', '/users', key, { user: { login: 'alice', password: 'password-1' } });
  headers = { ...key, 'On-Behalf-Of': String(user.id) };
});

afterAll(async () => {
  await service.stop();
  await db.$disconnect();
  await database.drop();
  await folder.remove();
});

async function start(): Promise<void> {
  const { connectionString } = database.config;
  service = await startService(folder.dataDir, { DATABASE_URL: connectionString!, BOOTSTRAP_API_KEY: 'secret' });
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
async function json(method: string, path: string, as: Record<string, string>, body?: object): Promise<any> {
  const sent = body && JSON.stringify(body);
  const response = await fetch(service.url + path, { method, headers: as, body: sent });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text && JSON.parse(text);
}

async function makeBlob() {
  const { blob } = await json('POST', '/blobs', headers, {
    blob: { name: 'large.bin', content_type: 'application/octet-stream', public: true },
  });
  const fields = [...new URL(blob.blob_object_access.params).searchParams].map(
    ([name, value]) => `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = '--B\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n';
  return { ...blob, before: `${fields.join('')}${file}` };
}

function beginUpload(before: string): ClientRequest {
  const sent = request(`${service.url}/uploads`, { method: 'POST', headers: { 'Content-Type': BOUNDARY } });
  sent.write(before);
  return sent;
}

async function write(sent: ClientRequest, chunk: Buffer): Promise<void> {
  if (!sent.write(chunk)) await once(sent, 'drain');
}

async function peakMemory(): Promise<number> {
  const status = await readFile(`/proc/${service.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) * 1024;
}

async function storedFiles(): Promise<string[]> {
  const entries = await readdir(join(folder.dataDir, 'files'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

// Linux reports the peak memory of a process.
test.skipIf(process.platform !== 'linux')(
  'a file of 100 MB is uploaded and downloaded without being held in memory',
  async () => {
    // The first file loads code that later files reuse.
    const chunk = Buffer.alloc(MIB, 'x');
    for (const size of [1, 99]) {
      const before = await peakMemory();
      const blob = await makeBlob();
      const hash = createHash('md5');
      const sent = beginUpload(blob.before);
      for (let sentMib = 0; sentMib < size; sentMib++) {
        chunk.writeUInt32BE(sentMib);
        hash.update(chunk);
        await write(sent, Buffer.from(chunk));
      }
      sent.end('\r\n--B--\r\n');
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      const text = Buffer.concat(await response.toArray()).toString();
      const md5 = hash.digest('hex');
      expect([response.statusCode, text]).toEqual([201, expect.stringContaining(`<ETag>"${md5}"</ETag>`)]);
      await json('PUT', `/blobs/${blob.id}/complete`, headers);

      const read = createHash('md5');
      const [download] = (await once(request(`${service.url}/blobs/${blob.uid}`).end(), 'response')) as [
        IncomingMessage,
      ];
      for await (const part of download) read.update(part as Buffer);
      expect(read.digest('hex')).toBe(md5);
      const growth = (await peakMemory()) - before;
      process.stdout.write(`${size} MiB in and out: ${Math.round(growth / MIB)} MiB more at the peak\n`);
      if (size > 1) expect(growth).toBeLessThan((size * MIB) / 2);
    }
  },
);

test('kill -9 leaves no partially visible file, and the sweep removes its leftovers', async () => {
  const halfway = await makeBlob();
  const uploaded = await makeBlob();
  const whole = beginUpload(uploaded.before);
  whole.end('all of it\r\n--B--\r\n');
  const [response] = (await once(whole, 'response')) as [IncomingMessage];
  expect(response.resume().statusCode).toBe(201);

  const before = (await storedFiles()).length;
  const half = beginUpload(halfway.before);
  const broken = once(half, 'error');
  for (let sentMib = 0; sentMib < 5; sentMib++) await write(half, Buffer.alloc(MIB));
  while ((await storedFiles()).length === before) await new Promise((resolve) => setImmediate(resolve));
  await service.kill();
  await broken;
  expect(await storedFiles()).toContainEqual(expect.stringMatching(/\.part$/));

  await start();
  for (const { id, uid } of [halfway, uploaded]) {
    expect((await json('GET', `/blobs/${id}`, headers)).blob).toMatchObject({ blob_status: null, size: null });
    expect((await fetch(`${service.url}/blobs/${uid}`)).status).toBe(404);
  }
  await json('PUT', `/blobs/${uploaded.id}/complete`, headers);
  expect(await (await fetch(`${service.url}/blobs/${uploaded.uid}`)).text()).toBe('all of it');

  const storage = new DiskStorage(join(folder.dataDir, 'files'));
  await sweepFiles(new Date(Date.now() + HOUR + 1_000), storage);
  expect(await storedFiles()).not.toContainEqual(expect.stringMatching(/\.part$/));
  await sweepFiles(new Date(Date.now() + 26 * HOUR), storage);
  expect((await fetch(`${service.url}/blobs/${halfway.id}`, { headers })).status).toBe(404);
  const keys = (await db.blob.findMany()).map(({ storageKey }) => storageKey!.slice(-32));
  expect((await storedFiles()).sort()).toEqual(keys.sort());
  expect(await db.unclaimedFile.count()).toBe(0);
});
