import { afterEach, describe, expect, test } from 'vitest';
import { APPLICATION, useApp } from '../support/app/app.ts';
import { rest } from '../support/clients/rest.ts';
import { bare, CHAT, closeStreams, jidOf, openChat, roomOf } from '../support/clients/xmpp.ts';
import { createDialog, execute, send } from '../support/fixtures/chat.ts';
import { createUsers } from '../support/fixtures/users.ts';

useApp(CHAT);
afterEach(closeStreams);

const MARKABLE = '<markable xmlns="urn:xmpp:chat-markers:0"/>';
const ID = '6560a1b2c3d4e5f601234567';
const SAVE = '<save_to_history>1</save_to_history>';

const chat = (to: string, { id = ID, type = 'chat', body = 'Hello', parameters = SAVE } = {}) =>
  `<message id="${id}" to="${to}" type="${type}"><body>${body}</body>${MARKABLE}` +
  `<extraParams xmlns="jabber:client">${parameters}</extraParams></message>`;

const refusal = (from: string, to: string, [code, type, condition]: string[], id = ID) =>
  new RegExp(
    `^<message type="error" id="${id}" from="${from}" to="${to}"><error code="${code}" type="${type}">` +
      `<${condition} xmlns="urn:ietf:params:xml:ns:xmpp-stanzas"/><text xmlns="urn:ietf:params:xml:ns:xmpp-stanzas">[^<]+</text></error></message>$`,
  );

const MESSAGES = `query ($id: ID!) { messages(dialogId: $id) { edges { node { id clientId text attachments customFields } } } }`;

async function stored(dialogId: string, as: Parameters<typeof execute>[2]) {
  const { messages } = await execute(MESSAGES, { id: dialogId }, as);
  return messages.edges.map(({ node }: { node: unknown }) => node);
}

