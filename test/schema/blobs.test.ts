import { beforeAll, describe, expect, test } from 'vitest';
import { running, useApp } from '../support/app/app.ts';
import { statementsOf } from '../support/app/sql.ts';
import { graphql } from '../support/clients/graphql.ts';
import { rest } from '../support/clients/rest.ts';
import { useDocumentedBehavior } from '../support/fixtures/applications.ts';
import { complete, createBlob, storeBlob, upload, uploadFields } from '../support/fixtures/blobs.ts';
import { type ChatCast, createChatCast } from '../support/fixtures/chat-cast.ts';
import { anonymous, createUser } from '../support/fixtures/users.ts';

useApp();
useDocumentedBehavior();

let cast: ChatCast;

beforeAll(async () => {
  cast = await createChatCast();
});

const FIELDS = 'id uid contentType name size blobStatus setCompletedAt public tags url';

describe('blobs', () => {
  test('blobs are created, completed, updated and deleted like over REST', async () => {
    const { alice } = cast;
    const { data } = await graphql(
      `mutation { createBlob(input: { name: "a.png", contentType: "image/png", public: true, tags: ["x", "y"] }) {
        ${FIELDS} blobObjectAccess { id blobId expires objectAccessType params }
      } }`,
      {},
      alice,
    );
    const blob = data!.createBlob;
    expect(blob).toMatchObject({
      contentType: 'image/png',
      name: 'a.png',
      size: null,
      blobStatus: null,
      setCompletedAt: null,
      public: true,
      tags: ['x', 'y'],
      url: null,
      blobObjectAccess: { blobId: blob.id, expires: '2026-11-20T18:46:59.000Z', objectAccessType: 'Write' },
    });

    const { params } = blob.blobObjectAccess;
    await upload(uploadFields({ blob_object_access: { params } }), { bytes: 'picture' });
    const url = `${running.url}/blobs/${blob.uid}`;
    const completed = await graphql(`mutation { completeBlob(id: ${blob.id}) { size blobStatus url } }`, {}, alice);
    expect(completed.data!.completeBlob).toEqual({ size: 7, blobStatus: 'complete', url });
    expect(await (await fetch(url)).text()).toBe('picture');

    const file = await graphql(`{ blobFile(uid: "${blob.uid}") { name contentType size content } }`, {}, anonymous);
    expect(file.data!.blobFile).toEqual({ name: 'a.png', contentType: 'image/png', size: 7, content: url });
    expect((await graphql(`{ blobFile(id: ${blob.id}) { content } }`, {}, anonymous)).data!.blobFile.content).toBe(url);

    const changed = await graphql(
      `mutation { updateBlob(id: ${blob.id}, input: { public: false, new: true }) { public name blobObjectAccess { blobId } } }`,
      {},
      alice,
    );
    expect(changed.data!.updateBlob).toEqual({ public: false, name: 'a.png', blobObjectAccess: { blobId: blob.id } });
    expect((await graphql(`{ blobFile(id: ${blob.id}) { content } }`, {}, anonymous)).errors![0]).toMatchObject({
      message: 'Token is required',
      extensions: { code: 'UNAUTHENTICATED' },
    });

    expect((await graphql(`mutation { deleteBlob(id: ${blob.id}) }`, {}, alice)).data).toEqual({ deleteBlob: true });
    expect((await graphql(`{ blob(id: ${blob.id}) { id } }`, {}, alice)).errors![0]!.extensions!.code).toBe(
      'NOT_FOUND',
    );
  });

  test('blob errors name the invalid fields', async () => {
    const { errors } = await graphql(
      'mutation { createBlob(input: { name: "", contentType: "x" }) { id } }',
      {},
      cast.alice,
    );
    expect(errors![0]).toMatchObject({
      message: "Content type is invalid, Name can't be blank",
      extensions: { code: 'UNPROCESSABLE', fields: { contentType: ['is invalid'], name: ["can't be blank"] } },
    });
  });

  test('blob content can be uploaded only over REST', async () => {
    const blob = await createBlob(cast.alice);
    const { key, policy, signature } = uploadFields(blob);
    const input = `key: "${key}", policy: "${policy}", signature: "${signature}"`;
    const { errors } = await graphql(`mutation { uploadBlob(input: { ${input} }) { uid } }`, {}, anonymous);
    expect(errors![0]).toMatchObject({ message: 'File is missing', extensions: { code: 'UNPROCESSABLE' } });
    expect((await complete(cast.alice, blob)).status).toBe(422);
  });

  test('blobs are paged by cursors in both directions', async () => {
    const dora = await createUser();
    const ids: number[] = [];
    for (let made = 0; made < 5; made++) ids.unshift((await createBlob(dora)).id);
    const PAGE =
      'totalCount edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage endCursor startCursor }';
    const walk = async (args: string) => {
      const { data, errors } = await graphql(`{ blobs(${args}) { ${PAGE} } }`, {}, dora);
      if (errors) throw new Error(errors[0]!.message);
      return data!.blobs;
    };
    const nodes = (page: { edges: { node: { id: number } }[] }) => page.edges.map(({ node }) => node.id);

    const first = await walk('first: 2');
    expect([first.totalCount, nodes(first), first.pageInfo.hasNextPage]).toEqual([5, ids.slice(0, 2), true]);
    const second = await walk(`first: 3, after: "${first.pageInfo.endCursor}"`);
    expect([nodes(second), second.pageInfo.hasNextPage]).toEqual([ids.slice(2), false]);
    const back = await walk(`last: 2, before: "${second.pageInfo.startCursor}"`);
    expect(nodes(back)).toEqual(ids.slice(0, 2));
    expect(nodes(await walk('last: 2'))).toEqual(ids.slice(3));
    await expect(walk('first: 1, after: "x"')).rejects.toThrow('Invalid cursor');
  });
});

