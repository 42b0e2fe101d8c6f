import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DiskStorage } from '../../../src/gateways/disk-storage.ts';
import { checkDatabase } from '../../../src/operator/integrity/run.ts';
import { createDatabase, type TestDatabase } from '../../support/app/database.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { CAN_MOUNT, mountTinyDisk, type TinyDisk } from '../../support/faults/tiny-disk.ts';
import { faultsIn } from './assertions.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const KIB = 1024;
const UNAVAILABLE = { status: 503, text: '{"errors":["Service unavailable"]}' };

/** Ways to exhaust the space for files, with the reason for which one cannot run here. */
const WAYS: Record<string, string | false> = {
  'a full file system': !CAN_MOUNT && 'only root can mount a small one',
  'a limit of the process': spawnSync('prlimit', ['--version']).status !== 0 && 'prlimit is not installed',
};
for (const [way, obstacle] of Object.entries(WAYS)) if (obstacle) console.info(`Skipped: ${way}, because ${obstacle}.`);

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof createDataDir>>;
let service: Service;
let headers: Record<string, string>;

function useService(place: () => Promise<typeof folder>): void {
  beforeAll(async () => {
    database = await createDatabase();
    folder = await place();
    const { connectionString } = database.config;
    service = await startService(folder.dataDir, { DATABASE_URL: connectionString!, BOOTSTRAP_API_KEY: 'secret' });
    headers = { Authorization: 'ApiKey secret' };
    const { text } = await ask('POST', '/users', { user: { login: 'alice', password: 'password-1' } });
    headers = { ...headers, 'On-Behalf-Of': String(JSON.parse(text).user.id) };
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
    await folder.remove();
  });
}

async function ask(method: string, path: string, content?: object): Promise<{ status: number; text: string }> {
  const isForm = content instanceof FormData;
  const response = await fetch(service.url + path, {
    method,
    headers: { ...headers, ...(content && !isForm && { 'Content-Type': 'application/json' }) },
    ...(content && { body: isForm ? content : JSON.stringify(content) }),
  });
  return { status: response.status, text: await response.text() };
}

interface MadeBlob {
  id: number;
  uid: string;
  upload: (content: string) => Promise<{ status: number; text: string }>;
}

async function makeBlob(): Promise<MadeBlob> {
  const { text } = await ask('POST', '/blobs', { blob: { name: 'a.txt', content_type: 'text/plain' } });
  const { id, uid, blob_object_access: access } = JSON.parse(text).blob;
  const upload = (content: string) => {
    const form = new FormData();
    for (const [name, value] of new URL(access.params).searchParams) form.append(name, value);
    form.append('file', new Blob([content], { type: 'text/plain' }), 'a.txt');
    return ask('POST', '/uploads', form);
  };
  return { id, uid, upload };
}

async function store(content: string): Promise<MadeBlob> {
  const blob = await makeBlob();
  expect(await blob.upload(content)).toMatchObject({ status: 201 });
  expect(await ask('PUT', `/blobs/${blob.id}/complete`, { blob: { size: content.length } })).toMatchObject({
    status: 200,
  });
  return blob;
}

const contentOf = async ({ uid }: MadeBlob) => (await ask('GET', `/blobs/${uid}`)).text;

async function storedFiles(): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of new DiskStorage(join(folder.dataDir, 'files')).list(1)) found.push(key);
  return found;
}

/** Asserts that only uploads fail while the disk is full, without partial files, and succeed once there is space. */
async function expectRefused({ size, fill, free }: { size: number; fill: () => unknown; free: () => unknown }) {
  const before = await store('stored before');
  const refused = await makeBlob();
  await fill();
  const files = await storedFiles();
  expect(files).not.toEqual([]);
  for (let time = 0; time < 3; time++) {
    expect(await refused.upload('x'.repeat(size))).toEqual(UNAVAILABLE);
    expect(await storedFiles()).toEqual(files);
    expect(await contentOf(before)).toBe('stored before');
  }
  const { text: shown } = await ask('GET', `/blobs/${refused.id}`);
  expect(JSON.parse(shown).blob).toMatchObject({ blob_status: null, size: null });
  await free();
  expect(await refused.upload('x'.repeat(size))).toMatchObject({ status: 201 });
  expect(await ask('PUT', `/blobs/${refused.id}/complete`, { blob: { size } })).toMatchObject({ status: 200 });
  expect(await contentOf(refused)).toBe('x'.repeat(size));
  const differences: unknown[] = [];
  await checkDatabase({
    database: database.config,
    storage: new DiskStorage(join(folder.dataDir, 'files')),
    now: new Date(),
    applicationId: undefined,
    repairs: false,
    onDifference: (difference) => differences.push(difference),
  });
  expect(differences).toEqual([]);
  expect(service.output()).toContain('file storage: the disk failed');
  expect(faultsIn(service.output())).toEqual([]);
}

describe.skipIf(WAYS['a full file system'])('on a full file system', () => {
  let disk: TinyDisk;
  useService(async () => {
    disk = mountTinyDisk(4);
    return disk;
  });

  test('an upload is rejected completely, and stored files remain readable', async () => {
    await expectRefused({ size: 300 * KIB, fill: disk.fill, free: disk.free });
  });

  test('an upload larger than the free space leaves it to smaller ones', async () => {
    const large = await makeBlob();
    expect(await large.upload('x'.repeat(5_000 * KIB))).toEqual(UNAVAILABLE);
    expect(await contentOf(await store('small'))).toBe('small');
  });
});

describe.skipIf(WAYS['a limit of the process'])('in a process with a limit of the file size', () => {
  useService(createDataDir);

  test('an upload above the limit is rejected completely, and smaller ones succeed', async () => {
    const limit = (bytes: string) => {
      const { status } = spawnSync('prlimit', [`--pid=${service.pid}`, `--fsize=${bytes}:unlimited`]);
      expect(status).toBe(0);
    };
    await expectRefused({
      size: 300 * KIB,
      fill: async () => {
        limit(String(100 * KIB));
        expect(await contentOf(await store('small'))).toBe('small');
      },
      free: () => limit('unlimited'),
    });
  });
});
