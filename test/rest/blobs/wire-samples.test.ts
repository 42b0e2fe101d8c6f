import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { useApp } from '../../support/app/app.ts';
import { MULTIPART, multipart, rawRequest } from '../../support/clients/raw-http.ts';
import { useDocumentedBehavior } from '../../support/fixtures/applications.ts';
import { AT, filled, json, outcome, real, replay, useSampleUsers } from '../../support/fixtures/wire-samples.ts';

useApp();
useDocumentedBehavior();
useSampleUsers();

describe('wire samples of blobs', () => {
  const filePart = (bytes: string) =>
    `--B\r\nContent-Disposition: form-data; name="file"; filename="note.txt"\r\nContent-Type: text/plain\r\n\r\n${bytes}\r\n`;
  const part = (name: string, value: string) => multipart({ [name]: value }).replace('--B--\r\n', '');

  let params: URL;

  test('the samples create a blob', async () => {
    await db.$executeRaw`SELECT setval(pg_get_serial_sequence('blobs', 'id'), 4)`;
    const body = 'blob[content_type]=text%2Fplain&blob[name]=note.txt&blob[public]=true&blob[tag_list]=a';
    const answer = await replay('POST', '/blobs.json', 'F', body);
    expect(outcome(answer)).toEqual([
      201,
      {
        blob: {
          id: 5,
          uid: expect.stringMatching(/^[0-9a-f]{34}$/),
          content_type: 'text/plain',
          name: 'note.txt',
          size: null,
          created_at: AT,
          updated_at: AT,
          blob_status: null,
          set_completed_at: null,
          public: true,
          tags: 'a',
          blob_object_access: {
            id: expect.any(Number),
            blob_id: 5,
            expires: '2026-11-20T18:46:59Z',
            object_access_type: 'Write',
            params: expect.stringContaining('/uploads?Content-Type=text%2Fplain&Expires='),
          },
        },
      },
    ]);
    real.UID = json(answer).blob.uid;
    params = new URL(json(answer).blob.blob_object_access.params);
  });

  test('the samples upload a blob, with a field after the file', async () => {
    const fields = [...params.search.slice(1).split('&')].map((pair) => {
      const [name, value] = pair.split('=') as [string, string];
      return part(name, decodeURIComponent(value));
    });
    const body = `${fields.join('')}${filePart('fifteen bytes..')}${part('name', 'note.txt')}--B--\r\n`;
    const answer = await rawRequest('POST', params.pathname, { headers: { 'Content-Type': MULTIPART }, body });
    expect([answer.status, answer.text]).toEqual([
      201,
      filled(
        `<PostResponse><Location>${params.origin}/blobs/UID</Location><Bucket>uploads</Bucket><Key>UID</Key>` +
          `<ETag>"${createHash('md5').update('fifteen bytes..').digest('hex')}"</ETag></PostResponse>`,
      ),
    ]);
  });

  test('the samples complete and list blobs', async () => {
    expect(outcome(await replay('PUT', '/blobs/5/complete.json', 'F', 'size=15'))).toEqual([200, '']);
    const { status, text } = await replay('GET', '/blobs.json?page=1&per_page=5');
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      {
        current_page: 1,
        per_page: 5,
        total_entries: 1,
        items: [{ blob: { id: 5, size: 15, blob_status: 'complete' } }],
      },
    ]);
  });

  test('the samples show and download a blob', async () => {
    const shown = await replay('GET', '/blobs/5.json');
    expect(json(shown).blob).toMatchObject({ id: 5, name: 'note.txt', set_completed_at: AT });
    expect((await replay('GET', '/blobs/5.json?blob[name]=new%20name')).text).toBe(shown.text);
    for (const path of ['/blobs/UID.json', '/blobs/UID', '/blobs/UID?token=TOKEN']) {
      const headers: Record<string, string> = path.endsWith('.json') ? { 'SVC-Token': real.TOKEN! } : {};
      const { status, text } = await rawRequest('GET', filled(path), { headers });
      expect([path, status, text]).toEqual([path, 200, 'fifteen bytes..']);
    }
  });

  test('the samples delete a blob', async () => {
    expect(outcome(await replay('DELETE', '/blobs/5.json'))).toEqual([200, '']);
    expect((await rawRequest('GET', filled('/blobs/UID'))).status).toBe(404);
  });
});
