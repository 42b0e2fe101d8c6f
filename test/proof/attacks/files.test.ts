import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { DiskStorage } from '../../../src/gateways/disk-storage.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { type GraphQLAnswer, graphql } from '../../support/clients/graphql.ts';
import { MULTIPART, multipart, rawRequest } from '../../support/clients/raw-http.ts';
import { codeOf, GRAPHQL_TRANSPORTS } from '../../support/clients/transports.ts';
import { overSocket } from '../../support/clients/websocket.ts';
import { signedInAdministrator, withReason } from '../../support/fixtures/administrators.ts';
import { complete, createBlob, storeBlob, storedFiles, upload, uploadFields } from '../../support/fixtures/blobs.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import { anonymous, apiKey, type Caller, createUser, onBehalfOf, type TestUser } from '../../support/fixtures/users.ts';

useApp();

interface ScannedFields {
  scan: { key: string };
}

let alice: TestUser;
beforeAll(async () => {
  alice = await createUser();
});

const SCRIPT = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const FILE_PART =
  '--B\r\nContent-Disposition: form-data; name="file"; filename="x.txt"\r\nContent-Type: text/plain\r\n\r\nscan\r\n--B--\r\n';
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

describe('#70 capabilities of private files for administrators', () => {
  const LIST = '{ blobs(first: 1) { edges { node { id size contentType public createdAt FIELD } } } }';
  const ONE = 'query ($id: Int!) { ...on Query { again: blob(id: $id) { id FIELD } } }';
  const COMPLETE = 'mutation ($id: Int!) { completeBlob(id: $id) { id FIELD } }';
  const UPDATE =
    'mutation ($id: Int!) { updateBlob(id: $id, input: { contentType: "text/plain", new: true }) { id FIELD } }';
  const BY_ID = 'query ($id: Int!) { blobFile(id: $id) { content FIELD } }';
  const BY_UID = 'query ($uid: String!) { blobFile(uid: $uid) { content FIELD } }';
  const FIELDS = ['uid', 'url', 'name', 'tags', 'blobObjectAccess { params }'];
  const ATTEMPTS = [
    ...[LIST, ONE, COMPLETE, UPDATE].flatMap((document) => FIELDS.map((field) => document.replace('FIELD', field))),
    ...[BY_ID, BY_UID].map((document) => document.replace('FIELD', 'name')),
    'query ($uid: String!) { fileAddresses(files: [$uid]) { url } }',
  ];
  const storePrivate = () =>
    storeBlob(alice, 'PRIVATE PASSPORT SCAN', { name: 'passport.png', content_type: 'image/png' });
  const entriesOf = (id: number) =>
    db.auditEntry.findMany({ where: { action: 'read', subject: 'blobFile', subjectId: String(id) } });
  const codesOf = ({ errors }: GraphQLAnswer) => errors?.map(({ extensions }) => extensions?.code);

  test('a developer gets sizes and types, and nothing that opens or describes the file, also as its owner', async () => {
    const { id, uid } = await storePrivate();
    const developer = withReason(await signedInAdministrator('developer'));
    const { data } = await graphql(LIST.replace('FIELD', ''), {}, developer);
    expect(data.blobs.edges).toMatchObject([{ node: { id, size: 21, contentType: 'image/png', public: false } }]);
    const asAlice = { headers: { ...developer.headers, 'On-Behalf-Of': String(alice.id) } };
    for (const document of ATTEMPTS) {
      for (const as of [developer, asAlice]) {
        for (const run of [graphql, overSocket]) {
          const answer = await run(document, { id, uid }, as);
          expect([document, codesOf(answer)]).toEqual([document, ['FORBIDDEN']]);
          expect(JSON.stringify(answer)).not.toMatch(new RegExp(`${uid}|passport`));
        }
      }
    }
  });

  test('support gets them with a reason, and each file leaves an entry', async () => {
    const { id, uid } = await storePrivate();
    const support = await signedInAdministrator('support');
    for (const document of ATTEMPTS) {
      expect([document, codesOf(await graphql(document, { id, uid }, support))]).toEqual([
        document,
        ['REASON_REQUIRED'],
      ]);
    }
    expect(await entriesOf(id)).toEqual([]);
    for (const [nth, document] of ATTEMPTS.entries()) {
      const answer = await graphql(document, { id, uid }, withReason(support, `reads ${nth}`));
      expect([document, codesOf(answer)]).toEqual([document, undefined]);
    }
    expect(await entriesOf(id)).toHaveLength(ATTEMPTS.length);
  });

  test('the audit log shows owners neither what opens nor what describes a file', async () => {
    const blob = await storeBlob(onBehalfOf(alice), 'bytes', {
      name: 'passport-scan.png',
      tag_list: 'identity-papers',
    });
    const rename = 'mutation ($id: Int!) { updateBlob(id: $id, input: { name: "passport-copy.png" }) { id } }';
    await execute(rename, { id: blob.id }, apiKey);
    await defineClass('Paper', { title: 'String', scan: 'File' });
    const { createRecord: record } = await execute(
      'mutation { createRecord(input: { className: "Paper", fields: { title: "lease" } }) { id } }',
      {},
      apiKey,
    );
    const body = multipart({ field_name: 'scan' }).replace('--B--\r\n', FILE_PART);
    const headers = { 'Content-Type': MULTIPART };
    const uploaded = await rawRequest('POST', `/data/Paper/${record.id}/file.json`, { as: apiKey, headers, body });
    expect(uploaded.status).toBe(200);
    const { fields } = await db.record.findFirstOrThrow({ where: { id: record.id } });
    await execute('mutation ($id: Int!) { deleteBlob(id: $id) }', { id: blob.id }, apiKey);
    const list = '{ auditEntries(first: 100) { edges { node { action subject before after } } } }';
    const answer = await execute(list, {}, await signedInAdministrator('owner'));
    const secrets = [
      blob.uid,
      'passport-scan',
      'passport-copy',
      'identity-papers',
      (fields as unknown as ScannedFields).scan.key,
    ];
    for (const secret of secrets) expect(JSON.stringify(answer)).not.toContain(secret);
    const entries = answer.auditEntries.edges.map(({ node }: { node: object }) => node);
    const hidden = { uid: 'redacted', name: 'redacted', tags: 'redacted' };
    const renamed = { before: { name: 'redacted' }, after: { name: 'redacted' } };
    expect(entries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: 'CREATE', subject: 'Blob', after: expect.objectContaining(hidden) }),
        expect.objectContaining({ action: 'UPDATE', subject: 'Blob', ...renamed }),
        expect.objectContaining({
          action: 'UPDATE',
          subject: 'Record',
          before: { fields: { title: 'lease' } },
          after: { fields: { title: 'lease', scan: expect.objectContaining({ name: 'x.txt', size: 4 }) } },
        }),
      ]),
    );
  });

  test('a developer makes no private file public to read it', async () => {
    const { id } = await storePrivate();
    const document = 'mutation ($id: Int!) { updateBlob(id: $id, input: { public: true }) { url } }';
    const developer = withReason(await signedInAdministrator('developer'));
    expect(codesOf(await graphql(document, { id }, developer))).toEqual(['FORBIDDEN']);
    expect(await db.blob.findFirst({ where: { id } })).toMatchObject({ isPublic: false });
  });

  test('API keys, owners and the sessions of a user get them as before', async () => {
    const { id, uid } = await storePrivate();
    for (const as of [apiKey, alice]) {
      expect((await graphql(ONE.replace('FIELD', 'uid name'), { id }, as)).data).toMatchObject({
        again: { uid, name: 'passport.png' },
      });
    }
    const owner = withReason(await signedInAdministrator('owner'));
    expect((await graphql(BY_UID.replace('FIELD', 'name'), { uid }, owner)).data.blobFile.name).toBe('passport.png');
  });
});

