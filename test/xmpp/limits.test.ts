import { afterEach, expect, test } from 'vitest';
import { LIMITS } from '../../src/platform/limits/definitions.ts';
import { running, useApp } from '../support/app/app.ts';
import { until } from '../support/app/until.ts';
import { rest } from '../support/clients/rest.ts';
import { connect } from '../support/clients/websocket.ts';
import { CHAT, closeStreams, jidOf, openChat, roomOf, streamError } from '../support/clients/xmpp.ts';
import { createDialog, execute } from '../support/fixtures/chat.ts';
import { createUsers } from '../support/fixtures/users.ts';

useApp({ ...CHAT, limits: { default: { quota: 10_000, windowSeconds: 60 }, signIn: LIMITS.signIn } });
afterEach(closeStreams);

const SEND_SIGNAL = 'mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }';

test('a client that sends faster than the rate is read more slowly, and loses nothing', async () => {
  const [alice] = await createUsers(1);
  const client = await openChat(alice);
  const begunAt = performance.now();
  for (let nth = 0; nth < 230; nth++)
    client.send(`<iq id="f${nth}" type="get"><query xmlns="jabber:iq:version"/></iq>`);
  await client.find('id="f229"');
  await client.settle();
  expect(performance.now() - begunAt).toBeGreaterThan(1_000);
});

test('a client that does not read is disconnected, and others are served in the meantime', async () => {
  const [alice, bob] = await createUsers(2);
  const [slow, quick] = [await openChat(alice), await openChat(alice, 'quick')];
  slow.socket.pause();
  const payload = { text: 'x'.repeat(30_000) };
  const streams = async () =>
    /atrium_chat_streams (\d+)/.exec(await (await fetch(`${running.url}/metrics`)).text())![1];
  expect(await streams()).toBe('2');
  for (let nth = 0; (await streams()) === '2'; nth++) {
    const input = { userId: alice.id, kind: 'MESSAGE', id: `n${nth}`, payload };
    await execute(SEND_SIGNAL, { input }, bob);
    await quick.find(`id="n${nth}"`);
  }
  slow.socket.resume();
  await slow.closed;
  expect(slow.frames.at(-1)).not.toContain('conflict');
});

test('streams and sockets of a user share one limit', async () => {
  const [alice] = await createUsers(1);
  const sockets = await Promise.all(Array.from({ length: 99 }, () => connect(alice)));
  const stream = await openChat(alice);
  await expect(openChat(alice)).rejects.toThrow('not-authorized');
  await sockets[0]!.close();
  expect((await openChat(alice, 'next')).jid).toBe(jidOf(alice, 'next'));
  expect(stream.socket.readyState).toBe(stream.socket.OPEN);
  for (const socket of sockets) socket.socket.terminate();
});

test('a stream, a GraphQL subscriber and a REST client see the messages of a room in one order', async () => {
  const [alice, bob, carol] = await createUsers(3);
  const dialogId = await createDialog(alice, [bob, carol]);
  const chat = await openChat(alice);
  const socket = await connect(bob);
  socket.send({
    id: 's',
    type: 'subscribe',
    payload: {
      query:
        'subscription ($id: ID!) { dialogEvents(dialogId: $id) { __typename ... on MessageSent { message { text } } } }',
      variables: { id: dialogId },
    },
  });
  await until(() => running.app.services.hub.subscriptionCount > 1);
  const texts = Array.from({ length: 30 }, (_, nth) => `m${nth}`);
  await Promise.all(
    texts.map((text, nth) => {
      if (nth % 3 === 0) {
        chat.send(
          `<message id="${text}" to="${roomOf(dialogId)}" type="groupchat"><body>${text}</body><extraParams><save_to_history>1</save_to_history></extraParams></message>`,
        );
        return undefined;
      }
      if (nth % 3 === 1)
        return execute(
          'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }',
          { input: { dialogId, text } },
          bob,
        );
      return rest('POST', '/chat/Message.json', {
        as: carol,
        json: { chat_dialog_id: dialogId, message: text, send_to_chat: 1 },
      });
    }),
  );
  const received = (await chat.take(30)).map((frame) => /<body>(.*)<\/body>/.exec(frame)![1]!);
  const events = () => socket.received.filter(({ type }) => type === 'next');
  await until(() => events().length >= 30);
  const { body } = await rest(
    'GET',
    `/chat/Message.json?chat_dialog_id=${dialogId}&sort_asc=date_sent&mark_as_read=0`,
    { as: carol },
  );
  const polled = body.items.map(({ message }: { message: string }) => message);
  expect([...received].sort()).toEqual([...texts].sort());
  expect(events().map(({ payload }) => payload.data.dialogEvents.message.text)).toEqual(received);
  expect(polled).toEqual(received);
  expect(await chat.settle()).toEqual([]);
  await socket.close();
});

test('an unknown opening, a flood of failures and another version leave the service running', async () => {
  const [alice] = await createUsers(1);
  for (const frame of ['<a', '<open xmlns="x"/>', '<auth/>', '\u0000', '']) {
    const client = await openChat(alice, 'x');
    client.send(frame);
    if (frame !== '<open xmlns="x"/>' && frame !== '<auth/>') {
      await client.find('stream:error');
      expect(client.frames.join('')).toContain(streamError('not-well-formed'));
    }
    client.socket.terminate();
  }
  expect((await rest('GET', '/account_settings.json')).status).toBe(200);
});
