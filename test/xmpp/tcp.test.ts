import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { jid, xml } from '@xmpp/client';
import { generate } from 'selfsigned';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { APPLICATION, running, useApp } from '../support/app/app.ts';
import { until } from '../support/app/until.ts';
import {
  authOf,
  CHAT_DOMAIN,
  ChatSocket,
  closeStreams,
  jidOf,
  OPEN,
  openChat,
  streamError,
  tokenOf,
} from '../support/clients/xmpp.ts';
import { ChatWire, HEADER, standardClient } from '../support/clients/xmpp-tcp.ts';
import { createUsers, type TestUser } from '../support/fixtures/users.ts';

useApp({ chatDomain: CHAT_DOMAIN, xmpp: { websocketPort: 0, tcpPort: 0 } });
afterEach(closeStreams);
// The certificate is self-signed.
const ofProcess = globalThis.WebSocket;
const checked = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
beforeAll(() => {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  Object.assign(globalThis, { WebSocket }); // Node.js 20 has none
});
afterAll(() => {
  Object.assign(globalThis, { WebSocket: ofProcess });
  if (checked === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = checked;
});

const portOf = (number: number) => Number(new URL(running.app.chatAddresses[number]!).port);

async function openWire(): Promise<ChatWire> {
  return closedAfterTest(await ChatWire.open(portOf(1)));
}

async function openSecureWire(): Promise<ChatWire> {
  return closedAfterTest(await ChatWire.openSecure(portOf(1)));
}

function closedAfterTest(wire: ChatWire): ChatWire {
  onTestFinished(() => void wire.socket.destroy());
  return wire;
}

function startClient({ id }: TestUser, service: string, secret: string) {
  const client = standardClient({ id, service, secret });
  onTestFinished(async () => {
    await client.stop().catch(() => {});
  });
  return client;
}

describe('XMPP over TCP', () => {
  test('only STARTTLS is offered, and credentials are refused before it', async () => {
    const wire = await openWire();
    wire.send(HEADER);
    expect(await wire.find('</stream:features>')).toMatch(
      /^<\?xml version="1\.0"\?><stream:stream xmlns="jabber:client" xmlns:stream="http:\/\/etherx\.jabber\.org\/streams" from="chat\.example\.org" id="[0-9a-f]+" version="1\.0" xml:lang="en"><stream:features xmlns:stream="http:\/\/etherx\.jabber\.org\/streams"><starttls xmlns="urn:ietf:params:xml:ns:xmpp-tls"><required\/><\/starttls><\/stream:features>$/,
    );
    wire.send(authOf('1-92', 'x'));
    await wire.find('<failure xmlns="urn:ietf:params:xml:ns:xmpp-sasl"><encryption-required/></failure>');
    wire.send('<presence/>');
    await wire.find(`${streamError('not-authorized')}</stream:stream>`);
    await until(() => wire.isClosed);
  });

  test('a client signs in over TLS, however its bytes are divided', async () => {
    const [alice] = await createUsers(1);
    const wire = await openSecureWire();
    const text = `${authOf(`${alice.id}-${APPLICATION.id}`, tokenOf(alice))}`;
    for (const character of text) wire.send(character);
    await wire.find('<success xmlns="urn:ietf:params:xml:ns:xmpp-sasl"/>');
    wire.send(`${HEADER} \n <iq id="b" type="set"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"/></iq>`);
    await wire.find('</jid></bind></iq>');
    wire.send(`<iq id="s" type="set" to="${CHAT_DOMAIN}"><session xmlns="urn:ietf:params:xml:ns:xmpp-session"/></iq> `);
    await wire.find('<iq xmlns="jabber:client" type="result" id="s"/>');
    wire.send('</stream:stream>');
    expect(await wire.find('</stream:stream>')).toBe('</stream:stream>');
    await until(() => wire.isClosed);
  });

  test.each([
    ['bytes that are not UTF-8', Buffer.from([0x3c, 0xff, 0x3e]), 'not-well-formed'],
    ['a document type', '<!DOCTYPE a>', 'not-well-formed'],
    ['a stanza without end', `<message><body>${'x'.repeat(20_000)}`, 'policy-violation'],
  ])('%s ends the stream', async (_name, bytes, condition) => {
    const wire = await openSecureWire();
    wire.socket.write(bytes);
    await wire.find(`${streamError(condition)}</stream:stream>`);
    await until(() => wire.isClosed);
  });

  test.each([
    ['TCP', () => `xmpp://127.0.0.1:${portOf(1)}`],
    ['the port for WebSockets', () => `wss://127.0.0.1:${portOf(0)}/`],
    ['the path of the main port', () => `${running.url.replace('http', 'ws')}/xmpp`],
  ])('a standard client chats over %s', async (_name, service) => {
    const [alice, bob] = await createUsers(2);
    const client = startClient(alice, service(), tokenOf(alice));
    const messages: string[] = [];
    client.on('stanza', (stanza) => {
      if (stanza.is('message')) messages.push(stanza.getChildText('body') ?? '');
    });
    const address = await client.start();
    expect(String(address)).toBe(jidOf(alice, 'bot'));
    await client.send(xml('presence'));
    const other = await openChat(bob);
    await client.send(
      xml(
        'message',
        { to: jidOf(bob), type: 'chat', id: `s-${alice.id}` },
        xml('body', {}, 'hé <b>'),
        xml('extraParams', {}, xml('save_to_history', {}, '1')),
      ),
    );
    expect(await other.next()).toContain('<body>hé &lt;b&gt;</body>');
    const { iqCaller } = client;
    expect(
      String(await iqCaller.request(xml('iq', { type: 'get', to: CHAT_DOMAIN }, xml('ping', 'urn:xmpp:ping')), 5_000)),
    ).toContain('result');
    other.send(`<message to="${jid(jidOf(alice))}" type="chat"><body>back</body></message>`);
    await until(() => messages.includes('back'));
    await client.stop();
  });

  test('a standard client whose password is wrong is refused', async () => {
    const [alice] = await createUsers(1);
    const client = startClient(alice, `xmpp://127.0.0.1:${portOf(1)}`, 'wrong');
    await expect(client.start()).rejects.toThrow('not-authorized');
  });
});

describe('the port for WebSockets', () => {
  test('it serves the WebSocket at its root only', async () => {
    const base = `wss://127.0.0.1:${portOf(0)}`;
    const client = new ChatSocket(`${base}/`, { rejectUnauthorized: false });
    await once(client.socket, 'open');
    client.send(OPEN);
    expect(await client.next()).toMatch(/^<open /);
    const refused = new WebSocket(`${base}/graphql`, 'xmpp', { rejectUnauthorized: false });
    refused.on('error', () => {});
    const [, { statusCode }] = await once(refused, 'unexpected-response');
    expect(statusCode).toBe(404);
  });

  test('the certificate is made for the domain, and a changed one is used without a restart', async () => {
    const fingerprint = async () => {
      const socket = connectTls({
        port: portOf(0),
        host: '127.0.0.1',
        servername: CHAT_DOMAIN,
        rejectUnauthorized: false,
      });
      await once(socket, 'secureConnect');
      const certificate = socket.getPeerX509Certificate()!;
      socket.destroy();
      return [certificate.fingerprint256, certificate.checkHost(CHAT_DOMAIN)];
    };
    const [first, name] = await fingerprint();
    expect(name).toBe(CHAT_DOMAIN);
    const file = join(running.dataDir, 'xmpp.pem');
    expect(await readFile(file, 'utf8')).toContain('PRIVATE KEY');
    const { cert, private: key } = await generate([{ name: 'commonName', value: CHAT_DOMAIN }]);
    await writeFile(file, `${key}\n${cert}`);
    await until(async () => (await fingerprint())[0] !== first);
    const secure = await openSecureWire();
    expect((secure.socket as TLSSocket).getPeerX509Certificate()!.fingerprint256).toBe((await fingerprint())[0]);
  });
});
