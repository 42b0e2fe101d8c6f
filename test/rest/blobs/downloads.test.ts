import { once } from 'node:events';
import { readdir, readlink, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { clock, running, useApp } from '../../support/app/app.ts';
import { type RawResponse, rawRequest } from '../../support/clients/raw-http.ts';
import { useDocumentedBehavior } from '../../support/fixtures/applications.ts';
import {
  complete,
  createBlob,
  type ShownBlob,
  storeBlob,
  storedFiles,
  upload,
  uploadFields,
} from '../../support/fixtures/blobs.ts';
import { type ChatCast, createChatCast } from '../../support/fixtures/chat-cast.ts';
import { onBehalfOf } from '../../support/fixtures/users.ts';

useApp();
useDocumentedBehavior();

let cast: ChatCast;
let secret: ShownBlob;
let open: ShownBlob;

beforeAll(async () => {
  cast = await createChatCast();
  secret = await storeBlob(cast.alice, '0123456789');
  open = await storeBlob(cast.alice, '0123456789', { public: true });
});

afterEach(() => clock.reset());

describe('access to private blobs', () => {
  const ways: [string, () => Promise<RawResponse>][] = [
    ['by a user session', () => rawRequest('GET', `/blobs/${secret.uid}`, { as: cast.bob })],
    ['by an application session', () => rawRequest('GET', `/blobs/${secret.uid}`, { as: cast.callers.application! })],
    ['by an API key', () => rawRequest('GET', `/blobs/${secret.uid}`, { as: cast.callers.key! })],
    ['by an API key for a user', () => rawRequest('GET', `/blobs/${secret.uid}`, { as: onBehalfOf(cast.bob) })],
    ['by a token in the query', () => rawRequest('GET', `/blobs/${secret.uid}?token=${cast.bob.token}`)],
    ['by a token in the body', () => rawRequest('GET', `/blobs/${secret.uid}`, { body: `token=${cast.bob.token}` })],
    [
      'by a header despite a wrong token parameter',
      () => rawRequest('GET', `/blobs/${secret.uid}?token=x`, { as: cast.bob }),
    ],
    ['with a suffix', () => rawRequest('GET', `/blobs/${secret.uid}.json`, { as: cast.bob })],
    [
      'with an XML suffix, although blobs have no XML form',
      () => rawRequest('GET', `/blobs/${secret.uid}.xml`, { as: cast.bob }),
    ],
    ['as a download', () => rawRequest('GET', `/blobs/${secret.uid}/download`, { as: cast.bob })],
    ['as a download by id', () => rawRequest('GET', `/blobs/${secret.id}/download`, { as: cast.bob })],
  ];

  test.each(ways)('a private blob is downloaded %s', async (_way, ask) => {
    const answer = await ask();
    expect([answer.status, answer.text]).toEqual([200, '0123456789']);
    expect(answer.headers).toMatchObject({
      status: '200 OK',
      'content-type': 'text/plain',
      'content-length': '10',
      'content-disposition': 'attachment; filename="note.txt"',
      'content-security-policy': 'sandbox',
      'accept-ranges': 'bytes',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
    });
    expect(answer.headers).not.toHaveProperty('etag');
    expect(answer.headers).not.toHaveProperty('location');
  });

  test('downloading a private blob returns the expiry of the session', async () => {
    const answer = await rawRequest('GET', `/blobs/${secret.uid}?token=${cast.bob.token}`);
    expect(answer.headers['svc-token-expirationdate']).toBe('2026-11-20 19:46:59 UTC');
  });
});

describe('access to public blobs', () => {
  const headers: [string, Record<string, string>][] = [
    ['without a credential', {}],
    ['with an unknown token', { 'SVC-Token': 'x' }],
    ['with an unknown API key', { Authorization: 'ApiKey x' }],
    ['with an unknown authorization scheme', { Authorization: 'Basic x' }],
    ['with two credentials', { Authorization: 'ApiKey KEY', 'SVC-Token': 'x' }],
  ];

  test.each(headers)('a public blob is downloaded %s', async (_name, sent) => {
    for (const path of [`/blobs/${open.uid}`, `/blobs/${open.uid}/download?token=x`, `/blobs/${open.id}/download`]) {
      const answer = await rawRequest('GET', path, { headers: sent });
      expect([answer.status, answer.text]).toEqual([200, '0123456789']);
    }
  });

  test('a public blob is downloaded by users of other applications', async () => {
    expect((await rawRequest('GET', `/blobs/${open.uid}`, { as: cast.stranger })).text).toBe('0123456789');
    expect((await rawRequest('GET', `/blobs/${secret.uid}`, { as: cast.stranger })).status).toBe(404);
    expect((await rawRequest('GET', `/blobs/${open.id}`, { as: cast.stranger })).status).toBe(404);
  });
});

describe('byte ranges', () => {
  const ranges: [string, number, string, string | undefined][] = [
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=0-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=10-', 416, '{"errors":["Requested range is not satisfiable"]}', 'bytes */10'],
    ['bytes=3-1', 200, '0123456789', undefined],
    ['bytes=0-1,3-4', 200, '0123456789', undefined],
    ['lines=1-2', 200, '0123456789', undefined],
  ];

  test.each(ranges)('the range %s is answered', async (range, status, text, place) => {
    const answer = await rawRequest('GET', `/blobs/${open.uid}`, { headers: { Range: range } });
    expect([answer.status, answer.text, answer.headers['content-range']]).toEqual([status, text, place]);
    expect(answer.headers['content-length']).toBe(String(text.length));
    expect(answer.headers.status).toBe(`${status} ${answer.reason}`);
  });

  test('HEAD and If-Range requests ignore a range', async () => {
    const head = await rawRequest('HEAD', `/blobs/${open.uid}`, { headers: { Range: 'bytes=0-3' } });
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '10']);
    expect(head.headers['content-disposition']).toBe('attachment; filename="note.txt"');
    const conditional = await rawRequest('GET', `/blobs/${open.uid}`, {
      headers: { Range: 'bytes=0-3', 'If-Range': '"x"' },
    });
    expect([conditional.status, conditional.text]).toEqual([200, '0123456789']);
  });

  test('a range of an empty blob is not satisfiable', async () => {
    const blank = await storeBlob(cast.alice, '', { public: true });
    const answer = await rawRequest('GET', `/blobs/${blank.uid}`, { headers: { Range: 'bytes=0-' } });
    expect([answer.status, answer.headers['content-range']]).toEqual([416, 'bytes */0']);
  });
});

