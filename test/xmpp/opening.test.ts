import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { SIGN_IN } from '../../src/xmpp/sign-in.ts';
import { APPLICATION, running, useApp } from '../support/app/app.ts';
import {
  authOf,
  CHAT,
  CHAT_DOMAIN,
  ChatSocket,
  CLOSE,
  closeStreams,
  FAILURE,
  FRAMING,
  jidOf,
  OPEN,
  openChat,
  streamError,
  tokenOf,
} from '../support/clients/xmpp.ts';
import { createUser } from '../support/fixtures/users.ts';

useApp(CHAT);
afterEach(closeStreams);
const { delayMs } = SIGN_IN;
beforeAll(() => {
  SIGN_IN.delayMs = 50;
});
afterAll(() => {
  SIGN_IN.delayMs = delayMs;
});

const SIGN_IN_FEATURES =
  '<stream:features xmlns:stream="http://etherx.jabber.org/streams"><mechanisms xmlns="urn:ietf:params:xml:ns:xmpp-sasl">' +
  '<mechanism>PLAIN</mechanism></mechanisms></stream:features>';
const BIND =
  '<stream:features xmlns:stream="http://etherx.jabber.org/streams"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"/>' +
  '<session xmlns="urn:ietf:params:xml:ns:xmpp-session"/><sm xmlns="urn:xmpp:sm:3"/></stream:features>';

const withoutId = (frame: string) => frame.replace(/ id="[0-9a-f]+"/, ' id="s1"');

describe('the opening of a stream', () => {
  test('a stream opens with the frames that legacy clients expect', async () => {
    const user = await createUser();
    const client = await ChatSocket.open();
    expect(client.socket.protocol).toBe('xmpp');
    client.send(OPEN);
    const opened = `<open xmlns="${FRAMING}" from="${CHAT_DOMAIN}" id="s1" version="1.0" xml:lang="en"/>`;
    expect([withoutId(await client.next()), await client.next()]).toEqual([opened, SIGN_IN_FEATURES]);
    client.send(authOf(`${user.id}-${APPLICATION.id}`, tokenOf(user)));
    expect(await client.next()).toBe('<success xmlns="urn:ietf:params:xml:ns:xmpp-sasl"/>');
    client.send(OPEN);
    expect([withoutId(await client.next()), await client.next()]).toEqual([opened, BIND]);
    client.send(
      '<iq id="b1" type="set"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"><resource>phone</resource></bind></iq>',
    );
    expect(await client.next()).toBe(
      '<iq xmlns="jabber:client" type="result" id="b1"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind">' +
        `<jid>${jidOf(user, 'phone')}</jid></bind></iq>`,
    );
    client.send('<iq id="se1" type="set"><session xmlns="urn:ietf:params:xml:ns:xmpp-session"/></iq>');
    expect(await client.next()).toBe('<iq xmlns="jabber:client" type="result" id="se1"/>');
    client.send('<enable xmlns="urn:xmpp:sm:3"/>');
    expect(await client.next()).toBe('<enabled xmlns="urn:xmpp:sm:3"/>');
    client.send('<iq id="u:enableCarbons" type="set"><enable xmlns="urn:xmpp:carbons:2"/></iq>');
    const to = jidOf(user, 'phone');
    expect(await client.next()).toBe(`<iq xmlns="jabber:client" type="result" id="u:enableCarbons" to="${to}"/>`);
    client.send('<iq id="u:getRoster" type="get"><query xmlns="jabber:iq:roster"/></iq>');
    expect(await client.next()).toBe(
      `<iq xmlns="jabber:client" type="result" id="u:getRoster" to="${to}"><query xmlns="jabber:iq:roster"/></iq>`,
    );
    client.send('<presence/>');
    expect(await client.next()).toBe(`<presence xmlns="jabber:client" from="${to}" to="${jidOf(user)}"/>`);
    client.send('<r xmlns="urn:xmpp:sm:3"/>');
    expect(await client.next()).toBe('<a xmlns="urn:xmpp:sm:3" h="3"/>');
    client.send(`<close xmlns="${FRAMING}"/>`);
    expect(await client.next()).toBe(CLOSE);
    expect(await client.closed).toBe(1005);
  });

  test('an upgrade that does not offer the protocol is refused, and any origin is accepted', async () => {
    const status = await new Promise((resolve) => {
      const socket = new WebSocket(`${running.url.replace('http', 'ws')}/xmpp`);
      socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
      socket.on('error', () => {});
    });
    expect(status).toBe(400);
    const client = await ChatSocket.open(running.app, { origin: 'https://other.example' });
    expect(client.socket.protocol).toBe('xmpp');
  });

  test('resources are unique, and a missing or long one is replaced', async () => {
    const user = await createUser();
    expect((await openChat(user, 'web')).jid).toBe(jidOf(user, 'web'));
    const [same, none, long] = [
      await openChat(user, 'web'),
      await openChat(user, ''),
      await openChat(user, 'x'.repeat(256)),
    ];
    expect(same.jid).toMatch(new RegExp(`^${jidOf(user, 'web-')}[\\w-]{8}$`));
    for (const { jid } of [none, long]) expect(jid).toMatch(new RegExp(`^${jidOf(user)}/[\\w-]{16,}$`));
  });

  test('requests that the service does not know are answered with an error', async () => {
    const client = await openChat(await createUser());
    client.send(
      `<iq id="1" type="get" to="${CHAT_DOMAIN}"><query xmlns="http://jabber.org/protocol/disco#info"/></iq>`,
    );
    expect(await client.next()).toBe(
      `<iq xmlns="jabber:client" type="error" id="1" from="${CHAT_DOMAIN}" to="${client.jid}">` +
        '<error code="503" type="cancel"><service-unavailable xmlns="urn:ietf:params:xml:ns:xmpp-stanzas"/>' +
        '<text xmlns="urn:ietf:params:xml:ns:xmpp-stanzas">Service not available.</text></error></iq>',
    );
    client.send(`<iq id="2" type="get" to="${CHAT_DOMAIN}"><ping xmlns="urn:xmpp:ping"/></iq>`);
    expect(await client.next()).toBe(
      `<iq xmlns="jabber:client" type="result" id="2" from="${CHAT_DOMAIN}" to="${client.jid}"/>`,
    );
    client.send('<iq type="result" id="3"/>', '<iq type="get"><query xmlns="x"/></iq>');
    expect(await client.settle()).toEqual([]);
  });
});

