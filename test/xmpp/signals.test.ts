import { afterEach, describe, expect, test } from 'vitest';
import { useApp } from '../support/app/app.ts';
import { bare, CHAT, closeStreams, jidOf, openChat, roomOf } from '../support/clients/xmpp.ts';
import { createDialog, execute } from '../support/fixtures/chat.ts';
import { createUsers } from '../support/fixtures/users.ts';

useApp(CHAT);
afterEach(closeStreams);

const MARKABLE = '<markable xmlns="urn:xmpp:chat-markers:0"/>';
const SEND = 'mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }';

describe('a message that is not stored', () => {
  test('it arrives unchanged, and as a carbon at the other resources of the sender', async () => {
    const [alice, bob] = await createUsers(2);
    const [phone, web] = [await openChat(alice), await openChat(alice, 'web', { carbons: true })];
    const b = await openChat(bob);
    const content =
      `<body>Hi</body>${MARKABLE}<extraParams xmlns="jabber:client"><save_to_history>0</save_to_history>` +
      '<a>1</a><o><p>x</p></o><attachment type="image" id="5"/></extraParams>';
    phone.send(`<message id="r1" to="${jidOf(bob)}" type="chat">${content}</message>`);
    const arrived = `<message from="${phone.jid}" to="${jidOf(bob)}" type="chat" id="r1">${content}</message>`;
    expect(bare(await b.next())).toBe(arrived);
    expect(await web.next()).toContain(`<message xmlns="jabber:client" from="${phone.jid}"`);
    expect(await phone.settle()).toEqual([]);

    b.send(
      `<message id="r2" to="${jidOf(alice)}" type="chat"><displayed xmlns="urn:xmpp:chat-markers:0" id="r1"/></message>`,
    );
    for (const client of [phone, web]) {
      expect(bare(await client.next())).toBe(
        `<message from="${b.jid}" to="${jidOf(alice)}" type="chat" id="r2"><displayed xmlns="urn:xmpp:chat-markers:0" id="r1"/></message>`,
      );
    }
    expect(await execute('{ dialogs { edges { node { id } } } }', {}, bob)).toEqual({ dialogs: { edges: [] } });
  });

  test('only the dialog of both users is named, and elements with a meaning for clients are removed', async () => {
    const [alice, bob, carol] = await createUsers(3);
    const [own, other] = [await createDialog(alice, [bob], 'PRIVATE'), await createDialog(alice, [carol], 'PRIVATE')];
    const [a, b] = [await openChat(alice), await openChat(bob)];
    const parameters = (id: string) => `<dialog_id>${id}</dialog_id><x>1</x><n><received id="1"/><y>2</y></n>`;
    for (const id of [own, other])
      a.send(`<message id="r" to="${jidOf(bob)}"><extraParams>${parameters(id)}</extraParams></message>`);
    const rest = '<x>1</x><n><y>2</y></n></extraParams></message>';
    expect(await b.next()).toContain(`<extraParams xmlns="jabber:client"><dialog_id>${own}</dialog_id>${rest}`);
    expect(await b.next()).toContain(`<extraParams xmlns="jabber:client">${rest}`);
  });

  test('a message to oneself reaches the other resources and is not stored', async () => {
    const [alice] = await createUsers(1);
    const [phone, web] = [await openChat(alice), await openChat(alice, 'web')];
    phone.send(
      `<message id="m" to="${jidOf(alice)}"><body>note</body><extraParams><save_to_history>1</save_to_history></extraParams></message>`,
    );
    expect(await web.next()).toContain('<body>note</body>');
    expect(await phone.settle()).toEqual([]);
  });

  test('in a room it reaches all occupants with the dialog and the time of the service', async () => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice, [bob]);
    const clients = [await openChat(alice), await openChat(bob)];
    const parameters = '<dialog_id>x</dialog_id><date_sent>1</date_sent><a>1</a>';
    clients[0]!.send(
      `<message id="m" to="${roomOf(dialogId)}" type="groupchat"><body>hi</body><extraParams>${parameters}</extraParams></message>`,
    );
    for (const client of clients)
      expect(bare(await client.next())).toBe(
        `<message from="${roomOf(dialogId, alice.id)}" to="${client.jid}" type="groupchat" id="m"><body>hi</body>` +
          `<extraParams xmlns="jabber:client"><dialog_id>${dialogId}</dialog_id><date_sent>1795196819</date_sent><a>1</a></extraParams></message>`,
      );
  });

  test('one without content is dropped, and one to an unknown or blocking user is refused', async () => {
    const [alice, bob] = await createUsers(2);
    await execute('mutation ($id: Int!) { blockUser(userId: $id) { id } }', { id: alice.id }, bob);
    const a = await openChat(alice);
    a.send(`<message id="m" to="${jidOf(bob)}" type="chat">${MARKABLE}</message>`);
    expect(await a.settle()).toEqual([]);
    for (const save of ['0', '1']) {
      for (const user of [bob, { id: 999_999 }]) {
        const parameters = `<save_to_history>${save}</save_to_history>`;
        a.send(`<message id="m" to="${jidOf(user)}"><body>x</body><extraParams>${parameters}</extraParams></message>`);
        expect(bare(await a.next())).toMatch(
          new RegExp(`^<message type="error" id="m" from="${jidOf(user)}".*code="503"`),
        );
      }
    }
  });
});

