import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { until } from '../../support/app/until.ts';
import {
  authOf,
  CHAT,
  ChatSocket,
  closeStreams,
  jidOf,
  OPEN,
  openChat,
  roomOf,
  streamError,
  tokenOf,
} from '../../support/clients/xmpp.ts';
import { ChatWire, HEADER, PROCEED, STARTTLS } from '../../support/clients/xmpp-tcp.ts';
import { createDialog } from '../../support/fixtures/chat.ts';
import { createUsers } from '../../support/fixtures/users.ts';

useApp({ ...CHAT, xmpp: { tcpPort: 0 } });
afterEach(closeStreams);

const PING = '<iq id="alive" type="get"><query xmlns="jabber:iq:version"/></iq>';

async function isAlive(client: ChatSocket): Promise<void> {
  client.send(PING);
  await client.find('id="alive"');
}

/** What a client over TCP receives, until it contains one of the texts. */
async function answerOf(wire: ChatWire, sent: string, ...texts: string[]): Promise<string> {
  wire.received = '';
  wire.send(sent);
  await until(() => wire.isClosed || texts.some((text) => wire.received.includes(text)));
  return wire.received;
}

async function openWire(): Promise<ChatWire> {
  const wire = await ChatWire.open(Number(new URL(running.app.chatAddresses[0]!).port));
  onTestFinished(() => void wire.socket.destroy());
  return wire;
}

describe('#85 hostile streams of legacy chat clients', () => {
  test.each([
    ['a document type', '<!DOCTYPE a [<!ENTITY e "x">]><message to="x"/>'],
    ['65 attributes', `<message${Array.from({ length: 65 }, (_, nth) => ` a${nth}=""`).join('')}/>`],
    ['2,001 elements', `<message>${'<a/>'.repeat(2_000)}</message>`],
    ['an unknown entity', '<message to="x"><body>&lol;</body></message>'],
    ['a prefix without a namespace', '<x:message/>'],
    ['an attribute twice', '<message to="a" to="b"/>'],
    ['a depth of 21', `<message>${'<a>'.repeat(20)}${'</a>'.repeat(20)}</message>`],
    ['a frame of 300 kB', `<message><body>${'x'.repeat(300_000)}</body></message>`],
    ['a frame that is no XML', 'GET / HTTP/1.1'],
  ])('%s ends only the stream that sent it', async (_name, frame) => {
    const [mallory, alice] = await createUsers(2);
    const [hostile, other] = [await openChat(mallory), await openChat(alice)];
    hostile.send(frame, PING);
    await Promise.race([hostile.closed, hostile.find('id="alive"').catch(() => {})]);
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
    const own = await createDialog(alice, [bob]);
    const foreign = (address: string) => address.replace(/^92_/, '93_').replace('-92@', '-93@');
    for (const [to, type] of [
      [foreign(jidOf(bob)), 'chat'],
      [foreign(jidOf(bob)), 'headline'],
      [foreign(roomOf(own)), 'groupchat'],
      [roomOf(dialogId), 'groupchat'],
    ])
      a.send(`<message id="2" to="${to}" type="${type}"><body>foreign</body><extraParams/></message>`);
    a.send(
      `<presence id="j" to="${foreign(roomOf(own, alice.id))}"><x xmlns="http://jabber.org/protocol/muc"/></presence>`,
    );
    expect(await a.find('id="j"')).toContain('type="error"');
    await isAlive(a);
    await isAlive(b);
    expect(b.frames.filter((frame) => frame.includes('foreign') && !frame.includes('type="error"'))).toEqual([]);
  });

  test('no element that clients take for something else is passed on', async () => {
    const [alice, bob] = await createUsers(2);
    const [a, b] = [await openChat(alice), await openChat(bob)];
    const hidden = '<a><forwarded/></a><delay/><received id="x"/><b>kept</b>';
    a.send(
      `<message id="1" to="${jidOf(bob)}" type="chat"><extraParams xmlns="jabber:client">${hidden}</extraParams></message>`,
    );
    expect(await b.find('kept')).not.toMatch(/<(?:forwarded|delay|received)/);
  });

  test('over TCP, no credentials are accepted before TLS, and nothing that arrives before it is executed after it', async () => {
    const [alice] = await createUsers(1);
    const auth = authOf(`${alice.id}-${APPLICATION.id}`, tokenOf(alice));
    const [plain, whole, partly] = [await openWire(), await openWire(), await openWire()];
    expect(await answerOf(plain, `${HEADER}${auth}`, '<failure', '<success')).toContain('<encryption-required/>');
    expect(await answerOf(whole, `${HEADER}${STARTTLS}${auth}`, '<failure', '<success')).not.toContain('<encryption');
    expect(whole.isClosed).toBe(true);
    partly.send(`${HEADER}${STARTTLS}${auth.slice(0, -3)}`);
    await partly.find(PROCEED);
    await partly.secure();
    expect(await answerOf(partly, auth.slice(-3), '<success', '<failure', 'error>')).toContain(
      streamError('not-well-formed'),
    );
  });

  test('over TCP, a stanza without end ends the stream', async () => {
    const wire = await openWire();
    const stanza = `${HEADER}<message><body>${'x'.repeat(20_000)}`;
    expect(await answerOf(wire, `${stanza}</body></message>`, 'error>')).toContain(streamError('policy-violation'));
  });

  test('stanzas before the sign-in are not executed', async () => {
    const [bob] = await createUsers(1);
    const b = await openChat(bob);
    const stranger = await ChatSocket.open();
    stranger.send(OPEN);
    await stranger.take(2);
    stranger.send(`<message to="${jidOf(bob)}" type="chat"><body>early</body></message>`);
    stranger.send('<abort xmlns="urn:ietf:params:xml:ns:xmpp-sasl"/>');
    expect(await stranger.next()).toContain(streamError('not-authorized'));
    await isAlive(b);
    expect(b.frames.join('')).not.toContain('early');
  });
});
