import { afterEach, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { CHAT, ChatSocket, closeStreams, jidOf, OPEN, openChat } from '../../support/clients/xmpp.ts';
import { createDialog } from '../../support/fixtures/chat.ts';
import { createUsers } from '../../support/fixtures/users.ts';

useApp(CHAT);
afterEach(closeStreams);

const PING = '<iq id="alive" type="get"><query xmlns="jabber:iq:version"/></iq>';

async function isAlive(client: ChatSocket): Promise<void> {
  client.send(PING);
  await client.find('id="alive"');
}

describe('#85 hostile streams of legacy chat clients', () => {
  test.each([
    ['a document type', '<!DOCTYPE a [<!ENTITY e "x">]><message/>'],
    ['an unknown entity', '<message to="x"><body>&lol;</body></message>'],
    ['a prefix without a namespace', '<x:message/>'],
    ['an attribute twice', '<message to="a" to="b"/>'],
    ['elements without end', `${'<a>'.repeat(30)}${'</a>'.repeat(30)}`],
    ['a frame without end', `<message><body>${'x'.repeat(300_000)}</body></message>`],
    ['a frame that is no XML', 'GET / HTTP/1.1'],
  ])('%s ends only the stream that sent it', async (_name, frame) => {
    const [mallory, alice] = await createUsers(2);
    const [hostile, other] = [await openChat(mallory), await openChat(alice)];
    hostile.send(frame);
    await hostile.closed;
    expect(hostile.frames.join('')).toMatch(/<(?:not-well-formed|policy-violation|unsupported-\S+|bad-format) /);
    await isAlive(other);
  });

  test('a client writes neither as another user, nor to users and rooms of another application', async () => {
    const [alice, bob, carol] = await createUsers(3);
    const dialogId = await createDialog(bob, [carol]);
    const [a, b] = [await openChat(alice), await openChat(bob)];
    a.send(
      `<message id="1" from="${jidOf(carol)}/web" to="${jidOf(bob)}" type="chat"><body>spoof</body><extraParams xmlns="jabber:client"><dialog_id>${dialogId}</dialog_id></extraParams></message>`,
    );
    const received = await b.find('spoof');
    expect(received).toContain(`from="${a.jid}"`);
    expect(received).not.toContain(dialogId);
    for (const to of [
      jidOf(bob).replace('-92@', '-93@'),
      `93_${dialogId}@muc.chat.example.org`,
      `92_${dialogId}@muc.chat.example.org`,
    ]) {
      a.send(`<message id="2" to="${to}" type="groupchat"><body>foreign</body></message>`);
    }
    await isAlive(a);
    await isAlive(b);
    expect(b.frames.filter((frame) => frame.includes('foreign') && !frame.includes('type="error"'))).toEqual([]);
  });

  test('stanzas before the sign-in are not executed', async () => {
    const [bob] = await createUsers(1);
    const b = await openChat(bob);
    const stranger = await ChatSocket.open();
    stranger.send(OPEN);
    await stranger.take(2);
    stranger.send(`<message to="${jidOf(bob)}" type="chat"><body>early</body></message>`);
    await stranger.closed;
    await isAlive(b);
    expect(b.frames.join('')).not.toContain('early');
  });
});
