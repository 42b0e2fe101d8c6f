import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sweepFiles } from '../../../src/jobs/sweep-files.ts';
import { signedFields } from '../../../src/resolvers/blobs/upload-policy.ts';
import { clock, running, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { rowCounts, sql } from '../../support/app/sql.ts';
import { MULTIPART, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import {
  complete,
  createBlob,
  type ShownBlob,
  storeBlob,
  storedFiles,
  upload,
  uploadFields,
} from '../../support/fixtures/blobs.ts';
import { createUsers, type TestUser } from '../../support/fixtures/users.ts';

useApp();

const DENIED = '<Error><Code>AccessDenied</Code><Message>Access denied</Message></Error>';
const HOUR = 3_600_000;

let alice: TestUser;
let blob: ShownBlob;
let fields: Record<string, string>;

beforeAll(async () => {
  [alice] = await createUsers(1);
});

beforeEach(async () => {
  blob = await createBlob(alice);
  fields = uploadFields(blob);
});

afterEach(() => clock.reset());

const dateAfter = (milliseconds: number) => new Date(SAMPLE_TIME.getTime() + milliseconds);

describe('an upload is rejected and nothing of it is stored', () => {
  const forgeries: [string, () => Record<string, string> | Promise<Record<string, string>>][] = [
    ['without any fields', () => ({})],
    ['without a signature', () => without('signature')],
    ['without a policy', () => without('policy')],
    ['without a key', () => without('key')],
    ['with a digit of its signature changed', () => ({ ...fields, signature: flipped(fields.signature!) })],
    [
      'with its signature in upper case',
      () => ({ ...fields, signature: fields.signature!.toUpperCase().replace(/\d/g, 'A') }),
    ],
    ['with a letter of its policy changed', () => ({ ...fields, policy: `${fields.policy!.slice(0, -1)}_` })],
    ['with a custom policy signed with another key', () => forged('0'.repeat(64))],
    ['with a custom policy signed with an empty key', () => forged('')],
    ['as public, although the blob is private', () => ({ ...fields, acl: 'public-read' })],
    ['with another type', () => ({ ...fields, 'Content-Type': 'text/html' })],
    ['with a longer lifetime', () => ({ ...fields, Expires: '2099-01-01T00:00:00Z' })],
    ['for an unknown uid', () => ({ ...fields, key: `${fields.key!.slice(0, 33)}x` })],
    ['for a path', () => ({ ...fields, key: '../../etc/passwd' })],
    ['with the policy of another blob', async () => ({ ...uploadFields(await createBlob(alice)), key: fields.key! })],
    ['with fields after the file', () => ({})],
  ];

  test.each(forgeries)('an upload %s is rejected', async (name, forge) => {
    const sent = await forge();
    const files = await storedFiles();
    const behind = name === 'with fields after the file' ? fields : {};
    const answer = await upload(sent, { behind });
    expect([answer.status, answer.text]).toEqual([403, DENIED]);
    expect(answer.headers['content-type']).toBe('application/xml; charset=utf-8');
    expect(await storedFiles()).toEqual(files);
    expect((await complete(alice, blob)).status).toBe(422);
  });

  function without(name: string): Record<string, string> {
    return Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));
  }

  function forged(signingKey: string): Record<string, string> {
    return signedFields(
      {
        key: blob.uid,
        acl: 'authenticated-read',
        'Content-Type': 'text/plain',
        Expires: '2099-01-01T00:00:00Z',
        success_action_status: '201',
      },
      signingKey,
    );
  }

  function flipped(signature: string): string {
    return (signature.startsWith('0') ? '1' : '0') + signature.slice(1);
  }

  test('an upload is rejected from the second in which its policy expires', async () => {
    clock.reset(HOUR - 1);
    expect((await upload(fields)).status).toBe(201);
    clock.reset(HOUR);
    expect((await upload(fields)).status).toBe(403);
  });

  test('an upload is rejected after completion', async () => {
    await upload(fields, { bytes: 'first' });
    await complete(alice, blob);
    expect((await upload(fields, { bytes: 'second' })).status).toBe(403);
    expect((await rawRequest('GET', `/blobs/${blob.uid}`, { as: alice })).text).toBe('first');
  });

  test('an upload is rejected after a newer policy was issued', async () => {
    const renewed = await rest('PUT', `/blobs/${blob.id}`, { as: alice, form: 'blob[new]=1' });
    expect((await upload(fields)).status).toBe(403);
    expect((await upload(uploadFields(renewed.body.blob))).status).toBe(201);
  });

  test('an upload is rejected after the blob was deleted', async () => {
    await rest('DELETE', `/blobs/${blob.id}`, { as: alice });
    expect((await upload(fields)).status).toBe(403);
  });
});

