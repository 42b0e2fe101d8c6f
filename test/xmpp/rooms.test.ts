import { afterEach, describe, expect, test } from 'vitest';
import { APPLICATION, useApp } from '../support/app/app.ts';
import { startAnother } from '../support/app/other-apps.ts';
import { until } from '../support/app/until.ts';
import { rest } from '../support/clients/rest.ts';
import {
  bare,
  CHAT,
  ChatSocket,
  closeStreams,
  jidOf,
  type OpenChat,
  openChat,
  roomOf,
} from '../support/clients/xmpp.ts';
import { createDialog, execute, send } from '../support/fixtures/chat.ts';
import { addOccupants, DESTROY, LEAVE, removeOccupants } from '../support/fixtures/groups.ts';
import { apiKey, createUsers } from '../support/fixtures/users.ts';

useApp(CHAT);
afterEach(closeStreams);

const MUC = 'http://jabber.org/protocol/muc';
const joinOf = (room: string, id = 'u:join') =>
  `<presence id="${id}" to="${room}"><x xmlns="${MUC}"><history maxstanzas="0"/></x></presence>`;
const leaveOf = (room: string) => `<presence to="${room}" type="unavailable"/>`;

const joined = (dialogId: string, user: { id: number }, to: string, own?: string) =>
  `<presence xmlns="jabber:client" from="${roomOf(dialogId, user.id)}" to="${to}"${own ? ` id="${own}"` : ''}>` +
  `<x xmlns="${MUC}#user"><item affiliation="member" role="participant" nick="${user.id}"/>${own ? '<status code="110"/>' : ''}</x></presence>`;
const left = (dialogId: string, user: { id: number }, to: string, isOwn = false) =>
  `<presence xmlns="jabber:client" from="${roomOf(dialogId, user.id)}" to="${to}" type="unavailable">` +
  `<x xmlns="${MUC}#user"><item affiliation="member" role="none"/>${isOwn ? '<status code="110"/>' : ''}</x></presence>`;
const removed = (dialogId: string, user: { id: number }, to: string, actor: { id: number }) =>
  `<presence from="${roomOf(dialogId, user.id)}" to="${to}" type="unavailable"><x xmlns="${MUC}#user">` +
  `<item affiliation="none" role="none"><actor jid="${jidOf(actor)}"/></item><status code="301"/></x></presence>`;

async function join(client: OpenChat, dialogId: string, user: { id: number }): Promise<void> {
  client.send(joinOf(roomOf(dialogId, user.id)));
  await client.find('<status code="110"/>');
}

