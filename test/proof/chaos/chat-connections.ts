import { type XmlElement, xml } from '@xmpp/client';
import { APPLICATION } from '../../support/app/app.ts';
import { authOf, openChat } from '../../support/clients/xmpp.ts';
import { ChatWire, HEADER, standardClient } from '../../support/clients/xmpp-tcp.ts';
import type { TestUser } from '../../support/fixtures/users.ts';

/** A stream that is signed in and available. */
export interface ChatConnection {
  send: (stanza: XmlElement) => void;
  /** What was received and not taken yet, in order. */
  received: string;
  isClosed: boolean;
  /** It has received something, or has closed. */
  onChange: () => void;
  /** Ends it without a closing element. */
  cut: () => void;
}

/** Where a process serves the chat. */
export interface ChatAddress {
  url: string;
  tcpPort: number;
}

type Connect = (user: TestUser, at: ChatAddress) => Promise<ChatConnection>;

/** With passwords: the processes have the time of the machine, at which the tokens of the tests have expired. */
export const CONNECTIONS: Record<string, Connect> = {
  'bare WebSocket': async (user, { url }) => {
    const chat = await openChat(user, 'phone', { app: { url }, secret: user.password });
    const connection: ChatConnection = {
      send: (stanza) => chat.send(String(stanza)),
      received: chat.frames.join(''),
      isClosed: false,
      onChange: () => {},
      cut: () => chat.socket.terminate(),
    };
    chat.socket.on('message', (data) => add(connection, String(data)));
    chat.socket.on('close', () => close(connection));
    return connection;
  },
  'bare TCP': async (user, { tcpPort }) => {
    const wire = await ChatWire.openSecure(tcpPort);
    wire.send(authOf(`${user.id}-${APPLICATION.id}`, user.password));
    await wire.find('<success xmlns="urn:ietf:params:xml:ns:xmpp-sasl"/>');
    wire.send(`${HEADER}<iq id="b" type="set"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"/></iq><presence/>`);
    await wire.find('<presence');
    const connection: ChatConnection = {
      send: (stanza) => wire.send(String(stanza)),
      received: wire.received,
      isClosed: wire.isClosed,
      onChange: () => {},
      cut: () => wire.socket.destroy(),
    };
    wire.onText = (text) => add(connection, text);
    wire.socket.on('close', () => close(connection));
    return connection;
  },
  'standard WebSocket': (user, { url }) => connectStandard(user, `${url.replace('http', 'ws')}/xmpp`),
  'standard TCP': (user, { tcpPort }) => connectStandard(user, `xmpp://127.0.0.1:${tcpPort}`),
};

async function connectStandard({ id, password }: TestUser, service: string): Promise<ChatConnection> {
  const client = standardClient({ id, service, secret: password });
  const connection: ChatConnection = {
    send: (stanza) => void client.send(stanza).catch(() => {}),
    received: '',
    isClosed: false,
    onChange: () => {},
    cut: () => void client.stop().catch(() => {}),
  };
  client.on('stanza', (stanza) => add(connection, String(stanza)));
  client.on('disconnect', () => close(connection));
  await client.start();
  connection.send(xml('presence'));
  return connection;
}

function add(connection: ChatConnection, text: string): void {
  connection.received += text;
  connection.onChange();
}

function close(connection: ChatConnection): void {
  connection.isClosed = true;
  connection.onChange();
}
