import { afterEach, describe, expect, test } from 'vitest';
import { APPLICATION, clock, running, useApp } from '../support/app/app.ts';
import { until } from '../support/app/until.ts';
import { connect } from '../support/clients/websocket.ts';
import { bare, CHAT, closeStreams, jidOf, type OpenChat, openChat, roomOf } from '../support/clients/xmpp.ts';
import { createDialog, execute, send } from '../support/fixtures/chat.ts';
import { apiKey, createUsers } from '../support/fixtures/users.ts';

useApp(CHAT);
afterEach(closeStreams);

const ROSTER = '<iq id="u:getRoster" type="get"><query xmlns="jabber:iq:roster"/></iq>';

async function rosterOf(client: OpenChat): Promise<string> {
  client.send(ROSTER);
  return /<query xmlns="jabber:iq:roster"(?:\/>|>(.*)<\/query>)/.exec(await client.find('u:getRoster'))![1] ?? '';
}

const presence = (user: { id: number }, to: { id: number }, type?: string) =>
  `<presence xmlns="jabber:client" from="${jidOf(user)}" to="${jidOf(to)}"${type ? ` type="${type}"` : ''}/>`;
const stanza = (to: { id: number }, type: string) => `<presence to="${jidOf(to)}" type="${type}"/>`;
const item = (user: { id: number }, subscription: string, ask = '') =>
  `<item jid="${jidOf(user)}" subscription="${subscription}"${ask}/>`;

describe('contacts', () => {
  test('a request is repeated until it is accepted, and both see each other then', async () => {
    const [alice, bob] = await createUsers(2);
    const a = await openChat(alice);
    a.send(stanza(bob, 'subscribe'));
    await a.find(item(bob, 'none', ' ask="subscribe"'));
    expect(await rosterOf(a)).toBe(item(bob, 'none', ' ask="subscribe"'));
    const b = await openChat(bob);
    expect(await b.next()).toBe(presence(alice, bob, 'subscribe'));
    expect(await rosterOf(b)).toBe('');
    b.send(stanza(alice, 'subscribed'), stanza(alice, 'subscribe'));
    await a.find(item(bob, 'to'));
    expect(await a.next()).toBe(presence(bob, alice, 'subscribed'));
    // A client answers a request only once it has received it.
    await a.find(presence(bob, alice, 'subscribe'));
    a.send(stanza(bob, 'subscribed'));
    await a.find(item(bob, 'both'));
    await b.find(presence(alice, bob, 'subscribed'));
    expect([await rosterOf(a), await rosterOf(b)]).toEqual([item(bob, 'both'), item(alice, 'both')]);

    b.socket.terminate();
    await a.find(presence(bob, alice, 'unavailable'));
    const again = await openChat(bob);
    expect(await again.next()).toBe(presence(alice, bob));
    expect(await a.next()).toBe(presence(bob, alice));
    again.send('<presence type="unavailable"/>');
    expect(await a.next()).toBe(presence(bob, alice, 'unavailable'));
    const web = await connect(bob);
    expect(await a.next()).toBe(presence(bob, alice));
    await web.close();
    await a.find('unavailable');

    a.send(stanza(bob, 'subscribe'));
    expect(await a.next()).toBe(presence(bob, alice, 'subscribed'));
    a.send(
      `<iq id="rm" type="set"><query xmlns="jabber:iq:roster"><item jid="${jidOf(bob)}" subscription="remove"/></query></iq>`,
    );
    await a.find('id="rm"');
    expect([await rosterOf(a), await rosterOf(again)]).toEqual(['', '']);
  });

  test('a refused request and a removal reach the other user', async () => {
    const [alice, bob] = await createUsers(2);
    const [a, b] = [await openChat(alice), await openChat(bob)];
    a.send(stanza(bob, 'subscribe'));
    await b.find(presence(alice, bob, 'subscribe'));
    b.send(stanza(alice, 'unsubscribed'));
    await a.find(presence(bob, alice, 'unsubscribed'));
    expect(await rosterOf(a)).toBe('');
    await execute('mutation ($id: Int!) { requestContact(userId: $id) { userId } }', { id: alice.id }, bob);
    await a.find(presence(bob, alice, 'subscribe'));
    await execute('mutation ($id: Int!) { removeContact(userId: $id) { userId } }', { id: alice.id }, bob);
    expect(await a.find('unsubscribe"')).toBe(presence(bob, alice, 'unsubscribe'));
    expect(await a.next()).toBe(presence(bob, alice, 'unsubscribed'));
  });

  test('a deleted user leaves the lists of the others', async () => {
    const [alice, bob, carol] = await createUsers(3);
    const a = await openChat(alice);
    const request = 'mutation ($id: Int!) { requestContact(userId: $id) { userId } }';
    await execute(request, { id: bob.id }, alice);
    await execute('mutation ($id: Int!) { acceptContact(userId: $id) { userId } }', { id: alice.id }, bob);
    await execute(request, { id: alice.id }, carol);
    await a.find(presence(carol, alice, 'subscribe'));
    for (const user of [bob, carol]) {
      await execute('mutation ($id: Int!) { deleteUser(id: $id) }', { id: user.id }, apiKey);
      expect(await a.find('unsubscribe"')).toBe(presence(user, alice, 'unsubscribe'));
      expect(await a.next()).toBe(presence(user, alice, 'unsubscribed'));
      expect(a.frames.at(-3)).toContain(`<item jid="${jidOf(user)}" subscription="remove"/>`);
    }
    expect(await rosterOf(a)).toBe('');
  });

  test('requests of unknown users, other applications and other presences are dropped', async () => {
    const [alice, bob] = await createUsers(2);
    const [a, b] = [await openChat(alice), await openChat(bob)];
    for (const to of [jidOf({ id: 999_999 }), jidOf(bob).replace('-92@', '-93@'), '1@example.com'])
      a.send(`<presence to="${to}" type="subscribe"/>`);
    a.send(`<presence to="${jidOf(bob)}"><status>hi</status></presence>`, '<presence/>');
    expect([await a.settle(), await b.settle()]).toEqual([[], []]);
  });
});