describe('a private message', () => {
  test('a stored message reaches all resources of the recipient, and those of the sender as a carbon', async () => {
    const [alice, bob] = await createUsers(2);
    const [phone, web, silent] = [
      await openChat(alice),
      await openChat(alice, 'web', { carbons: true }),
      await openChat(alice, 'none'),
    ];
    const [bobs, bobs2] = [await openChat(bob, 'a'), await openChat(bob, 'b')];
    const content = '<color>red</color><attachment type="image" id="5" name="a.png" size="12"/>';
    phone.send(chat(jidOf(bob), { parameters: `${SAVE}<dialog_id>x</dialog_id>${content}` }));
    const received = bare(await bobs.next());
    const dialogId = /<dialog_id>([0-9a-f]{24})</.exec(received)![1]!;
    const expected =
      `<message from="${jidOf(alice, 'phone')}" to="${jidOf(bob)}" type="chat" id="${ID}"><body>Hello</body>${MARKABLE}` +
      `<extraParams xmlns="jabber:client">${SAVE}<dialog_id>${dialogId}</dialog_id><date_sent>1795196819</date_sent>` +
      `<message_id>${ID}</message_id>${content}</extraParams></message>`;
    expect(received).toBe(expected);
    expect(bare(await bobs2.next())).toBe(expected);
    expect(await web.next()).toBe(
      `<message xmlns="jabber:client" from="${jidOf(alice)}" to="${jidOf(alice, 'web')}" type="chat" id="${ID}">` +
        '<sent xmlns="urn:xmpp:carbons:2"><forwarded xmlns="urn:xmpp:forward:0">' +
        `${expected.replace('<message ', '<message xmlns="jabber:client" ')}</forwarded></sent></message>`,
    );
    expect([await phone.settle(), await silent.settle()]).toEqual([[], []]);
    expect(await stored(dialogId, bob)).toEqual([
      {
        ...{ id: ID, clientId: null, text: 'Hello', customFields: { color: 'red' } },
        attachments: [{ type: 'image', id: '5', name: 'a.png', size: '12' }],
      },
    ]);
  });

  test('a retry is neither stored nor delivered again, and the id of another message is refused', async () => {
    const [alice, bob, carol] = await createUsers(3);
    const [a, b] = [await openChat(alice), await openChat(bob)];
    const id = '6560a1b2c3d4e5f601234568';
    a.send(chat(jidOf(bob), { id }), chat(jidOf(bob), { id }));
    expect(await b.find(id)).toContain('Hello');
    expect([await a.settle(), await b.settle()]).toEqual([[], []]);
    a.send(chat(jidOf(carol), { id }));
    expect(bare(await a.next())).toMatch(refusal(jidOf(carol), a.jid, ['409', 'cancel', 'conflict'], id));
  });

  test('another id is kept as the id of the client, and no id gets one', async () => {
    const [alice, bob] = await createUsers(2);
    const [a, b] = [await openChat(alice), await openChat(bob)];
    a.send(chat(jidOf(bob), { id: 'x&quot;1' }));
    expect(await b.next()).toMatch(/ id="x&quot;1">.*<message_id>[0-9a-f]{24}</);
    a.send(`<message to="${jidOf(bob)}"><body>No id</body><extraParams>${SAVE}</extraParams></message>`);
    const [, id, real] = / id="([0-9a-f]{24})">.*<message_id>([0-9a-f]{24})</.exec(await b.next())!;
    expect(id).toBe(real);
  });

  test('control characters and nested or repeated elements are kept as far as XML permits', async () => {
    const [alice, bob] = await createUsers(2);
    const [a, b] = [await openChat(alice), await openChat(bob)];
    const parameters = `${SAVE}<a>1</a><a>2</a><o><p>x</p><received>no</received></o><delay>no</delay><x:y xmlns:x="u">z</x:y>`;
    a.send(chat(jidOf(bob), { id: 'c1', body: 'a\u0001b &lt;&amp;', parameters }));
    const frame = await b.next();
    expect(frame).toContain('<body>ab &lt;&amp;</body>');
    expect(frame).toContain('<a>1</a><a>2</a><o><p>x</p></o><y>z</y></extraParams>');
    const dialogId = /<dialog_id>([0-9a-f]{24})</.exec(frame)![1]!;
    expect((await stored(dialogId, bob))[0].customFields).toEqual({
      ...{ a: ['1', '2'], o: { p: 'x', received: 'no' }, delay: 'no', y: 'z' },
    });
  });

  test('a message of REST arrives only if it was sent to the chat', async () => {
    const [alice, bob] = await createUsers(2);
    const b = await openChat(bob);
    const post = (body: object) =>
      rest('POST', '/chat/Message.json', { as: alice, json: { recipient_id: bob.id, ...body } });
    await post({ message: 'hidden', send_to_chat: 0 });
    await post({
      message: 'shown',
      send_to_chat: 1,
      n: 1,
      yes: true,
      o: { a: 'b' },
      l: [1, 'x'],
      '1a': 'no',
      forwarded: 'no',
    });
    const frame = await b.next();
    expect(frame).toMatch(new RegExp(`^<message xmlns="jabber:client" from="${jidOf(alice)}" to="${jidOf(bob)}" `));
    expect(frame).toContain('<body>shown</body>');
    expect(frame).toContain('<n>1</n><yes>true</yes><o><a>b</a></o><l>[1,&quot;x&quot;]</l></extraParams>');
  });

  test.each<[string, (user: { id: number }) => string, object, string[]]>([
    ['an unknown user', () => jidOf({ id: 999_999 }), {}, ['503', 'cancel', 'service-unavailable']],
    [
      'a user of another application',
      ({ id }) => jidOf({ id }).replace('-92@', '-93@'),
      {},
      ['503', 'cancel', 'service-unavailable'],
    ],
    ['too long a text', jidOf, { body: 'x'.repeat(33_000) }, ['406', 'modify', 'not-acceptable']],
    ['type groupchat', jidOf, { type: 'groupchat' }, ['400', 'modify', 'bad-request']],
    ['an occupant of a room', () => roomOf(ID, 1), {}, ['503', 'cancel', 'service-unavailable']],
    ['a room', () => roomOf(ID), {}, ['400', 'modify', 'bad-request']],
  ])('a message to %s is refused', async (_name, to, message, error) => {
    const [alice, bob] = await createUsers(2);
    const a = await openChat(alice);
    a.send(chat(to(bob), message));
    expect(bare(await a.next())).toMatch(refusal(to(bob), a.jid, error));
  });

  test('a message to another domain, and an error, do not leave the service', async () => {
    const [alice] = await createUsers(1);
    const a = await openChat(alice);
    a.send(chat('1@example.com'));
    expect(bare(await a.next())).toMatch(refusal('chat.example.org', a.jid, ['503', 'cancel', 'service-unavailable']));
    a.send(chat(jidOf(alice), { type: 'error' }));
    expect(await a.settle()).toEqual([]);
  });
});

describe('a message to a room', () => {
  test('occupants of a group send and receive on all resources without joining, the sending one included', async () => {
    const [alice, bob, dave] = await createUsers(3);
    const dialogId = await createDialog(alice, [bob]);
    const clients = [await openChat(alice), await openChat(alice, 'web'), await openChat(bob)];
    const outsider = await openChat(dave);
    clients[0]!.send(chat(roomOf(dialogId), { type: 'groupchat', id: '6560a1b2c3d4e5f601234569' }));
    for (const client of clients) {
      expect(bare(await client.next())).toBe(
        `<message from="${roomOf(dialogId, alice.id)}" to="${client.jid}" type="groupchat" id="6560a1b2c3d4e5f601234569">` +
          `<body>Hello</body>${MARKABLE}<extraParams xmlns="jabber:client">${SAVE}<dialog_id>${dialogId}</dialog_id>` +
          '<date_sent>1795196819</date_sent><message_id>6560a1b2c3d4e5f601234569</message_id></extraParams></message>',
      );
    }
    outsider.send(chat(roomOf(dialogId), { type: 'groupchat' }));
    expect(bare(await outsider.next())).toMatch(refusal(roomOf(dialogId), outsider.jid, ['403', 'auth', 'forbidden']));
  });

  test('rooms that require joining, unknown rooms and those of other applications refuse', async () => {
    const [alice] = await createUsers(1);
    const lobby = await createDialog(alice, [], 'PUBLIC_GROUP');
    const a = await openChat(alice);
    const other = roomOf(lobby).replace(`${APPLICATION.id}_`, '93_');
    for (const [to, error] of [
      [roomOf(lobby), ['406', 'modify', 'not-acceptable']],
      [roomOf(ID), ['503', 'cancel', 'service-unavailable']],
      [other, ['503', 'cancel', 'service-unavailable']],
    ] as const) {
      a.send(chat(to, { type: 'groupchat' }));
      expect(bare(await a.next())).toMatch(refusal(to, a.jid, [...error]));
    }
  });
});

