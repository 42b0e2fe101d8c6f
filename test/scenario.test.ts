import { expect, test } from 'vitest';
import { useApp } from './support/app/app.ts';
import { graphql, subscribe } from './support/clients/graphql.ts';
import { rest } from './support/clients/rest.ts';
import { createUsers } from './support/fixtures/users.ts';

useApp();

test('a message sent over REST is received over WebSocket, read over GraphQL and visible only to its dialog', async () => {
  const [alice, bob, mallory] = await createUsers(3);
  const created = await graphql(
    `mutation ($ids: [Int!]!) { createDialog(input: { type: GROUP, name: "Lunch", occupantIds: $ids }) { id type occupantIds } }`,
    { ids: [bob.id] },
    alice,
  );
  expect(created.errors).toBeUndefined();
  const dialogId: string = created.data.createDialog.id;
  expect(created.data.createDialog).toEqual({ id: dialogId, type: 'GROUP', occupantIds: [alice.id, bob.id] });

  const MESSAGES = `subscription ($dialogId: ID) { messageSent(dialogId: $dialogId) { cursor dialogId message { id text senderId } } }`;
  const REACTIONS = `subscription ($dialogId: ID) { reactionAdded(dialogId: $dialogId) { cursor dialogId messageId userId name } }`;
  const bobHears = await subscribe(MESSAGES, { dialogId }, bob);
  const bobHearsAll = await subscribe(MESSAGES, {}, bob);
  const aliceHears = await subscribe(REACTIONS, { dialogId }, alice);
  const malloryHears = await subscribe(MESSAGES, {}, mallory);
  await expect(subscribe(MESSAGES, { dialogId }, mallory)).rejects.toMatchObject([
    { extensions: { code: 'FORBIDDEN' } },
  ]);

  const sent = await rest('POST', '/chat/Message.json', {
    as: alice,
    json: { chat_dialog_id: dialogId, message: 'Lunch?', send_to_chat: 1 },
  });
  expect(sent.status).toBe(201);
  const { _id: messageId } = sent.body;
  const receivedEvents = { dialogId, message: { id: messageId, text: 'Lunch?', senderId: alice.id } };
  expect(await bobHears.next()).toMatchObject({ messageSent: receivedEvents });
  expect(await bobHearsAll.next()).toMatchObject({ messageSent: receivedEvents });

  const reacted = await graphql(
    `mutation ($id: ID!) { addReaction(messageId: $id, name: "like") { id reactions { name count own } } }`,
    { id: messageId },
    bob,
  );
  expect(reacted.data.addReaction.reactions).toEqual([{ name: 'like', count: 1, own: true }]);
  expect(await aliceHears.next()).toMatchObject({
    reactionAdded: { dialogId, messageId, userId: bob.id, name: 'like' },
  });

  const overRest = await rest('GET', `/chat/Message.json?chat_dialog_id=${dialogId}`, { as: bob });
  const overGraphql = await graphql(
    `query ($id: ID!) { messages(dialogId: $id, first: 50) { edges { node { id text readIds deliveredIds } } } }`,
    { id: dialogId },
    alice,
  );
  expect(overRest.body.items).toMatchObject([
    {
      _id: messageId,
      message: 'Lunch?',
      read_ids: [alice.id, bob.id],
      reactions: { own: ['like'], total: { like: 1 } },
    },
  ]);
  expect(overGraphql.data.messages.edges).toEqual([
    { node: { id: messageId, text: 'Lunch?', readIds: [alice.id, bob.id], deliveredIds: [alice.id, bob.id] } },
  ]);

  expect((await rest('GET', `/chat/Message/${messageId}.json`, { as: mallory })).status).toBe(403);
  expect(malloryHears.pending).toEqual([]);
  for (const subscription of [bobHears, bobHearsAll, aliceHears, malloryHears]) await subscription.close();
});
