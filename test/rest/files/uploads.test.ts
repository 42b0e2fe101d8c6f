import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ForbiddenError } from '../../../src/lib/errors.ts';
import { readUpload, type UploadSettings } from '../../../src/rest/http/uploads.ts';

// Tests the reader alone behind a bare HTTP server: parsing and limits.

interface Outcome {
  given?: unknown;
  before?: unknown;
  file?: { name: string | undefined; contentType: string; text: string };
  error?: string;
}

let server: Server;
let onFile: UploadSettings['onFile'] | undefined;
let outcome: Outcome;
let maxBytes: number;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    outcome = {};
    const settings: UploadSettings = {
      maxBytes,
      maxTextBytes: 1_000,
      onFile:
        onFile ??
        (async (before, { name, contentType, stream }) => {
          outcome.before = before;
          outcome.file = { name, contentType, text: await text(stream) };
        }),
    };
    try {
      outcome.given = await readUpload(request, settings);
    } catch (error) {
      outcome.error = (error as Error).message;
    }
    response.end(JSON.stringify(outcome));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

beforeEach(() => {
  onFile = undefined;
  maxBytes = 100_000;
});

const TYPE = 'multipart/form-data; boundary=B';

function part(name: string, value: string, more = ''): string {
  return `--B\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
}

function filePart(value: string, fileName = 'x.txt', type = 'text/plain'): string {
  return part('file', value, `; filename="${fileName}"\r\nContent-Type: ${type}`);
}

function post(body: string | string[], type = TYPE, path = '/'): Promise<Outcome> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ port, method: 'POST', path, headers: { 'Content-Type': type } }, async (response) =>
      resolve(JSON.parse(await text(response))),
    );
    sent.on('error', reject);
    for (const chunk of [body].flat()) sent.write(chunk);
    sent.end();
  });
}

describe('reading an upload', () => {
  test('fields on both sides of the file are returned with it', async () => {
    const body = `${part('a[b]', '1')}${filePart('hello', 'dir/note.txt', 'Text/Plain; charset=x')}${part('name', 'later')}--B--\r\n`;
    expect(await post(body, TYPE, '/?q=1&name=early')).toEqual({
      before: { q: '1', name: 'early', a: { b: '1' } },
      file: { name: 'note.txt', contentType: 'text/plain', text: 'hello' },
      given: { q: '1', name: 'later', a: { b: '1' } },
    });
  });

  test('the result does not depend on the chunk boundaries', async () => {
    const body = `${part('a', '1')}${filePart('hel--B\r\nlo\r\n-')}--B--\r\n`;
    for (const size of [1, 2, 7]) {
      const chunks = body.match(new RegExp(`[^]{1,${size}}`, 'g'))!;
      expect((await post(chunks)).file!.text).toBe('hel--B\r\nlo\r\n-');
    }
  });

  test('a file may be empty, nameless or missing', async () => {
    expect((await post(`${filePart('')}--B--\r\n`)).file!.text).toBe('');
    expect((await post(`${part('file', 'x')}--B--\r\n`)).file).toEqual({ contentType: 'text/plain', text: 'x' });
    expect(await post(`${part('a', '1')}--B--\r\n`)).toEqual({ given: { a: '1' } });
  });

  test('further files and files of other fields are skipped', async () => {
    const other = part('other', 'y'.repeat(40_000), '; filename="y.txt"');
    const answer = await post(`${other}${filePart('first')}${filePart('second')}${other}--B--\r\n`);
    expect([answer.file!.text, answer.given]).toEqual(['first', {}]);
  });

  test('a body that is not multipart is read like any other request', async () => {
    expect(await post('a=1', 'application/x-www-form-urlencoded')).toEqual({ given: { a: '1' } });
    expect(await post('{"a":1}', 'application/json')).toEqual({ given: { a: 1 } });
    expect(await post('x', 'text/plain')).toEqual({ error: 'Unsupported content type' });
  });
});

describe('rejected uploads', () => {
  const bad: [string, string | string[], string][] = [
    [
      'with a body above the limit',
      [filePart('x'.repeat(60_000)).slice(0, -2), 'x'.repeat(60_000)],
      'Request body is too large',
    ],
    [
      'with more text than other requests may have',
      `${part('a', 'x'.repeat(1_001))}--B--\r\n`,
      'Request body is too large',
    ],
    [
      'with too much text after its file',
      `${filePart('x')}${part('a', 'x'.repeat(1_001))}--B--\r\n`,
      'Request body is too large',
    ],
    [
      'with text that is not UTF-8',
      [part('a', '').slice(0, -2), Buffer.from([0xff]) as unknown as string, '\r\n', filePart('x'), '--B--\r\n'],
      'Malformed request body',
    ],
    ['that breaks off in its file', filePart('x').slice(0, -2), 'Malformed request body'],
    ['that breaks off in a field', `${filePart('x')}${part('a', 'x').slice(0, -2)}`, 'Malformed request body'],
  ];

  test.each(bad)('a request %s is rejected', async (_name, body, message) => {
    expect((await post(body)).error).toBe(message);
  });

  test('parameters that are nested too deeply are rejected before the file is stored', async () => {
    const body = `${part(`a${'[b]'.repeat(20)}`, '1')}${filePart('x')}--B--\r\n`;
    const answer = await post(body);
    expect(answer).toEqual({ error: 'Request parameters are too complex' });
  });

  test('a request with too many parts is rejected', async () => {
    maxBytes = 2_000_000;
    const nameless = '--B\r\nContent-Disposition: form-data; name=""\r\n\r\n\r\n';
    expect((await post(`${nameless.repeat(20_000)}${filePart('x')}--B--\r\n`)).given).toEqual({});
    const answer = await post(`${nameless.repeat(20_001)}${filePart('x')}--B--\r\n`);
    expect(answer.error).toBe('Request parameters are too complex');
  });

  test('a request without a boundary is rejected', async () => {
    expect((await post(filePart('x'), 'multipart/form-data')).error).toBe('Malformed request body');
  });

  test('a file that the endpoint does not accept is rejected after the rest of the body was read', async () => {
    onFile = async () => {
      throw new ForbiddenError('USER_BLOCKED');
    };
    const body = [filePart('x').slice(0, -2), ...Array.from({ length: 9 }, () => 'x'.repeat(10_000)), '\r\n--B--\r\n'];
    expect((await post(body)).error).toBe('The user is blocked');
  });

  test('a rejected request ends only after the consumer of its file has stopped', async () => {
    let stopped = false;
    onFile = async (_before, { stream }) => {
      try {
        for await (const _ of stream);
      } finally {
        await new Promise((resolve) => setImmediate(resolve));
        stopped = true;
      }
    };
    await post(filePart('x').slice(0, -2));
    expect(stopped).toBe(true);
  });
});

test('an upload stops when the client disconnects', async () => {
  let ended!: (error: unknown) => void;
  const end = new Promise((resolve) => {
    ended = resolve;
  });
  const { port } = server.address() as AddressInfo;
  const sent = httpRequest({ port, method: 'POST', headers: { 'Content-Type': TYPE } });
  sent.on('error', () => {});
  onFile = async (_before, { stream }) => {
    sent.destroy();
    await text(stream).then(ended, ended);
  };
  sent.write(filePart('half').slice(0, -2));
  expect(await end).toMatchObject({ message: 'Malformed request body' });
});

test('a slow consumer slows the client down', async () => {
  let resume!: () => void;
  const released = new Promise<void>((resolve) => {
    resume = resolve;
  });
  let taken = 0;
  onFile = async (_before, { stream }) => {
    await released;
    for await (const chunk of stream) taken += (chunk as Buffer).length;
  };
  const { port } = server.address() as AddressInfo;
  const sent = httpRequest({ port, method: 'POST', headers: { 'Content-Type': TYPE } });
  const answered = new Promise<void>((resolve) =>
    sent.on('response', (response) => response.resume().on('end', resolve)),
  );
  sent.write(filePart('').slice(0, -2));
  for (let chunk = 0; chunk < 9; chunk++) sent.write('x'.repeat(10_000));
  resume();
  sent.end('\r\n--B--\r\n');
  await answered;
  expect(taken).toBe(90_000);
});