describe('a receipt', () => {
  test('a receipt is stored, then delivered to all resources of the sender of the message', async () => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice, [bob], 'PRIVATE');
    const message = await send(alice, dialogId, 'Hi');
    const [phone, web, b] = [await openChat(alice), await openChat(alice, 'web'), await openChat(bob, 'web')];
    const marker = (name: string, id: string) =>
      `<message id="${id}" to="${jidOf(alice)}" type="chat"><${name} xmlns="urn:xmpp:chat-markers:0" id="${message}"/>` +
      `<extraParams xmlns="jabber:client"><dialog_id>x</dialog_id></extraParams></message>`;
    b.send(marker('received', 'X'), marker('received', 'again'), marker('displayed', 'Y'));
    for (const client of [phone, web]) {
      expect(bare(await client.next())).toBe(
        `<message id="X" from="${b.jid}" to="${jidOf(alice)}" type="chat"><received xmlns="urn:xmpp:chat-markers:0" id="${message}"/>` +
          `<extraParams xmlns="jabber:client"><dialog_id>${dialogId}</dialog_id></extraParams></message>`,
      );
      expect(await client.next()).toContain(`id="Y" from="${b.jid}"`);
      expect(await client.settle()).toEqual([]);
    }
    expect(await b.settle()).toEqual([]);
    const { message: marked } = await execute(
      'query ($id: ID!) { message(id: $id) { readIds deliveredIds } }',
      { id: message },
      alice,
    );
    expect(marked).toEqual({ readIds: [alice.id, bob.id], deliveredIds: [alice.id, bob.id] });
  });

  test('a receipt names a message by the id of its client, and marks of REST arrive for each message', async () => {
    const [alice, bob] = await createUsers(2);
    const [a, b] = [await openChat(alice), await openChat(bob)];
    a.send(chat(jidOf(bob), { id: 'own-1' }));
    const dialogId = /<dialog_id>([0-9a-f]{24})</.exec(await b.next())![1]!;
    b.send(
      `<message id="X" to="${jidOf(alice)}" type="chat"><received xmlns="urn:xmpp:chat-markers:0" id="own-1"/></message>`,
    );
    expect(await a.next()).toContain('<received xmlns="urn:xmpp:chat-markers:0" id="own-1"/>');
    const second = await send(alice, dialogId, 'Second');
    await b.find('Second');
    await rest('PUT', '/chat/Message.json', { as: bob, json: { chat_dialog_id: dialogId, read: 1 } });
    const marks = [await a.next(), await a.next()].map(bare);
    const text = (id: string) =>
      new RegExp(
        `^<message id="[^"]+" from="${jidOf(bob)}" to="${jidOf(alice)}" type="chat"><displayed xmlns="urn:xmpp:chat-markers:0" id="${id}"/>`,
      );
    expect(marks[0]).toMatch(text(second));
    expect(marks[1]).toMatch(text('own-1'));
  });
});

test('an acknowledgement follows the messages before it', async () => {
  const [alice, bob] = await createUsers(2);
  const [a, b] = [await openChat(alice), await openChat(bob)];
  const ids = ['6560a1b2c3d4e5f601234571', '6560a1b2c3d4e5f601234572'];
  const request = '<r xmlns="urn:xmpp:sm:3"/>';
  a.send('<enable xmlns="urn:xmpp:sm:3" resume="true"/>');
  a.send(
    chat(jidOf(bob), { id: ids[0]! }),
    request,
    chat('1@x', { id: 'y' }),
    chat(jidOf(bob), { id: ids[1]! }),
    request,
  );
  expect(await a.next()).toBe('<enabled xmlns="urn:xmpp:sm:3"/>');
  expect(await a.next()).toBe('<a xmlns="urn:xmpp:sm:3" h="1"/>');
  expect(await a.next()).toContain('id="y"');
  expect(await a.next()).toBe('<a xmlns="urn:xmpp:sm:3" h="3"/>');
  for (const id of ids) expect(await b.next()).toContain(`id="${id}"`);
});
