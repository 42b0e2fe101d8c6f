import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { expectCommonHeaders, rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
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
import { createUser } from '../../support/fixtures/users.ts';

useApp();
useDocumentedBehavior();

const AT = '2026-11-20T17:46:59Z';
const NOT_FOUND = { errors: ["The resource wasn't found"] };
const NO_PERMISSION = { errors: ["You don't have appropriate permissions to perform this operation"] };
const NEED_USER = { errors: { base: ['Forbidden. Need user.'] } };
const NO_TOKEN = { errors: ['Token is required'] };
const NO_SESSION = { errors: { base: ['Required session does not exist'] } };
const NO_POSITIVE = { errors: { id: ['should be a positive integer'] } };

let cast: ChatCast;

beforeAll(async () => {
  cast = await createChatCast();
  const { alice, callers, values } = cast;
  const secret = await storeBlob(alice, 'for us', { name: 'secret.txt' });
  const open = await storeBlob(alice, 'for all', { name: 'open.txt', public: true });
  const unfinished = await createBlob(alice);
  const foreign = await storeBlob(cast.stranger, 'not yours');
  Object.assign(values, {
    secret: secret.id,
    secretUid: secret.uid,
    open: open.id,
    openUid: open.uid,
    unfinished: unfinished.id,
    unfinishedUid: unfinished.uid,
    foreign: foreign.id,
    foreignUid: foreign.uid,
    token: alice.token,
  });
  callers.wrong = { headers: { 'SVC-Token': 'nobody-has-this' } };
  callers['both credentials'] = { headers: { ...alice.headers, Authorization: 'ApiKey KEY' } };
});

const shown = (id: string, more: object = {}) => ({
  blob: {
    id: `{${id}}`,
    uid: `{${id}Uid}`,
    content_type: 'text/plain',
    name: `${id}.txt`,
    size: 6,
    created_at: AT,
    updated_at: AT,
    blob_status: 'complete',
    set_completed_at: AT,
    public: false,
    tags: null,
    ...more,
  },
});

describe('blob errors', () => {
  const field = (name: string, ...texts: [text: string, sentence: string][]) => ({
    errors: { [name]: texts.map(([text]) => text), base: texts.map(([, sentence]) => sentence) },
  });
  const BLANK_NAME = field('name', ["can't be blank", "Name can't be blank"]);
  const LONG_NAME = field('name', [
    'is too long (maximum is 100 characters)',
    'Name is too long (maximum is 100 characters)',
  ]);
  const BAD_TYPE = field('content_type', ['is invalid', 'Content type is invalid']);
  const create = (blob: object) => ({ blob: { name: 'x', content_type: 'text/plain', ...blob } });

  const rows: Scenario[] = [
    ['no credential', 'anonymous', 'POST', '/blobs', create({}), 401, NO_TOKEN],
    ['an expired one', 'wrong', 'POST', '/blobs', create({}), 401, NO_SESSION],
    ['no user', 'application', 'POST', '/blobs', create({}), 422, NEED_USER],
    ['no user behind a key', 'key', 'POST', '/blobs', create({}), 422, NEED_USER],
    ['no name', 'alice', 'POST', '/blobs', create({ name: undefined }), 422, BLANK_NAME],
    ['a blank name', 'alice', 'POST', '/blobs', create({ name: '  ' }), 422, BLANK_NAME],
    ['a long name', 'alice', 'POST', '/blobs', create({ name: 'é'.repeat(101) }), 422, LONG_NAME],
    ['no type', 'alice', 'POST', '/blobs', create({ content_type: null }), 422, BAD_TYPE],
    ['an invalid type', 'alice', 'POST', '/blobs', create({ content_type: 'text' }), 422, BAD_TYPE],
    ['a type with a header', 'alice', 'POST', '/blobs', create({ content_type: 'text/x\r\nA: b' }), 422, BAD_TYPE],
    ['a type of objects', 'alice', 'POST', '/blobs', create({ content_type: { a: 1 } }), 422, BAD_TYPE],
    ['a long type', 'alice', 'POST', '/blobs', create({ content_type: `a/${'b'.repeat(254)}` }), 422, BAD_TYPE],
    [
      'nothing',
      'alice',
      'POST',
      '/blobs',
      {},
      422,
      {
        errors: {
          content_type: ['is invalid'],
          name: ["can't be blank"],
          base: ['Content type is invalid', "Name can't be blank"],
        },
      },
    ],
    [
      'invalid flags and tags',
      'alice',
      'POST',
      '/blobs',
      create({ public: 'perhaps', tag_list: 'x'.repeat(1_001) }),
      422,
      {
        errors: {
          public: ['is invalid'],
          tag_list: ['is too long (maximum is 1000 characters)'],
          base: ['Public is invalid', 'Tag list is too long (maximum is 1000 characters)'],
        },
      },
    ],
    [
      'a page of nothing',
      'alice',
      'GET',
      '/blobs?per_page=0&page=0',
      undefined,
      422,
      {
        errors: { base: ['per_page should be between 1 and 100', 'page should be greater than 0'] },
      },
    ],
    ['no user to list for', 'application', 'GET', '/blobs', undefined, 422, NEED_USER],
    ['an unknown id', 'alice', 'GET', '/blobs/2147483647', undefined, 404, NOT_FOUND],
    ['an id beyond all', 'alice', 'GET', '/blobs/9999999999', undefined, 404, NOT_FOUND],
    ['zero', 'alice', 'GET', '/blobs/0', undefined, 422, NO_POSITIVE],
    ['neither an id nor a uid', 'alice', 'GET', '/blobs/abc', undefined, 404, NOT_FOUND],
    ['a uid in capitals', 'alice', 'GET', `/blobs/${'A'.repeat(34)}`, undefined, 404, NOT_FOUND],
    ['an unknown uid', 'anonymous', 'GET', `/blobs/${'0'.repeat(34)}`, undefined, 404, NOT_FOUND],
    ['a path of neither', 'alice', 'GET', '/blobs/abc/download', undefined, 404, NOT_FOUND],
    ['a blob of another application', 'alice', 'GET', '/blobs/{foreign}', undefined, 404, NOT_FOUND],
    ['its bytes', 'alice', 'GET', '/blobs/{foreignUid}', undefined, 404, NOT_FOUND],
    ['its bytes by id', 'alice', 'GET', '/blobs/{foreign}/download', undefined, 404, NOT_FOUND],
    ['changing it', 'key', 'PUT', '/blobs/{foreign}', { blob: { name: 'x' } }, 404, NOT_FOUND],
    ['completing it', 'key', 'PUT', '/blobs/{foreign}/complete', undefined, 404, NOT_FOUND],
    ['deleting it', 'key', 'DELETE', '/blobs/{foreign}', undefined, 404, NOT_FOUND],
    ['bytes that are not complete', 'alice', 'GET', '/blobs/{unfinishedUid}', undefined, 404, NOT_FOUND],
    ['private bytes without a credential', 'anonymous', 'GET', '/blobs/{secretUid}', undefined, 401, NO_TOKEN],
    ['private bytes with a wrong one', 'wrong', 'GET', '/blobs/{secretUid}/download', undefined, 401, NO_SESSION],
    ['private bytes with a wrong token', 'anonymous', 'GET', '/blobs/{secretUid}?token=x', undefined, 401, NO_SESSION],
    ['metadata by a token in the query', 'anonymous', 'GET', '/blobs/{secret}?token={token}', undefined, 401, NO_TOKEN],
    [
      'private bytes with two credentials',
      'both credentials',
      'GET',
      '/blobs/{secretUid}',
      undefined,
      400,
      {
        errors: ['Only one of SVC-Token and Authorization may be used'],
      },
    ],
    ["another's blob to change", 'bob', 'PUT', '/blobs/{secret}', { blob: { name: 'x' } }, 403, NO_PERMISSION],
    ["another's blob to complete", 'bob', 'PUT', '/blobs/{secret}/complete', undefined, 403, NO_PERMISSION],
    ["another's blob to delete", 'bob', 'DELETE', '/blobs/{secret}', undefined, 403, NO_PERMISSION],
    ["another's, through a key", 'key for mallory', 'DELETE', '/blobs/{secret}', undefined, 403, NO_PERMISSION],
    ['a blank name in a change', 'alice', 'PUT', '/blobs/{secret}', { blob: { name: '' } }, 422, BLANK_NAME],
    ['no id to change', 'alice', 'PUT', '/blobs/abc', { blob: { name: 'x' } }, 422, NO_POSITIVE],
    ['no id to complete', 'alice', 'PUT', '/blobs/1.5/complete', undefined, 422, NO_POSITIVE],
    ['no id to delete', 'alice', 'DELETE', '/blobs/-3', undefined, 422, NO_POSITIVE],
    [
      'nothing uploaded',
      'alice',
      'PUT',
      '/blobs/{unfinished}/complete',
      { size: 5 },
      422,
      {
        errors: { base: ['File was not uploaded'] },
      },
    ],
  ];
  testScenarios(() => cast, rows);
});

describe('reading blobs', () => {
  testScenarios(
    () => cast,
    [
      ['a blob', 'alice', 'GET', '/blobs/{secret}', undefined, 200, shown('secret')],
      ['by an application session', 'application', 'GET', '/blobs/{secret}', undefined, 200, shown('secret')],
      ['by an API key', 'key', 'GET', '/blobs/{open}', undefined, 200, shown('open', { size: 7, public: true })],
      ['with stray parameters', 'bob', 'GET', '/blobs/{secret}?blob[name]=new%20name', undefined, 200, shown('secret')],
    ],
  );

  test("GET /blobs lists the caller's blobs, newest first, and all blobs for an API key", async () => {
    const dora = await createUser();
    const none = await rest('GET', '/blobs', { as: dora });
    expect(none.body).toEqual({ current_page: 1, per_page: 10, total_entries: 0, items: [] });

    const ids: number[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await createBlob(dora, { name })).id);
    const second = await rest('GET', '/blobs?page=2&per_page=2', { as: dora });
    expect(second.body).toMatchObject({ current_page: 2, per_page: 2, total_entries: 3 });
    expect(second.body.items.map(({ blob }: ShownBlob) => blob.id)).toEqual([ids[0]]);
    const first = await rest('GET', '/blobs?page=1&per_page=2', { as: dora });
    expect(first.body.items.map(({ blob }: ShownBlob) => blob.id)).toEqual([ids[2], ids[1]]);

    const all = await rest('GET', '/blobs?per_page=100', { as: cast.callers.key! });
    expect(all.body.total_entries).toBe(all.body.items.length);
    expect(all.body.items.length).toBe(6);
    await rest('DELETE', `/blobs/${ids[1]}`, { as: dora });
    expect((await rest('GET', '/blobs', { as: dora })).body.total_entries).toBe(2);
  });
});