describe('a headline', () => {
  test('system messages and calls reach all resources of the recipient unchanged', async () => {
    const [alice, bob] = await createUsers(2);
    const a = await openChat(alice);
    const clients = [await openChat(bob, 'a'), await openChat(bob, 'b')];
    const call =
      '<moduleIdentifier>WebRTCVideoChat</moduleIdentifier><userInfo><name>Bob</name></userInfo><sessionID>uuid</sessionID>' +
      '<opponentsIDs><opponentID>2</opponentID><opponentID>3</opponentID></opponentsIDs><sdp>v=0&#13;\na=x</sdp><signalType>call</signalType>';
    const send = (content: string) => a.send(`<message id="h" to="${jidOf(bob)}" type="headline">${content}</message>`);
    send(
      '<body>text</body><extraParams><moduleIdentifier>SystemNotifications</moduleIdentifier><k>v</k></extraParams>',
    );
    send(`<extraParams xmlns="jabber:client">${call}</extraParams>`);
    send('<body>alone</body>');
    const start = `<message from="${a.jid}" to="${jidOf(bob)}" type="headline" id="h">`;
    for (const client of clients) {
      expect((await client.take(3)).map(bare)).toEqual([
        `${start}<body>text</body><extraParams xmlns="jabber:client"><moduleIdentifier>SystemNotifications</moduleIdentifier><k>v</k></extraParams></message>`,
        `${start}<extraParams xmlns="jabber:client">${call}</extraParams></message>`,
        `${start}<body>alone</body><extraParams xmlns="jabber:client"/></message>`,
      ]);
    }
    expect(await a.settle()).toEqual([]);
  });

  test('a signal of GraphQL arrives as a headline, and headlines to rooms and unknown users are dropped', async () => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice, [bob]);
    const b = await openChat(bob);
    const input = { userId: bob.id, kind: 'CALL', id: 'c', payload: { signalType: 'call' } };
    await execute(SEND, { input }, alice);
    expect(bare(await b.next())).toBe(
      `<message from="${jidOf(alice)}" to="${jidOf(bob)}" type="headline" id="c"><extraParams xmlns="jabber:client">` +
        '<moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>call</signalType></extraParams></message>',
    );
    for (const to of [roomOf(dialogId), jidOf({ id: 999_999 }), '1@example.com'])
      b.send(`<message to="${to}" type="headline"><body>x</body></message>`);
    expect(await b.settle()).toEqual([]);
  });
});