describe('row 28: hostile content is served so that it cannot run', () => {
  const SCRIPT = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const hostile: [type: string, name: string, disposition: string][] = [
    ['image/svg+xml', 'x.svg', 'attachment; filename="x.svg"'],
    ['IMAGE/SVG+XML; charset=utf-8', 'x.svg', 'attachment; filename="x.svg"'],
    ['text/html', 'x.html', 'attachment; filename="x.html"'],
    ['text/html;charset="utf-7"', 'x.html', 'attachment; filename="x.html"'],
    ['application/xhtml+xml', 'x.xhtml', 'attachment; filename="x.xhtml"'],
    ['image/png', 'x.html', 'inline; filename="x.html"'],
    ['text/plain', '../../../etc/passwd', 'attachment; filename=".._.._.._etc_passwd"'],
    ['text/plain', '..\\..\\boot.ini', 'attachment; filename=".._.._boot.ini"'],
    ['text/plain', 'x\r\nSet-Cookie: a=b\r\n\r\n<script>', 'attachment; filename="x__Set-Cookie: a=b____<script>"'],
    [
      'text/plain',
      'x"; filename="evil.exe',
      'attachment; filename="x_; filename=_evil.exe"; filename*=UTF-8\'\'x%22%3B%20filename%3D%22evil.exe',
    ],
    ['text/plain', 'Ünï\u202ecod.e', 'attachment; filename="_n__cod.e"; filename*=UTF-8\'\'%C3%9Cn%C3%AF_cod.e'],
  ];

  test.each(hostile)('%s named %j is served so that it cannot run', async (type, name, disposition) => {
    const blob = await createBlob(cast.alice, { name, content_type: type, public: true });
    expect((await upload(uploadFields(blob), { bytes: SCRIPT, fileName: '../../x.html' })).status).toBe(201);
    await complete(cast.alice, blob);
    const answer = await rawRequest('GET', `/blobs/${blob.uid}`);
    expect([answer.status, answer.text]).toEqual([200, SCRIPT]);
    expect(answer.headers).toMatchObject({
      'content-type': type,
      'content-disposition': disposition,
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
    });
    expect(answer.headers).not.toHaveProperty('set-cookie');
  });

  test('row 29: the path of stored content contains nothing that a client chose', async () => {
    for (const file of await storedFiles()) {
      expect(file.slice(running.dataDir.length)).toMatch(/^\/files\/[0-9a-f]{8}\/[0-9a-f]{2}\/[0-9a-f]{32}$/);
    }
  });
});

// Open files of the process are read from /proc.
describe.skipIf(process.platform !== 'linux')('downloads', () => {
  const LARGE = Buffer.alloc(20 * 1024 * 1024, 'x');

  test('a download waits for a slow client and completes', async () => {
    const large = await storeBlob(cast.alice, LARGE, { public: true });
    const response = await ask(large);
    // The file stays open, and nothing is read for the duration of other requests.
    for (let other = 0; other < 20; other++) await rawRequest('GET', `/blobs/${open.uid}`);
    // The file of the last one is closed after its response.
    await until(async () => (await openFiles()).length === 1);
    let size = 0;
    for await (const chunk of response) size += (chunk as Buffer).length;
    expect(size).toBe(LARGE.length);
    await until(async () => (await openFiles()).length === 0);
  });

  test('an aborted download closes the file', async () => {
    const large = await storeBlob(cast.alice, LARGE, { public: true });
    const response = await ask(large);
    await until(async () => (await openFiles()).length === 1);
    response.destroy();
    await until(async () => (await openFiles()).length === 0);
  });

  test('a download of missing content responds 404', async () => {
    const blob = await storeBlob(cast.alice, 'gone', { public: true });
    const { storageKey } = await db.blob.findUniqueOrThrow({ where: { id: blob.id } });
    await rm(`${running.dataDir}/files/${storageKey}`);
    const answer = await rawRequest('GET', `/blobs/${blob.uid}`);
    expect([answer.status, answer.text]).toEqual([404, '{"errors":["The resource wasn\'t found"]}']);
  });
});

async function ask({ uid }: ShownBlob): Promise<IncomingMessage> {
  const [response] = (await once(get(`${running.url}/blobs/${uid}`, { agent: false }), 'response')) as [
    IncomingMessage,
  ];
  return response;
}

/** Files of the storage that this process (client and service) has open. */
async function openFiles(): Promise<string[]> {
  const links = await readdir('/proc/self/fd');
  const paths = await Promise.all(links.map((link) => readlink(`/proc/self/fd/${link}`).catch(() => '')));
  return paths.filter((path) => path.startsWith(`${running.dataDir}/files/`));
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
}
