import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { client as createClient, type XmppClient } from '@xmpp/client';
import { APPLICATION } from '../app/app.ts';
import { until } from '../app/until.ts';
import { CHAT_DOMAIN } from './xmpp.ts';

export const HEADER = `<?xml version='1.0'?><stream:stream to='${CHAT_DOMAIN}' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>`;
export const STARTTLS = '<starttls xmlns="urn:ietf:params:xml:ns:xmpp-tls"/>';
export const PROCEED = '<proceed xmlns="urn:ietf:params:xml:ns:xmpp-tls"/>';

/** Bytes of a TCP client. */
export class ChatWire {
  socket: Socket;
  received = '';
  isClosed = false;
  /** Of what is received, in addition to `received`. */
  onText: (text: string) => void = () => {};

  constructor(socket: Socket) {
    this.socket = socket;
    this.#follow(socket);
  }

  static async open(port: number): Promise<ChatWire> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new ChatWire(socket);
  }

  /** The secure stream, before the sign-in. */
  static async openSecure(port: number): Promise<ChatWire> {
    const wire = await ChatWire.open(port);
    wire.send(HEADER);
    await wire.find('</stream:features>');
    wire.send(STARTTLS);
    await wire.find(PROCEED);
    await wire.secure();
    wire.send(HEADER);
    await wire.find('</stream:features>');
    return wire;
  }

  async secure(): Promise<TLSSocket> {
    this.socket.removeAllListeners('data');
    const socket = connectTls({ socket: this.socket, servername: CHAT_DOMAIN, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    this.socket = socket;
    this.#follow(socket);
    return socket;
  }

  send(text: string): void {
    this.socket.write(text);
  }

  /** Waits for the text, and forgets what precedes it. */
  async find(text: string): Promise<string> {
    await until(() => this.received.includes(text) || this.isClosed);
    const end = this.received.indexOf(text);
    if (end < 0) throw new Error(`closed after ${this.received}`);
    const before = this.received.slice(0, end + text.length);
    this.received = this.received.slice(end + text.length);
    return before;
  }

  #follow(socket: Socket): void {
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.received += text;
      this.onText(text);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.isClosed = true;
    });
  }
}

interface StandardClient {
  id: number;
  service: string;
  secret: string;
  resource?: string;
}

/** A client of the library for the standards, which does not reconnect. */
export function standardClient({ id, service, secret, resource = 'bot' }: StandardClient): XmppClient {
  const client = createClient({
    service,
    domain: CHAT_DOMAIN,
    resource,
    username: `${id}-${APPLICATION.id}`,
    password: secret,
  });
  client.on('error', () => {});
  client.reconnect.stop();
  return client;
}