describe('what ends a stream', () => {
  test.each([
    ['a stanza before the stream is opened', '<presence/>', 'policy-violation'],
    ['a frame that is not well-formed', '<open', 'not-well-formed'],
    ['another domain', OPEN.replace(CHAT_DOMAIN, 'example.com'), 'host-unknown'],
    ['a frame of 9 KiB before the sign-in', `${OPEN.slice(0, -2)} x="${'x'.repeat(9_000)}"/>`, 'policy-violation'],
  ])('%s ends it with %3$s', async (_name, frame, condition) => {
    const client = await ChatSocket.open();
    client.send(frame);
    expect(await client.next()).toMatch(/^<open /);
    expect([await client.next(), await client.next()]).toEqual([streamError(condition), CLOSE]);
    await client.closed;
  });

  test.each([
    ['a stanza before the sign-in', '<presence/>', 'not-authorized'],
    ['a second opening', OPEN, 'policy-violation'],
  ])('%s ends it with %3$s', async (_name, frame, condition) => {
    const client = await ChatSocket.open();
    client.send(OPEN);
    await client.take(2);
    client.send(frame);
    expect([await client.next(), await client.next()]).toEqual([streamError(condition), CLOSE]);
    await client.closed;
  });

  test.each([
    ['an unknown kind of stanza', '<query xmlns="x"/>', 'unsupported-stanza-type'],
    ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><message>&b;</message>', 'policy-violation'],
    ['257 KiB', `<message><body>${'x'.repeat(263_000)}</body></message>`, 'policy-violation'],
    ['an unknown prefix', '<message><x:y/></message>', 'not-well-formed'],
  ])('%s ends it with %3$s', async (_name, frame, condition) => {
    const client = await openChat(await createUser());
    client.send(frame);
    expect([await client.next(), await client.next()]).toEqual([streamError(condition), CLOSE]);
    await client.closed;
  });

  test('a binary frame closes the socket', async () => {
    const client = await openChat(await createUser());
    client.socket.send(Buffer.from('<presence/>'));
    expect(await client.closed).toBe(1003);
  });
});

describe('the sign-in', () => {
  test.each([
    ['an unknown user', () => authOf(`999999-${APPLICATION.id}`, 'x'.repeat(40))],
    ['a malformed login', () => authOf('alice', 'password')],
    ['text that is not Base64', () => '<auth xmlns="urn:ietf:params:xml:ns:xmpp-sasl" mechanism="PLAIN">%%%</auth>'],
  ])('%s is refused, and the socket stays open', async (_name, auth) => {
    const user = await createUser();
    const client = await ChatSocket.open();
    client.send(OPEN);
    await client.take(2);
    client.send(auth());
    expect(await client.next()).toBe(FAILURE);
    client.send(authOf(`${user.id}-${APPLICATION.id}`, tokenOf(user)));
    expect(await client.next()).toMatch(/^<success/);
  });
});