describe('uploads', () => {
  test('an upload requires no credential and ignores a wrong one', async () => {
    expect((await upload(fields, { headers: { 'SVC-Token': 'nobody-has-this' } })).status).toBe(201);
  });

  test('an upload may be sent to the complete URL', async () => {
    const { pathname, search } = new URL(blob.blob_object_access.params);
    const body = '--B\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nhello\r\n--B--\r\n';
    const answer = await rawRequest('POST', pathname + search, { headers: { 'Content-Type': MULTIPART }, body });
    expect(answer.status).toBe(201);
  });

  test('an upload may omit fields that the policy contains', async () => {
    const { key, policy, signature } = fields;
    expect((await upload({ key: key!, policy: policy!, signature: signature! })).status).toBe(201);
  });

  test('an upload preserves every byte', async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256));
    const answer = await upload(fields, { bytes });
    expect(answer.text).toContain(`<ETag>"${createHash('md5').update(bytes).digest('hex')}"</ETag>`);
    await complete(alice, blob);
    const read = await fetch(`${running.url}/blobs/${blob.uid}`, { headers: alice.headers });
    expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('repeating an upload before completion replaces the content and deletes the old bytes', async () => {
    const files = await storedFiles();
    await upload(fields, { bytes: 'lost answer' });
    await upload(fields, { bytes: 'sent again' });
    expect(await storedFiles()).toHaveLength(files.length + 1);
    await complete(alice, blob);
    expect((await rawRequest('GET', `/blobs/${blob.uid}`, { as: alice })).text).toBe('sent again');
  });

  test('concurrent uploads leave one stored file', async () => {
    const files = await storedFiles();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => upload(fields, { bytes: `bytes ${index}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(await storedFiles()).toHaveLength(files.length + 1);
    expect(await sql('SELECT * FROM unclaimed_files')).toEqual([]);
  });

  test('an upload concurrent with completions is either stored or rejected, and no content is lost', async () => {
    await upload(fields, { bytes: 'first' });
    const files = await storedFiles();
    const [uploaded, completed] = await Promise.all([upload(fields, { bytes: 'other' }), complete(alice, blob)]);
    expect(completed.status).toBe(200);
    const { text } = await rawRequest('GET', `/blobs/${blob.uid}`, { as: alice });
    expect(uploaded.status === 201 ? text : 'first').toBe(text);
    expect(await storedFiles()).toHaveLength(files.length);
  });

  test('an upload may be empty', async () => {
    expect((await upload(fields, { bytes: '' })).status).toBe(201);
    await complete(alice, blob);
    const read = await rawRequest('GET', `/blobs/${blob.uid}`, { as: alice });
    expect([read.status, read.text, read.headers['content-length']]).toEqual([200, '', '0']);
    expect((await rest('GET', `/blobs/${blob.id}`, { as: alice })).body.blob.size).toBe(0);
  });

  test('an upload without a file is rejected', async () => {
    const body = Object.entries(fields)
      .map(([name, value]) => `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      .join('');
    const answer = await rawRequest('POST', '/uploads', {
      headers: { 'Content-Type': MULTIPART },
      body: `${body}--B--\r\n`,
    });
    expect([answer.status, answer.text]).toEqual([422, '{"errors":["File is missing"]}']);
  });

  test('an upload whose Content-Length is too large is rejected before the body is sent', async () => {
    const sent = request(`${running.url}/uploads`, {
      method: 'POST',
      headers: { 'Content-Type': MULTIPART, 'Content-Length': 100 * 1024 * 1024 + 1 },
    });
    sent.flushHeaders();
    const [response] = await once(sent, 'response');
    expect(response.statusCode).toBe(413);
    sent.on('error', () => {});
    sent.destroy();
  });

  test('other endpoints do not accept bodies of that size', async () => {
    const body = Buffer.alloc(1024 * 1024 + 1, 'x');
    const answer = await rawRequest('POST', '/blobs', { as: alice, headers: { 'Content-Type': MULTIPART }, body });
    expect([answer.status, answer.text]).toEqual([413, '{"errors":["Request body is too large"]}']);
  });
});

describe('leftovers of uploads', () => {
  test('an upload whose client disconnects leaves nothing', async () => {
    const files = await storedFiles();
    const socket = connect(Number(new URL(running.url).port), '127.0.0.1');
    const text = Object.entries(fields).map(
      ([name, value]) => `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    socket.write(
      `POST /uploads HTTP/1.1\r\nHost: x\r\nContent-Type: ${MULTIPART}\r\nContent-Length: 1000000\r\n\r\n${text.join('')}` +
        '--B\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nthe first of many bytes',
    );
    // A row names the file before the first byte is written.
    await until(async () => (await storedFiles()).length > files.length);
    expect((await sql('SELECT * FROM unclaimed_files')).length).toBe(1);
    socket.destroy();
    await until(async () => (await sql('SELECT * FROM unclaimed_files')).length === 0);
    expect(await storedFiles()).toEqual(files);
    expect((await complete(alice, blob)).status).toBe(422);
  });

  test('uploads that are not completed are deleted a day after their policy expires', async () => {
    const kept = await storeBlob(alice, 'kept');
    const renewed = await rest('PUT', `/blobs/${kept.id}`, { as: alice, form: 'blob[new]=1' });
    await upload(uploadFields(renewed.body.blob), { bytes: 'never completed' });
    await upload(fields);
    const storage = running.app.services.storage;

    await sweepFiles(dateAfter(25 * HOUR), storage);
    expect((await rest('GET', `/blobs/${blob.id}`, { as: alice })).status).toBe(200);

    await sweepFiles(dateAfter(25 * HOUR + 1000), storage);
    expect((await rest('GET', `/blobs/${blob.id}`, { as: alice })).status).toBe(404);
    const read = await rawRequest('GET', `/blobs/${kept.uid}`, { as: alice });
    expect(read.text).toBe('kept');
    const counts = await rowCounts();
    expect([counts.blob_uploads, counts.unclaimed_files]).toEqual([0, 0]);
    const keys = await sql<{ key: string }>('SELECT storage_key AS key FROM blobs ORDER BY 1');
    expect((await storedFiles()).map((file) => file.slice(-44)).sort()).toEqual(keys.map(({ key }) => key));
    const [{ number } = { number: 0 }] = await sql<{ number: number }>(
      'SELECT number FROM blob_counts WHERE user_id = 0',
    );
    expect(number).toBe(keys.length);
  });

  test('when a completion races with the sweep, exactly one of them succeeds', async () => {
    const uploaded = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const made = await createBlob(alice);
        await upload(uploadFields(made));
        return made;
      }),
    );
    const storage = running.app.services.storage;
    const [, ...answers] = await Promise.all([
      sweepFiles(dateAfter(26 * HOUR), storage),
      ...uploaded.map((made) => complete(alice, made)),
    ]);
    await sweepFiles(dateAfter(26 * HOUR), storage);
    for (const [index, made] of uploaded.entries()) {
      const read = await rawRequest('GET', `/blobs/${made.uid}`, { as: alice });
      const { status } = answers[index] as { status: number };
      expect([status, read.status]).toEqual(status === 200 ? [200, 200] : [404, 404]);
    }
  });
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
}