describe('joining a room', () => {
  test('users see who is there, and each other join and leave with the first and last resource', async () => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice, [bob]);
    const room = (user: { id: number }) => roomOf(dialogId, user.id);
    const [a, b, b2] = [await openChat(alice), await openChat(bob), await openChat(bob, 'web')];
    b.send(joinOf(room(bob)));
    expect(await b.next()).toBe(joined(dialogId, bob, b.jid, 'u:join'));
    a.send(joinOf(room(alice), 'again'), joinOf(room(alice), 'again'));
    for (let nth = 0; nth < 2; nth++)
      expect(await a.take(2)).toEqual([joined(dialogId, bob, a.jid), joined(dialogId, alice, a.jid, 'again')]);
    expect(await b.next()).toBe(joined(dialogId, alice, b.jid));
    b2.send(joinOf(room(bob)));
    expect(await b2.take(2)).toEqual([joined(dialogId, alice, b2.jid), joined(dialogId, bob, b2.jid, 'u:join')]);
    expect([await a.settle(), await b.settle()]).toEqual([[], []]);

    b.send(leaveOf(room(bob)));
    expect(await b.next()).toBe(left(dialogId, bob, b.jid, true));
    expect([await a.settle(), await b2.settle()]).toEqual([[], []]);
    b2.socket.terminate();
    expect(await a.next()).toBe(left(dialogId, bob, a.jid));
    b.send(leaveOf(room(bob)), leaveOf('x@muc.chat.example.org'), leaveOf(roomOf('0'.repeat(24), bob.id)));
    expect(await b.settle()).toEqual([]);
  });

  test.each<[string, (id: string) => string, string, string]>([
    ['an unknown room', () => roomOf('0'.repeat(24)), 'cancel', 'item-not-found'],
    [
      'a room of another application',
      (id) => roomOf(id).replace(`${APPLICATION.id}_`, '93_'),
      'cancel',
      'item-not-found',
    ],
    ['a malformed room', () => `x@muc.chat.example.org`, 'cancel', 'item-not-found'],
    ['a room of others', roomOf, 'auth', 'forbidden'],
  ])('%s is refused with an answer that ends the join', async (_name, roomWith, type, condition) => {
    const [alice, bob, dave] = await createUsers(3);
    const dialogId = await createDialog(alice, [bob]);
    const client = await openChat(dave);
    const room = `${roomWith(dialogId)}/${dave.id}`;
    client.send(joinOf(room));
    expect(bare(await client.next())).toMatch(
      new RegExp(
        `^<presence type="error" id="u:join" from="${room}" to="${client.jid}"><x xmlns="${MUC}"/><error code="500" type="${type}">` +
          `<${condition} xmlns="urn:ietf:params:xml:ns:xmpp-stanzas"/><text xmlns="urn:ietf:params:xml:ns:xmpp-stanzas">[^<]+</text></error></presence>$`,
      ),
    );
  });

  test('private dialogs are no rooms, and a wrong nick gives no rights', async () => {
    const [alice, bob] = await createUsers(2);
    const pair = await createDialog(alice, [bob], 'PRIVATE');
    const group = await createDialog(alice, [bob]);
    const a = await openChat(alice);
    a.send(joinOf(roomOf(pair, alice.id)), joinOf(roomOf(group, bob.id)));
    const answers = (await a.take(2)).sort();
    expect(answers.some((answer) => answer.includes('<item-not-found'))).toBe(true);
    expect(answers).toContain(joined(group, alice, a.jid, 'u:join'));
  });

  test('the list of a room has the users who have joined, for those who may join', async () => {
    const [alice, bob, dave] = await createUsers(3);
    const dialogId = await createDialog(alice, [bob]);
    const [a, b, d] = [await openChat(alice), await openChat(bob), await openChat(dave)];
    await join(b, dialogId, bob);
    const request = `<iq id="u:muc_disco_items" to="${roomOf(dialogId)}" type="get"><query xmlns="http://jabber.org/protocol/disco#items"/></iq>`;
    a.send(request);
    expect(await a.next()).toBe(
      `<iq xmlns="jabber:client" type="result" id="u:muc_disco_items" from="${roomOf(dialogId)}" to="${a.jid}">` +
        `<query xmlns="http://jabber.org/protocol/disco#items"><item jid="${roomOf(dialogId, bob.id)}"/></query></iq>`,
    );
    d.send(request);
    expect(await d.next()).toMatch(/type="error".*<forbidden /);
  });
});

describe('messages of rooms', () => {
  test('in a public group only joined resources send and receive, without a mark for receipts', async () => {
    const [alice, bob] = await createUsers(2);
    const lobby = await createDialog(alice, [], 'PUBLIC_GROUP');
    const [a, b] = [await openChat(alice), await openChat(bob)];
    await join(a, lobby, alice);
    a.send(
      `<message id="m1" to="${roomOf(lobby)}" type="groupchat"><body>hi</body><extraParams><save_to_history>1</save_to_history></extraParams></message>`,
    );
    const echo = await a.next();
    expect(echo).toContain(`from="${roomOf(lobby, alice.id)}" to="${a.jid}" type="groupchat" id="m1"`);
    expect(echo).not.toContain('markable');
    expect(await b.settle()).toEqual([]);
  });

  test('each resource of a group receives a message once, whether it has joined or not', async () => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice, [bob]);
    const clients = [await openChat(alice), await openChat(bob), await openChat(bob, 'joins', { isAvailable: false })];
    await join(clients[0]!, dialogId, alice);
    await join(clients[2]!, dialogId, bob);
    await send(alice, dialogId, 'once');
    for (const client of clients) {
      await client.find('<body>once</body>');
      expect(await client.settle()).toEqual([]);
    }
  });
});

