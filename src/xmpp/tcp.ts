import { createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { SECOND } from '../lib/time.ts';
import type { Noted, Unread } from '../platform/http/unread-responses.ts';
import type { CallingRequest } from '../platform/limits/client-address.ts';
import type { Certificate } from './certificate.ts';
import type { StreamServer } from './server.ts';
import type { XmppStream } from './stream.ts';
import { type Addressed, CLOSE_TIMEOUT_MS, type Wire } from './wire.ts';
import { type Element, NS } from './xml/element.ts';
import { MAX_STANZA_BYTES, StreamParser, XmlError } from './xml/parser.ts';
import { tag, type Xml } from './xml/writer.ts';

/** Silence after which the system checks whether the client still exists. */
const KEEP_ALIVE_MS = 30 * SECOND;

/** XMPP over TCP (RFC 6120) with STARTTLS. */
export function xmppOverTcp(server: StreamServer, certificate: Certificate, unread: Unread): Server {
  const { rateLimits, networkOf } = server.services;
  return createServer({ keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS, noDelay: true }, (socket) => {
    const request = { socket: { remoteAddress: socket.remoteAddress }, headers: {} };
    socket.on('error', () => socket.destroy());
    if (rateLimits?.connections.isFullOfUnauthenticated(networkOf(request))) return void socket.destroy();
    let wire!: TcpWire;
    const stream = server.open((opened) => {
      wire = new TcpWire(socket, { request, certificate, stream: opened });
      return wire;
    });
    unread.note(socket, wire);
    socket.on('close', () => server.closed(stream));
    wire.listen(socket);
  });
}

class TcpWire implements Wire, Noted {
  readonly transport = 'tcp';
  readonly request: CallingRequest;
  isSecure = false;
  readonly #certificate: Certificate;
  readonly #stream: XmppStream;
  /** Encrypted once TLS has started. */
  #socket: Socket;
  #parser = this.#newParser();
  #isStartingTls = false;
  #isEnding = false;

  constructor(
    socket: Socket,
    { request, certificate, stream }: { request: CallingRequest; certificate: Certificate; stream: XmppStream },
  ) {
    this.#socket = socket;
    this.request = request;
    this.#certificate = certificate;
    this.#stream = stream;
  }

  listen(socket: Socket): void {
    socket.on('data', this.#onData);
    socket.on('end', () => this.#stream.ended());
  }

  get isOpen(): boolean {
    return !this.#isEnding && this.#socket.writable;
  }

  get bufferedBytes(): number {
    return this.#socket.writableLength;
  }

  openStream({ from, id }: { from: string; id: string }): void {
    const attributes = { xmlns: NS.client, 'xmlns:stream': NS.stream, from, id, version: '1.0', 'xml:lang': 'en' };
    const element = tag('stream:stream', attributes);
    this.send(`<?xml version="1.0"?>${element.slice(0, -2)}>` as Xml);
  }

  send(element: Xml | Addressed, done?: () => void): void {
    if (this.isOpen) this.#socket.write(element, () => done?.());
    else done?.();
  }

  /** What has arrived unencrypted after the request is dropped: it may be of another sender. */
  startTls(): void {
    this.send(tag('proceed', { xmlns: NS.tls }));
    const plain = this.#socket;
    plain.off('data', this.#onData);
    plain.removeAllListeners('end');
    this.#isStartingTls = true;
    const encrypted = new TLSSocket(plain, { isServer: true, secureContext: this.#certificate.context });
    encrypted.on('error', () => plain.destroy());
    this.#socket = encrypted;
    this.isSecure = true;
    // After the bytes that are being parsed.
    queueMicrotask(() => {
      this.#isStartingTls = false;
      this.#parser = this.#newParser();
      this.listen(encrypted);
    });
  }

  /** The stream restarts after the sign-in. */
  trust(): void {
    this.#parser = this.#newParser();
    this.#parser.maxBytes = MAX_STANZA_BYTES;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Clients do not notice the bare end of a connection. */
  close(): void {
    if (!this.isOpen) return;
    this.#socket.write('</stream:stream>');
    this.#isEnding = true;
    this.#socket.end();
    this.#socket.resume();
    setTimeout(() => this.terminate(), CLOSE_TIMEOUT_MS).unref();
  }

  terminate(): void {
    this.#socket.destroy();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isEnding) return;
    try {
      this.#parser.write(chunk);
    } catch (error) {
      if (!(error instanceof XmlError)) throw error;
      if (!this.#isStartingTls) this.#stream.failed(error.condition);
    }
  };

  #newParser(): StreamParser {
    const unlessStartingTls = (receive: (element: Element) => void) => (element: Element) => {
      if (this.#isStartingTls) this.terminate();
      else receive(element);
    };
    return new StreamParser({
      opened: unlessStartingTls((root) => this.#stream.opened(root)),
      completed: unlessStartingTls((element) => this.#stream.stanza(element)),
      closed: () => this.#stream.ended(),
    });
  }
}