describe('the life of a blob', () => {
  test('a blob is created, uploaded, completed and downloaded', async () => {
    const { alice } = cast;
    const made = await rest('POST', '/blobs', {
      as: alice,
      form: 'blob[content_type]=text%2Fplain&blob[name]=note.txt%20&blob[public]=1&blob[tag_list]=a,%20b,a',
    });
    expect(made.status).toBe(201);
    const { blob } = made.body;
    expect(made.body).toEqual({
      blob: {
        id: expect.any(Number),
        uid: expect.stringMatching(/^[0-9a-f]{34}$/),
        content_type: 'text/plain',
        name: 'note.txt',
        size: null,
        created_at: AT,
        updated_at: AT,
        blob_status: null,
        set_completed_at: null,
        public: true,
        tags: 'a,b',
        blob_object_access: {
          id: expect.any(Number),
          blob_id: blob.id,
          expires: '2026-11-20T18:46:59Z',
          object_access_type: 'Write',
          params: expect.stringMatching(
            new RegExp(
              `^${running.url}/uploads\\?Content-Type=text%2Fplain&Expires=2026-11-20T18%3A46%3A59Z&acl=public-read` +
                `&key=${blob.uid}&policy=[\\w-]+&success_action_status=201&signature=[0-9a-f]{64}$`,
            ),
          ),
        },
      },
    });

    const uploaded = await upload(uploadFields(blob), { bytes: 'fifteen bytes..', behind: { name: 'other' } });
    expect([uploaded.status, uploaded.headers['content-type'], uploaded.text]).toEqual([
      201,
      'application/xml; charset=utf-8',
      `<PostResponse><Location>${running.url}/blobs/${blob.uid}</Location><Bucket>uploads</Bucket><Key>${blob.uid}</Key><ETag>"${md5('fifteen bytes..')}"</ETag></PostResponse>`,
    ]);
    expect((await rawRequest('GET', `/blobs/${blob.uid}`)).status).toBe(404);
    expect((await rest('GET', `/blobs/${blob.id}`, { as: alice })).body.blob).toMatchObject({
      blob_status: null,
      size: null,
    });

    const completed = await rawRequest('PUT', `/blobs/${blob.id}/complete.json`, {
      as: alice,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'size=999',
    });
    expect([completed.status, completed.text]).toEqual([200, '']);
    expectCommonHeaders(completed);
    const { blob_object_access: _, ...plain } = blob;
    expect((await rest('GET', `/blobs/${blob.id}`, { as: cast.bob })).body.blob).toEqual({
      ...plain,
      size: 15,
      blob_status: 'complete',
      set_completed_at: AT,
    });
    expect((await rawRequest('GET', `/blobs/${blob.uid}`)).text).toBe('fifteen bytes..');
  });

  test('completing a blob twice succeeds, and later uploads are rejected', async () => {
    const blob = await storeBlob(cast.alice, 'once');
    expect((await complete(cast.alice, blob)).status).toBe(200);
    expect((await upload(uploadFields(blob), { bytes: 'again' })).status).toBe(403);
    expect((await rawRequest('GET', `/blobs/${blob.uid}`, { as: cast.bob })).text).toBe('once');
  });

  test("a blob's fields can be changed by its creator and by an API key", async () => {
    const blob = await storeBlob(cast.alice);
    const json = { blob: { name: 'new.html', content_type: 'text/html', tag_list: ['x', 'y'], public: true } };
    const changed = await rest('PUT', `/blobs/${blob.id}`, { as: cast.alice, json });
    expect([changed.status, changed.body.blob]).toMatchObject([
      200,
      { name: 'new.html', content_type: 'text/html', tags: 'x,y', public: true, size: 5, blob_status: 'complete' },
    ]);
    expect(changed.body.blob).not.toHaveProperty('blob_object_access');
    const cleared = await rest('PUT', `/blobs/${blob.id}`, {
      as: cast.callers.key!,
      json: { blob: { tag_list: null } },
    });
    expect(cleared.body.blob).toMatchObject({ name: 'new.html', tags: null, public: true });
    const same = await rest('PUT', `/blobs/${blob.id}`, { as: cast.alice });
    expect(same.body).toEqual(cleared.body);
  });

  test('a blob keeps its old content until a new upload is completed', async () => {
    const blob = await storeBlob(cast.alice, 'old');
    const before = await storedFiles();
    const renewed = await rest('PUT', `/blobs/${blob.id}`, { as: cast.alice, form: 'blob[new]=1' });
    expect(renewed.body.blob).toMatchObject({ blob_status: 'complete', size: 3 });
    const fields = uploadFields(renewed.body.blob);
    expect(fields.signature).not.toBe(uploadFields(blob).signature);
    expect((await complete(cast.alice, blob)).status).toBe(422);
    expect((await upload(uploadFields(blob))).status).toBe(403);

    await upload(fields, { bytes: 'newer' });
    const read = async () => (await rawRequest('GET', `/blobs/${blob.uid}`, { as: cast.bob })).text;
    expect(await read()).toBe('old');
    expect((await complete(cast.alice, blob)).status).toBe(200);
    expect(await read()).toBe('newer');
    expect(await storedFiles()).toHaveLength(before.length);
  });

  test('deleting a blob deletes its content, including uploads in progress', async () => {
    const before = await storedFiles();
    const blob = await storeBlob(cast.alice, 'old');
    const renewed = await rest('PUT', `/blobs/${blob.id}`, { as: cast.alice, json: { blob: { new: 1 } } });
    await upload(uploadFields(renewed.body.blob));
    expect(await storedFiles()).toHaveLength(before.length + 2);
    const deleted = await rawRequest('DELETE', `/blobs/${blob.id}.json`, { as: cast.alice });
    expect([deleted.status, deleted.text]).toEqual([200, '']);
    expect(await storedFiles()).toEqual(before);
    expect((await rawRequest('GET', `/blobs/${blob.uid}`, { as: cast.alice })).status).toBe(404);
    expect((await rawRequest('DELETE', `/blobs/${blob.id}`, { as: cast.alice })).status).toBe(404);
  });

  test('a blob and a page of blobs are available as XML', async () => {
    const blob = await createBlob(cast.carol, { name: 'a&b.txt' });
    const shown = await rawRequest('GET', `/blobs/${blob.id}.xml`, { as: cast.carol });
    const inner =
      `<id type="integer">${blob.id}</id><uid>${blob.uid}</uid><content-type>text/plain</content-type>` +
      `<name>a&amp;b.txt</name><size nil="true"/><created-at type="datetime">${AT}</created-at>` +
      `<updated-at type="datetime">${AT}</updated-at><blob-status nil="true"/><set-completed-at nil="true"/>` +
      '<public type="boolean">false</public><tags nil="true"/>';
    expect(shown.text).toBe(`<?xml version="1.0" encoding="UTF-8"?><blob>${inner}</blob>`);
    const page = await rawRequest('GET', `/blobs.xml?token=${cast.carol.token}`);
    expect(page.text).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><blobs><current-page type="integer">1</current-page>' +
        '<per-page type="integer">10</per-page><total-entries type="integer">1</total-entries>' +
        `<items type="array"><blob>${inner}</blob></items></blobs>`,
    );
    const refused = await rawRequest('POST', '/blobs.xml', { as: cast.carol, body: 'blob[name]=' });
    expect([refused.status, refused.text]).toEqual([
      422,
      '<?xml version="1.0" encoding="UTF-8"?><errors><error>Content type is invalid</error><error>Name can\'t be blank</error></errors>',
    ]);
    expect((await rawRequest('GET', `/blobs/${blob.uid}.xml`, { as: cast.carol })).text).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><errors><error>The resource wasn\'t found</error></errors>',
    );
  });
});

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
