import { beforeAll, describe, expect, test } from 'vitest';
import { DiskStorage } from '../../../src/gateways/disk-storage.ts';
import { running, useApp } from '../../support/app/app.ts';
import { codeOf, GRAPHQL_TRANSPORTS } from '../../support/clients/graphql-transports.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { complete, createBlob, storeBlob, storedFiles, upload, uploadFields } from '../../support/fixtures/content.ts';
import { createUser, type TestUser } from '../../support/fixtures/users.ts';

useApp();

let alice: TestUser;
beforeAll(async () => {
  alice = await createUser();
});

const SCRIPT = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const PATHS = [
  '../../../etc/passwd',
  '..\\..\\boot.ini',
  '/etc/passwd',
  '....//etc/passwd',
  'x/../../y',
  '%2e%2e%2fx',
  '..',
];

describe('#28 stored XSS by upload', () => {
  test.each([
    'image/svg+xml',
    'IMAGE/SVG+XML; charset=utf-8',
    'text/html',
    'text/html;charset="utf-7"',
    'application/xhtml+xml',
    'text/xml',
  ])('%s is downloaded as an attachment in a sandbox', async (type) => {
    const blob = await createBlob(alice, { name: 'x.svg', content_type: type, public: true });
    expect((await upload(uploadFields(blob), { bytes: SCRIPT })).status).toBe(201);
    await complete(alice, blob);
    for (const path of [`/blobs/${blob.uid}`, `/blobs/${blob.id}/download`]) {
      const { status, headers } = await rawRequest('GET', path);
      expect([path, status]).toEqual([path, 200]);
      expect(headers).toMatchObject({
        'content-disposition': expect.stringMatching(/^attachment/),
        'content-security-policy': 'sandbox',
        'x-content-type-options': 'nosniff',
      });
    }
  });

  test('an image that browsers display inline is sandboxed too', async () => {
    const blob = await storeBlob(alice, SCRIPT, { name: 'x.png', content_type: 'image/png', public: true });
    const { headers } = await rawRequest('GET', `/blobs/${blob.uid}`);
    expect(headers).toMatchObject({ 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' });
  });
});

describe('#29 path traversal', () => {
  test('client-supplied names never become part of a path', async () => {
    for (const path of PATHS) {
      const blob = await createBlob(alice, { name: path, public: true });
      expect((await upload(uploadFields(blob), { bytes: 'x', fileName: path })).status).toBe(201);
      await complete(alice, blob);
      const { headers } = await rawRequest('GET', `/blobs/${blob.uid}`);
      expect(headers['content-disposition']).not.toMatch(/[/\\]/);
      const forged = await upload({ ...uploadFields(blob), key: path }, { bytes: 'x' });
      expect([path, forged.status]).toEqual([path, 403]);
      for (const target of [`/blobs/${encodeURIComponent(path)}`, `/blobs/${path}`, `/${path}`, `/docs/${path}`]) {
        const { status, text } = await rawRequest('GET', target, { as: alice });
        expect([target, status >= 400 && status < 500, text.includes('root:')]).toEqual([target, true, false]);
      }
      for (const [, transport] of GRAPHQL_TRANSPORTS) {
        const answer = await transport('query ($uid: String) { blobFile(uid: $uid) { name } }', { uid: path }, alice);
        expect(codeOf(answer)).toBe('NOT_FOUND');
      }
    }
    for (const file of await storedFiles()) {
      expect(file.slice(running.dataDir.length)).toMatch(/^\/files\/[0-9a-f]{8}\/[0-9a-f]{2}\/[0-9a-f]{32}$/);
    }
  });

  test('the storage rejects keys that do not have its own format', async () => {
    const storage = new DiskStorage(running.dataDir);
    for (const path of [...PATHS, `0000005c/00/../${'0'.repeat(32)}`, `0000005c/00/${'0'.repeat(32)}/..`]) {
      await expect(storage.get(path)).rejects.toThrow('invalid storage key');
      await expect(storage.delete(path)).rejects.toThrow('invalid storage key');
    }
  });
});