describe('a removal', () => {
  test('removed users are shown who did it, and the others see them leave', async () => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice, [bob]);
    const [a, b] = [await openChat(alice), await openChat(bob)];
    for (const [client, user] of [
      [a, alice],
      [b, bob],
    ] as const)
      await join(client, dialogId, user);
    await a.settle();
    await removeOccupants(alice, dialogId, bob);
    expect(bare(await b.next())).toBe(removed(dialogId, bob, b.jid, alice));
    expect(await a.next()).toBe(left(dialogId, bob, a.jid));
    await addOccupants(alice, dialogId, bob);
    await join(b, dialogId, bob);
    await a.find(joined(dialogId, bob, a.jid));
    await execute(
      'mutation ($id: ID!, $user: Int!) { updateDialog(id: $id, input: { removeOccupantIds: [$user] }) { id } }',
      { id: dialogId, user: bob.id },
      apiKey,
    );
    expect(bare(await b.find('301'))).toBe(removed(dialogId, bob, b.jid, alice));
    await a.find(left(dialogId, bob, a.jid));
    await execute(LEAVE, { id: dialogId }, alice);
    expect(bare(await a.find('301'))).toBe(removed(dialogId, alice, a.jid, alice));
  });

  test('a deleted dialog removes all', async () => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice, [bob]);
    const b = await openChat(bob);
    await join(b, dialogId, bob);
    await execute(DESTROY, { id: dialogId }, alice);
    expect(bare(await b.next())).toBe(removed(dialogId, bob, b.jid, alice));
  });
});

test('clients of two processes share rooms, messages, resources and typing', async () => {
  const other = await startAnother(CHAT);
  const [alice, bob] = await createUsers(2);
  const dialogId = await createDialog(alice, [bob]);
  const a = await openChat(alice);
  const b = await openChat(bob, 'phone', { app: other });
  const { rooms } = other.services;
  const ofAlice = { applicationId: APPLICATION.id, userId: alice.id };
  await until(() => rooms.resources(ofAlice).length > 0);
  const same = await openChat(alice, 'phone', { app: other });
  expect(same.jid).toMatch(/phone-/);
  await join(a, dialogId, alice);
  await until(() => rooms.isJoined(APPLICATION.id, dialogId, alice.id));
  b.send(joinOf(roomOf(dialogId, bob.id)));
  expect(await b.next()).toBe(joined(dialogId, alice, b.jid));
  expect(await a.find('<presence')).toBe(joined(dialogId, bob, a.jid));
  await rest('POST', '/chat/Message.json', {
    as: bob,
    json: { chat_dialog_id: dialogId, message: 'both', send_to_chat: 1 },
  });
  for (const client of [a, b, same]) await client.find('<body>both</body>');
  b.send(
    `<message to="${roomOf(dialogId)}" type="groupchat"><composing xmlns="http://jabber.org/protocol/chatstates"/></message>`,
  );
  const typing = (to: string, state = 'composing') =>
    `<message from="${roomOf(dialogId, bob.id)}" to="${to}" type="groupchat"><${state} xmlns="http://jabber.org/protocol/chatstates"/></message>`;
  for (const client of [a, b, same]) expect(bare(await client.next())).toBe(typing(client.jid));
  await other.stop();
  expect(await a.find('unavailable')).toBe(left(dialogId, bob, a.jid));
});

test('typing in a private dialog reaches the other user and the one who types', async () => {
  const [alice, bob] = await createUsers(2);
  await createDialog(alice, [bob], 'PRIVATE');
  const [a, b] = [await openChat(alice), await openChat(bob)];
  for (const state of ['composing', 'paused']) {
    a.send(
      `<message to="${jidOf(bob)}" type="chat"><${state} xmlns="http://jabber.org/protocol/chatstates"/></message>`,
    );
    const expected = `<message from="${a.jid}" to="${jidOf(bob)}" type="chat"><${state} xmlns="http://jabber.org/protocol/chatstates"/></message>`;
    for (const client of [a, b]) expect(bare(await client.next())).toBe(expected);
  }
});

test('the streams end with the service', async () => {
  const other = await startAnother(CHAT);
  const [alice] = await createUsers(1);
  const client = await openChat(alice, 'phone', { app: other });
  const unopened = await ChatSocket.open(other);
  await other.stop();
  expect(client.frames.at(-1)).toBe('<close xmlns="urn:ietf:params:xml:ns:xmpp-framing" />');
  expect([await client.closed, await unopened.closed]).toEqual([1005, 1005]);
});
