import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { S3Storage } from '../../../src/gateways/s3-storage.ts';
import { sweepFiles } from '../../../src/jobs/sweep-files.ts';
import { running, useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { type ObjectStore, STORE_CREDENTIALS, startObjectStore } from '../../support/fakes/s3.ts';
import { complete, createBlob, storeBlob, upload, uploadFields } from '../../support/fixtures/blobs.ts';
import { createUsers, type TestUser } from '../../support/fixtures/users.ts';

let store: ObjectStore;
let folder: string;
let alice: TestUser;

useApp({
  storage: async () => {
    Object.assign(process.env, STORE_CREDENTIALS);
    store = await startObjectStore();
    folder = await mkdtemp(join(tmpdir(), 'atrium-files-'));
    return new S3Storage({ ...store, region: undefined }, folder, pino({ level: 'silent' }));
  },
});

beforeAll(async () => {
  [alice] = await createUsers(1);
});

afterAll(async () => {
  await store.stop().catch(() => {}); // stopped by the previous test
  await rm(folder, { recursive: true });
});

test('blobs are stored in the bucket under generated keys and served like from the disk', async () => {
  const blob = await storeBlob(alice, '0123456789', { name: 'x.svg', content_type: 'image/svg+xml', public: true });
  expect(await store.keys()).toEqual([expect.stringMatching(/^0000005c\/[0-9a-f]{2}\/[0-9a-f]{32}$/)]);
  const whole = await rawRequest('GET', `/blobs/${blob.uid}`);
  expect([whole.status, whole.text]).toEqual([200, '0123456789']);
  expect(whole.headers).toMatchObject({
    'content-type': 'image/svg+xml',
    'content-disposition': 'attachment; filename="x.svg"',
    'content-security-policy': 'sandbox',
  });
  const part = await rawRequest('GET', `/blobs/${blob.uid}`, { headers: { Range: 'bytes=2-4' } });
  expect([part.status, part.text, part.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10']);
  expect((await rawRequest('HEAD', `/blobs/${blob.uid}`)).headers['content-length']).toBe('10');

  const renewed = await rest('PUT', `/blobs/${blob.id}`, { as: alice, form: 'blob[new]=1' });
  await upload(uploadFields(renewed.body.blob), { bytes: '' });
  expect(await store.keys()).toHaveLength(2);
  await complete(alice, blob);
  expect(await store.keys()).toHaveLength(1);
  expect((await rawRequest('GET', `/blobs/${blob.uid}`)).text).toBe('');
  await rest('DELETE', `/blobs/${blob.id}`, { as: alice });
  expect(await store.keys()).toEqual([]);
});

test('uploads that are never completed are removed from the bucket', async () => {
  const blob = await createBlob(alice);
  await upload(uploadFields(blob));
  expect(await store.keys()).toHaveLength(1);
  await sweepFiles(new Date(running.now().getTime() + 26 * 3_600_000), running.app.services.storage);
  expect(await store.keys()).toEqual([]);
});

test('while the store is down, uploads and downloads respond 503, and no blob or deletion is lost', async () => {
  const blob = await storeBlob(alice);
  const other = await createBlob(alice);
  await store.stop();
  const UNAVAILABLE = [503, '{"errors":["Service unavailable"]}'];
  const read = await rawRequest('GET', `/blobs/${blob.uid}`, { as: alice });
  expect([read.status, read.text]).toEqual(UNAVAILABLE);
  const uploaded = await upload(uploadFields(other));
  expect([uploaded.status, uploaded.text]).toEqual(UNAVAILABLE);
  expect((await rest('DELETE', `/blobs/${blob.id}`, { as: alice })).status).toBe(200);
  // Pending deletions: the content of one blob, and possibly a partial upload of the other.
  expect(await sql('SELECT key FROM unclaimed_files')).toHaveLength(2);
});