describe('#72 credentials in addresses', () => {
  const ADDRESSES = 'query ($files: [String!]!) { fileAddresses(files: $files) { url expiresAt } }';
  const addressOf = async (names: string[], as: Caller) =>
    (await graphql(ADDRESSES, { files: names }, as)).data.fileAddresses.map((one: { url: string } | null) =>
      one === null ? null : one.url.slice(running.url.length),
    );
  const storePrivate = (bytes = 'private') => storeBlob(alice, bytes, { name: 'a.png', content_type: 'image/png' });

  test('an address opens one file, and nothing else', async () => {
    const [one, other] = [await storePrivate(), await storePrivate('other')];
    const [path] = await addressOf([one.uid], alice);
    expect(path).not.toContain(alice.token);
    const { status, text, headers } = await rawRequest('GET', path);
    expect([status, text]).toEqual([200, 'private']);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    const ticket = new URL(path, running.url).search;
    for (const wrong of [
      `/blobs/${other.uid}${ticket}`,
      `/blobs/${one.id}${ticket}`,
      `/blobs/${one.id}/download${ticket}`,
      `/blobs/${one.uid}/download${ticket}`,
      `/users/${alice.id}.json${ticket}`,
      `${path}x`,
      path.replace('ticket=', 'ticket[]='),
      path.replace(/ticket=\w+/, 'ticket=zzzzzz'),
      path.replace(/\..*/, ''),
      path.replace(/\..*/, '.'),
      `/blobs/${one.uid}?ticket=`,
      `/blobs/${one.uid}?ticket=NaN.x`,
    ]) {
      expect([wrong, (await rawRequest('GET', wrong)).status]).not.toEqual([wrong, 200]);
    }
    const query =
      'query ($id: Int, $uid: String, $ticket: String) { blobFile(id: $id, uid: $uid, ticket: $ticket) { name } }';
    const text72 = ticket.slice('?ticket='.length);
    expect((await graphql(query, { uid: one.uid, ticket: text72 }, anonymous)).data.blobFile.name).toBe('a.png');
    expect((await graphql(query, { id: one.id, ticket: text72 }, anonymous)).errors).toHaveLength(1);
    expect((await graphql(query, { uid: other.uid, ticket: text72 }, anonymous)).errors).toHaveLength(1);
  });

  test('an address ends after 15 minutes, with a clear answer', async () => {
    const { uid } = await storePrivate();
    const [path] = await addressOf([uid], alice);
    clock.advance(15 * 60_000 - 2_000);
    expect((await rawRequest('GET', path)).status).toBe(200);
    clock.advance(3_000);
    const { status, text } = await rawRequest('GET', path);
    expect(status).toBe(403);
    expect(text).toContain('The address of the file has expired');
  });

  test('only callers who may read a file get its address', async () => {
    const [mine, open] = [await storePrivate(), await storeBlob(alice, 'x', { name: 'b', public: true })];
    const bob = await createUser();
    await db.application.update({ where: { id: APPLICATION.id }, data: { filesByNumber: 'owner' } });
    expect(await addressOf([String(mine.id), String(open.id), 'f'.repeat(34), '-1', ''], bob)).toEqual([
      null,
      `/blobs/${open.uid}`,
      null,
      null,
      null,
    ]);
    expect(await addressOf([String(mine.id)], alice)).toEqual([expect.stringContaining(mine.uid)]);
    const tenant = await createTenant(0);
    const foreign = await graphql(ADDRESSES, { files: [mine.uid, String(mine.id)] }, tenant.key);
    expect(foreign.data.fileAddresses).toEqual([null, null]);
    expect((await graphql(ADDRESSES, { files: [mine.uid] }, anonymous)).errors).toMatchObject([
      { extensions: { code: 'UNAUTHENTICATED' } },
    ]);
    const many = Array.from({ length: 101 }, () => mine.uid);
    expect((await graphql(ADDRESSES, { files: many }, alice)).errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });
});