describe('the last activity', () => {
  test('it is 0 for users who are online, and the time since then for others', async () => {
    const [alice, bob] = await createUsers(2);
    const [a, b] = [await openChat(alice), await openChat(bob)];
    const ask = async (user: { id: number }) => {
      a.send(`<iq id="u:lastActivity" to="${jidOf(user)}" type="get"><query xmlns="jabber:iq:last"/></iq>`);
      return bare(await a.find('u:lastActivity'));
    };
    const answer = (user: { id: number }, seconds: number) =>
      `<iq type="result" id="u:lastActivity" from="${jidOf(user)}" to="${a.jid}"><query xmlns="jabber:iq:last" seconds="${seconds}"/></iq>`;
    expect(await ask(bob)).toBe(answer(bob, 0));
    b.socket.terminate();
    const { presence } = running.app.services;
    await until(() => !presence.isOnline({ applicationId: APPLICATION.id, userId: bob.id }));
    clock.advance(90_000);
    expect(await ask(bob)).toBe(answer(bob, 90));
    for (const user of [{ id: 999_999 }])
      expect(await ask(user)).toMatch(
        new RegExp(`^<iq type="error" id="u:lastActivity" from="${jidOf(user)}".*code="404".*<item-not-found`),
      );
  });

  test('a ping to a user is answered while they are online', async () => {
    const [alice, bob, carol] = await createUsers(3);
    const [a] = [await openChat(alice), await openChat(bob)];
    for (const user of [carol, bob])
      a.send(`<iq id="p" to="${jidOf(user)}" type="get"><ping xmlns="urn:xmpp:ping"/></iq>`);
    expect(bare(await a.next())).toBe(`<iq type="result" id="p" from="${jidOf(bob)}" to="${a.jid}"/>`);
  });
});

