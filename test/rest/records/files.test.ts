import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { running, useApp } from '../../support/app/app.ts';
import { MULTIPART, multipart, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { createRecordCast, newCar, outcomeOf, type RecordCast, SOME_ID } from '../../support/fixtures/cars.ts';
import {
  MALFORMED,
  MAY_NOT_DO,
  NEED_USER,
  NO_SESSION,
  NOT_FOUND,
  TOKEN_REQUIRED,
  UNDEFINED_CLASS,
  UNSUPPORTED_TYPE,
} from '../../support/fixtures/error-bodies.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp();

let cast: RecordCast;
let id: string;
beforeAll(async () => {
  cast = await createRecordCast();
});
beforeEach(async () => {
  id = await newCar({ make: 'AB' }, cast.olga);
  cast.values.car = id;
  cast.values.closed = await newCar({ permissions: { read: { access: 'owner' } } }, cast.olga);
});

const refused = (...sentences: string[]) => ({ errors: sentences });
const NO_FIELD = (name: string) => refused(`Field ${name} is not a file field`);

const UNNAMED = refused('Field name is missing');

function form(
  before: Record<string, string>,
  content: string,
  after: Record<string, string> = {},
  fileName = 'x.txt',
  type = 'text/plain',
) {
  const file = `--B\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`;
  return multipart(before).replace('--B--\r\n', '') + file + multipart(after);
}

const path = (query = '') => `/data/cars/${id}/file.json${query}`;
const upload = (body: string, as: Caller = cast.olga, target = path()) =>
  rawRequest('POST', target, { as, headers: { 'Content-Type': MULTIPART }, body });
const read = async () => (await rest('GET', `/data/cars/${id}`, { as: apiKey })).body;
const download = (as: Caller = cast.olga, headers = {}, method = 'GET') =>
  rawRequest(method, path('?field_name=motor'), { as, headers });
const keptFiles = async () =>
  (await readdir(join(running.dataDir, 'files'), { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  ).length;

describe('files of records', () => {
  test('a file is uploaded into its field and downloaded', async () => {
    const { status, text } = await upload(form({ field_name: 'motor' }, 'hello'));
    const { file_id: fileId } = JSON.parse(text);
    expect([status, text]).toEqual([
      200,
      `{"_id":"${id}","file_id":"${fileId}","name":"x.txt","size":5,"content_type":"text/plain"}`,
    ]);
    expect((await read()).motor).toEqual({ file_id: SOME_ID, name: 'x.txt', size: 5, content_type: 'text/plain' });
    const got = await download();
    expect([got.status, got.text, got.headers['content-type'], got.headers['content-length']]).toEqual([
      200,
      'hello',
      'text/plain',
      '5',
    ]);
    expect(got.headers['content-disposition']).toBe('attachment; filename="x.txt"');
    expect(got.headers['content-security-policy']).toBe('sandbox');
    expect(got.headers).toHaveProperty('svc-token-expirationdate');
  });

  test('a file may precede the name of its field in the form, also with an API key', async () => {
    const { status } = await upload(form({}, 'hello', { field_name: 'motor' }), apiKey);
    expect([status, (await download()).text]).toEqual([200, 'hello']);
    expect((await upload(form({}, 'again'), apiKey, path('?field_name=motor'))).status).toBe(200);
    expect((await download()).text).toBe('again');
  });

  test('a new file replaces the old one, whose content is deleted', async () => {
    const before = await keptFiles();
    await upload(form({ field_name: 'motor' }, 'first'));
    const { motor } = await read();
    await upload(form({ field_name: 'motor' }, 'second', {}, 'y.bin', 'image/png'));
    const next = (await read()).motor;
    expect(next).toEqual({ file_id: SOME_ID, name: 'y.bin', size: 6, content_type: 'image/png' });
    expect(next.file_id).not.toBe(motor.file_id);
    expect(await keptFiles()).toBe(before + 1);
  });

  test('a file supports range and HEAD requests', async () => {
    await upload(form({ field_name: 'motor' }, '0123456789'));
    const part = await download(cast.olga, { Range: 'bytes=2-4' });
    expect([part.status, part.text, part.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10']);
    expect((await download(cast.olga, { Range: 'bytes=20-' })).status).toBe(416);
    const head = await download(cast.olga, {}, 'HEAD');
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '10']);
  });

  test('updating the record leaves its files unchanged and ignores values for file fields', async () => {
    await upload(form({ field_name: 'motor' }, 'hello'));
    const whole = await read();
    const { body } = await rest('PUT', `/data/cars/${id}`, {
      as: cast.olga,
      json: { ...whole, motor: null, make: 'x' },
    });
    expect(body).toEqual({ ...whole, make: 'x' });
    expect((await download()).text).toBe('hello');
  });

  test('a deleted file is gone, and deleting it again responds 404', async () => {
    const before = await keptFiles();
    await upload(form({ field_name: 'motor' }, 'hello'));
    expect(outcomeOf(await rest('DELETE', path(), { as: cast.olga, form: 'field_name=motor' }))).toEqual([200, '']);
    expect((await read()).motor).toBeNull();
    expect((await download()).status).toBe(404);
    expect(await keptFiles()).toBe(before);
    expect(outcomeOf(await rest('DELETE', path(), { as: cast.olga, form: 'field_name=motor' }))).toEqual([
      404,
      NOT_FOUND,
    ]);
  });

  test('the files of a deleted record are released', async () => {
    await upload(form({ field_name: 'motor' }, 'hello'));
    await rest('DELETE', `/data/cars/${id}`, { as: cast.olga });
    expect((await download()).status).toBe(404);
    expect(await db.unclaimedFile.count()).toBeGreaterThan(0);
  });

  test('a file keeps only the last segment of its name', async () => {
    for (const [given, shown] of [
      ['../../etc/passwd', 'passwd'],
      ['é".txt'.replace('"', '%22'), 'é%22.txt'],
      ["a'; DROP TABLE--", "a'; DROP TABLE--"],
    ]) {
      const { text } = await upload(form({ field_name: 'motor' }, 'hello', {}, given));
      expect(JSON.parse(text).name).toBe(shown);
      expect((await download()).text).toBe('hello');
    }
  });
});

describe('rights to files', () => {
  test('users who may update a record may upload its files', async () => {
    const body = form({ field_name: 'motor' }, 'hello');
    const before = await keptFiles();
    for (const [caller, status, answer] of [
      ['mallory', 403, MAY_NOT_DO],
      ['key for mallory', 403, MAY_NOT_DO],
      ['application', 422, NEED_USER],
      ['unknown token', 401, NO_SESSION],
      ['other key', 403, UNDEFINED_CLASS],
    ] as const) {
      const given = await upload(body, cast.callers[caller]);
      expect([given.status, JSON.parse(given.text)]).toEqual([status, answer]);
    }
    expect(await keptFiles()).toBe(before);
    expect((await read()).motor).toBeNull();
    await rest('PUT', `/data/cars/${id}`, { as: cast.olga, form: 'permissions[update][access]=open' });
    expect((await upload(body, cast.mallory)).status).toBe(200);
  });

  test('users who may read a record may download its files, with a token header or parameter', async () => {
    const body = form({ field_name: 'motor' }, 'hello');
    const closed = `/data/cars/${cast.values.closed}/file.json?field_name=motor`;
    await upload(body);
    await upload(body, cast.olga, closed);
    const open = `/data/cars/${id}/file?field_name=motor`;
    const get = async (target: string, as?: Caller) => (await rawRequest('GET', target, { as })).status;
    expect(await get(open, cast.mallory)).toBe(200);
    expect(await get(open, cast.callers.application)).toBe(200);
    expect(await get(`${open}&token=${cast.mallory.token}`)).toBe(200);
    expect(await get(closed, cast.mallory)).toBe(403);
    expect(await get(`${closed}&token=${cast.mallory.token}`)).toBe(403);
    expect(await get(`${closed}&token=${cast.olga.token}`)).toBe(200);
    expect(await get(`${closed}&token=${cast.olga.token}`, cast.mallory)).toBe(403);
    expect(await get(closed, apiKey)).toBe(200);
    expect(await get(`${open}&token=${'0'.repeat(40)}`)).toBe(401);
    expect(await get(open)).toBe(401);
  });

  test('the token parameter is a credential only for downloads', async () => {
    const body = form({ field_name: 'motor' }, 'hello');
    const target = `/data/cars/${id}/file?field_name=motor&token=${cast.olga.token}`;
    const given = await rawRequest('POST', target, { headers: { 'Content-Type': MULTIPART }, body });
    expect([given.status, JSON.parse(given.text)]).toEqual([401, TOKEN_REQUIRED]);
    expect((await rawRequest('DELETE', target)).status).toBe(401);
  });
});

describe('rejected file requests', () => {
  const row = (
    name: string,
    method: string,
    target: string,
    body: string | undefined,
    status: number,
    answer: unknown,
    type?: string,
  ): Scenario => [name, 'olga', method, target, body, status, answer, type ? { 'Content-Type': type } : {}];
  const FILE = '/data/cars/{car}/file';
  const whole = (field: string) => form({ field_name: field }, 'hello');
  testScenarios(
    () => cast,
    [
      row('no field', 'POST', FILE, form({}, 'hello'), 422, UNNAMED, MULTIPART),
      row('an unknown field', 'POST', FILE, whole('none'), 422, NO_FIELD('none'), MULTIPART),
      row('a field of another type', 'POST', FILE, whole('make'), 422, NO_FIELD('make'), MULTIPART),
      row('a name that every object has', 'POST', FILE, whole('__proto__'), 422, NO_FIELD('__proto__'), MULTIPART),
      row('no file', 'POST', FILE, multipart({ field_name: 'motor' }), 422, refused('File is missing'), MULTIPART),
      row('no multipart', 'POST', FILE, 'field_name=motor&file=x', 422, refused('File is missing')),
      row('another type', 'POST', FILE, 'hello', 415, UNSUPPORTED_TYPE, 'text/plain'),
      row('a form that breaks off', 'POST', FILE, whole('motor').slice(0, -12), 400, MALFORMED, MULTIPART),
      row('an unknown record', 'POST', '/data/cars/{unknown}/file', whole('motor'), 404, NOT_FOUND, MULTIPART),
      row('no id', 'POST', '/data/cars/abc/file', whole('motor'), 404, NOT_FOUND, MULTIPART),
      row('an unknown class', 'POST', '/data/Cars/{car}/file', whole('motor'), 403, UNDEFINED_CLASS, MULTIPART),
      row('none to be read', 'GET', `${FILE}?field_name=motor`, undefined, 404, NOT_FOUND),
      row('to be read of no field', 'GET', FILE, undefined, 422, UNNAMED),
      row('to be read of a text', 'GET', `${FILE}?field_name=make`, undefined, 422, NO_FIELD('make')),
      row(
        'to be read of an unknown record',
        'GET',
        '/data/cars/{unknown}/file?field_name=motor',
        undefined,
        404,
        NOT_FOUND,
      ),
      row(
        'to be read of an unknown class',
        'GET',
        '/data/Cars/{car}/file?field_name=motor',
        undefined,
        403,
        UNDEFINED_CLASS,
      ),
      row('none to be deleted', 'DELETE', FILE, 'field_name=motor', 404, NOT_FOUND),
      row('to be deleted of no field', 'DELETE', FILE, undefined, 422, UNNAMED),
      row('to be deleted of a text', 'DELETE', `${FILE}?field_name=tags`, undefined, 422, NO_FIELD('tags')),
      row(
        'to be deleted of an unknown record',
        'DELETE',
        '/data/cars/{unknown}/file',
        'field_name=motor',
        404,
        NOT_FOUND,
      ),
    ],
  );

  test('rejected uploads leave no stored file', async () => {
    const before = await keptFiles();
    for (const field of ['none', 'make']) await upload(form({ field_name: field }, 'hello'));
    expect(await keptFiles()).toBe(before);
  });

  test('deleting a file requires the right to update the record', async () => {
    await upload(form({ field_name: 'motor' }, 'hello'));
    for (const caller of ['mallory', 'key for mallory']) {
      const answer = await rest('DELETE', path(), { as: cast.callers[caller]!, form: 'field_name=motor' });
      expect(outcomeOf(answer)).toEqual([403, MAY_NOT_DO]);
    }
    expect((await download()).text).toBe('hello');
  });
});

test.each(['a/\u0001b', 'text/plain\u007f', 'a/b\u0000'])(
  'a file whose type %j is no header value is downloaded as bytes',
  async (type) => {
    expect((await upload(form({ field_name: 'motor' }, 'bytes', {}, 'x.txt', type))).status).toBe(200);
    const { status, headers, text } = await download();
    expect([status, headers['content-type'], text]).toEqual([200, 'application/octet-stream', 'bytes']);
  },
);

test('a file that does not have the size of its record is not found, because it would continue into the next response', async () => {
  expect((await upload(form({ field_name: 'motor' }, 'HTTP/1.1 200 OK'))).status).toBe(200);
  await db.$executeRaw`UPDATE records SET fields = jsonb_set(fields, '{motor,size}', '4') WHERE id = ${id}`;
  expect((await download()).status).toBe(404);
});