describe('files of messages', () => {
  test('the files of a page of messages require one statement', async () => {
    const { alice, group } = cast;
    const page = () =>
      graphql(`{ messages(dialogId: "${group}", last: 50) { edges { node { files { id } } } } }`, {}, alice);
    const cost = async () => (await statementsOf(page)).filter((statement) => /blobs/.test(statement)).length;
    for (let nth = 0; nth < 6; nth++) {
      const { id } = await storeBlob(alice, `${nth}`);
      const json = { chat_dialog_id: group, message: 'x', attachments: [{ type: 'file', id: String(id) }] };
      await rest('POST', '/chat/Message', { as: alice, json });
    }
    expect(await cost()).toBe(1);
  });

  test('files are the complete blobs of the application, found by id or uid', async () => {
    const { alice, bob, group, stranger } = cast;
    const picture = await storeBlob(alice, 'picture', { content_type: 'image/png' });
    const other = await storeBlob(bob, 'other');
    const unfinished = await createBlob(alice);
    const foreign = await storeBlob(stranger, 'foreign', { public: true });
    const attachments = [
      { type: 'image', id: String(picture.id) },
      { type: 'file', id: other.uid },
      { type: 'image', id: picture.uid },
      { type: 'file', id: String(unfinished.id) },
      { type: 'file', id: String(foreign.id) },
      { type: 'file', id: foreign.uid },
      { type: 'file', id: '99999999999999999999' },
      { type: 'image', url: 'https://example.org/x.png' },
    ];
    const sent = await rest('POST', '/chat/Message', {
      as: alice,
      json: { chat_dialog_id: group, message: 'x', attachments },
    });
    expect(sent.status).toBe(201);

    const { data } = await graphql(
      `{ messages(dialogId: "${group}", last: 1) { edges { node { attachments files { id name size url contentType } } } } }`,
      {},
      bob,
    );
    const [{ node }] = data!.messages.edges;
    expect(node.attachments).toHaveLength(8);
    expect(node.files).toEqual([
      {
        id: picture.id,
        name: 'note.txt',
        size: 7,
        contentType: 'image/png',
        url: `${running.url}/blobs/${picture.uid}`,
      },
      { id: other.id, name: 'note.txt', size: 5, contentType: 'text/plain', url: `${running.url}/blobs/${other.uid}` },
    ]);
  });
});