describe('privacy lists', () => {
  const iq = (id: string, type: string, content: string) =>
    `<iq id="${id}" type="${type}"><query xmlns="jabber:iq:privacy">${content}</query></iq>`;
  const CHILDREN = '<message/><presence-in/><presence-out/><iq/>';
  const items = ({ id }: { id: number }, children = CHILDREN) => [
    children
      ? `<item action="deny" order="1" type="jid" value="${jidOf({ id })}">${children}</item>`
      : `<item action="deny" order="1" type="jid" value="${jidOf({ id })}"/>`,
    `<item action="deny" order="2" type="jid" value="muc.chat.example.org/${id}">${CHILDREN}</item>`,
  ];

  async function answerTo(client: OpenChat, id: string, type: string, content: string): Promise<string> {
    client.send(iq(id, type, content));
    return bare(await client.find(`id="${id}"`));
  }

  test('lists are stored, read in pairs, selected and deleted', async () => {
    const [alice, bob] = await createUsers(2);
    const a = await openChat(alice);
    const result = (id: string, content = '') =>
      content
        ? `<iq type="result" id="${id}" to="${a.jid}"><query xmlns="jabber:iq:privacy">${content}</query></iq>`
        : `<iq type="result" id="${id}" to="${a.jid}"/>`;
    const [address, inRooms] = items(bob);
    expect(await answerTo(a, '1', 'set', `<list name="L"/>${inRooms}${address}`)).toBe(result('1'));
    expect(await answerTo(a, '2', 'get', '<list name="L"/>')).toBe(
      result('2', `<list name="L">${address}${inRooms}</list>`),
    );
    expect(await answerTo(a, '3', 'get', '')).toBe(result('3', '<list name="L"/>'));
    expect(await answerTo(a, '4', 'set', '<default name="L"/>')).toBe(result('4'));
    expect(await answerTo(a, '5', 'set', '<active name="L"/>')).toBe(result('5'));
    expect(await answerTo(a, '6', 'get', '')).toBe(
      result('6', '<active name="L"/><default name="L"/><list name="L"/>'),
    );
    expect(await answerTo(a, '7', 'get', '<list name="M"/>')).toMatch(/code="404".*<item-not-found/);
    expect(await answerTo(a, '8', 'set', '<list name="L"/>')).toBe(result('8'));
    expect(await answerTo(a, '9', 'get', '')).toBe(
      `<iq type="result" id="9" to="${a.jid}"><query xmlns="jabber:iq:privacy"/></iq>`,
    );
  });

  test('items with ids that no user can have are stored without effect', async () => {
    const [alice] = await createUsers(1);
    const a = await openChat(alice);
    const impossible = items({ id: 9_999_999_999 }).join('');
    expect(await answerTo(a, '1', 'set', `<list name="L">${impossible}</list>`)).toContain('type="result"');
    expect(await answerTo(a, '2', 'set', '<default name="L"/>')).toContain('type="result"');
    expect(await answerTo(a, '3', 'get', '<list name="L"/>')).toContain(impossible);
  });

  test.each(['default', 'active'])('the %s list keeps the messages of a user away', async (kind) => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice, [bob]);
    const [a, b] = [await openChat(alice), await openChat(bob)];
    await answerTo(a, 's', 'set', `<list name="L">${items(bob, '').join('')}</list>`);
    await answerTo(a, 'd', 'set', `<${kind} name="L"/>`);
    await send(bob, dialogId, 'in the group');
    await b.find('in the group');
    const message = (to: { id: number }) =>
      `<message id="m" to="${jidOf(to)}"><body>x</body><extraParams><save_to_history>1</save_to_history></extraParams></message>`;
    b.send(message(alice));
    if (kind === 'default') expect(await b.next()).toContain('code="503"');
    b.send(
      `<message to="${roomOf(dialogId)}" type="groupchat"><composing xmlns="http://jabber.org/protocol/chatstates"/></message>`,
    );
    await b.find('composing');
    expect(await a.settle()).toEqual([]);
    a.send(message(bob));
    expect(await a.next()).toContain('code="503"');
  });
});
