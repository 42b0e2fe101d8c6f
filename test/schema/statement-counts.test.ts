import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../support/app/app.ts';
import { statementsOf } from '../support/app/sql.ts';
import { rest } from '../support/clients/rest.ts';
import { complete, createBlob, upload, uploadFields } from '../support/fixtures/blobs.ts';
import { createDialog, execute, send } from '../support/fixtures/chat.ts';
import { created } from '../support/fixtures/chat-cast.ts';
import { apiKey, createUser, type TestUser } from '../support/fixtures/users.ts';

useApp();

const ids = { user: 0, group: '', message: '', record: '', blob: 0, uid: '' };
let alice: TestUser;

beforeAll(async () => {
  alice = await createUser();
  const bob = await createUser({ tag_list: 'friends' });
  const dialogId = await createDialog(alice, [bob]);
  await send(bob, await createDialog(alice, [bob], 'PRIVATE'), 'hello');
  await created('/class', { name: 'cars', fields: { make: 'String' } }, apiKey);
  const blob = await createBlob(alice);
  await upload(uploadFields(blob));
  await complete(alice, blob);
  Object.assign(ids, {
    user: bob.id,
    group: dialogId,
    message: await send(bob, dialogId, 'hello'),
    record: (await created('/data/cars', { make: 'BMW' }, alice))._id,
    blob: blob.id,
    uid: blob.uid,
  });
});

/** Fills `{name}` with an id of the fixture. */
const filled = (text: string) =>
  text.replace(/\{(user|group|message|record|blob|uid)\}/g, (_all, name: keyof typeof ids) => String(ids[name]));

/** Statements of the second of two equal requests, because the first one may fill caches. */
async function countOf(request: () => Promise<unknown>): Promise<string[]> {
  await request();
  return statementsOf(request);
}

describe('REST', () => {
  test.each<[most: number, method: string, path: string, json?: object]>([
    [2, 'GET', '/session'],
    [2, 'GET', '/users/{user}'],
    [2, 'GET', '/users'],
    [2, 'GET', '/users?filter[]=number+id+gt+0&order=desc+string+login'],
    [2, 'GET', '/users/by_tags?tags=friends'],
    [8, 'PUT', '/users/{me}', { user: { full_name: 'Alice' } }],
    [2, 'GET', '/chat/Dialog'],
    [2, 'GET', '/chat/Dialog?count=1'],
    [2, 'GET', '/chat/Dialog?sort_asc=name&limit=1&skip=1'],
    [2, 'GET', '/chat/Dialog/{group}'],
    [11, 'PUT', '/chat/Dialog/{group}', { name: 'Lunch' }],
    [2, 'GET', '/chat/Message/unread'],
    [2, 'POST', '/chat/Message', { chat_dialog_id: '{group}', message: 'hi' }],
    [2, 'GET', '/chat/Message?chat_dialog_id={group}&mark_as_read=0'],
    [2, 'GET', '/chat/Message?chat_dialog_id={group}&mark_as_read=0&sender_id[ne]=1'],
    [2, 'GET', '/chat/Message?chat_dialog_id={group}'],
    [3, 'GET', '/chat/Message?chat_dialog_id={group}&count=1'],
    [3, 'GET', '/chat/Message/{message}'],
    [3, 'GET', '/chat/Message/{message}/reactions'],
    [11, 'PUT', '/chat/Message/{message}', { chat_dialog_id: '{group}', read: 1 }],
    [2, 'POST', '/data/cars', { make: 'VW' }],
    [2, 'GET', '/data/cars/{record}'],
    [2, 'GET', '/data/cars?make=BMW&sort_desc=make'],
    [6, 'PUT', '/data/cars/{record}', { make: 'Audi' }],
    [6, 'POST', '/blobs', { blob: { name: 'note.txt', content_type: 'text/plain' } }],
    [3, 'GET', '/blobs'],
    [2, 'GET', '/blobs/{blob}'],
    [2, 'GET', '/blobs/{uid}/download'],
  ])('at most %d statements for %s %s', async (most, method, path, json) => {
    const body = json && JSON.parse(filled(JSON.stringify(json)));
    const sent = await countOf(async () => {
      const { status } = await rest(method, filled(path).replace('{me}', String(alice.id)), { as: alice, json: body });
      expect(status).toBeLessThan(300);
    });
    expect(sent.length).toBeLessThanOrEqual(most);
  });
});

const MESSAGE = 'id text readIds deliveredIds read customFields reactions { name count own } ownReactions createdAt';
const DIALOG = 'id name occupantIds adminIds lastMessage lastMessageDateSent unreadMessagesCount';

describe('GraphQL', () => {
  test.each<[most: number, operation: string]>([
    [2, 'query { me { id login } }'],
    [2, 'query { user(id: {user}) { id login } }'],
    [2, 'query { users(filter: { id: { gt: 0 } }, first: 10) { totalCount edges { node { id login tags } } } }'],
    [2, `query { dialog(id: "{group}") { ${DIALOG} } }`],
    [2, `query { dialogs(first: 10) { edges { node { ${DIALOG} } } } }`],
    [2, `query { dialogs(first: 10) { totalCount edges { node { ${DIALOG} } } } }`],
    [2, 'query { unreadCounts { total } }'],
    [3, `query { message(id: "{message}") { ${MESSAGE} } }`],
    [2, `query { messages(dialogId: "{group}", first: 10) { edges { node { ${MESSAGE} } } } }`],
    [
      4,
      `query { messages(dialogId: "{group}", first: 10) { totalCount edges { node { ${MESSAGE} sender { login } } } } }`,
    ],
    [2, `mutation { readMessages(dialogId: "{group}") { items { ${MESSAGE} } } }`],
    [2, `mutation { sendMessage(input: { dialogId: "{group}", text: "hi" }) { ${MESSAGE} } }`],
    [12, `mutation { updateMessages(ids: ["{message}"], input: { read: true }) { ${MESSAGE} } }`],
    [7, `mutation { addReaction(messageId: "{message}", name: "like") { ${MESSAGE} } }`],
    [2, 'query { record(className: "cars", id: "{record}") { id fields permissions { read { access } } } }'],
    [2, 'query { records(className: "cars", first: 10) { edges { node { id fields } } } }'],
    [2, 'mutation { createRecord(input: { className: "cars", fields: { make: "VW" } }) { id fields } }'],
    [
      6,
      'mutation { updateRecord(className: "cars", id: "{record}", input: { fields: { make: "VW" } }) { id fields } }',
    ],
    [2, 'query { car(id: "{record}") { id make } }'],
    [3, 'query { cars(first: 10) { id make owner { login } } }'],
    [2, 'query { blobs(first: 10) { edges { node { id name } } } }'],
  ])('at most %d statements for %s', async (most, operation) => {
    const sent = await countOf(() => execute(filled(operation), {}, alice));
    expect(sent.length).toBeLessThanOrEqual(most);
  });
});
