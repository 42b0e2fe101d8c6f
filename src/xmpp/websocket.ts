import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { frameOf } from '../graphql/websocket/frames.ts';
import { Heartbeat } from '../graphql/websocket/heartbeat.ts';
import { destroyed, refuseUpgrade } from '../platform/http/refuse-upgrade.ts';
import { hasTwoHosts } from '../platform/http/two-hosts.ts';
import type { Noted, Unread } from '../platform/http/unread-responses.ts';
import type { CallingRequest } from '../platform/limits/client-address.ts';
import type { Requests } from '../platform/observability/requests.ts';
import type { StreamServer } from './server.ts';
import type { XmppStream } from './stream.ts';
import { type Addressed, CLOSE_TIMEOUT_MS, type Wire } from './wire.ts';
import { NS } from './xml/element.ts';
import { MAX_EARLY_STANZA_BYTES, MAX_STANZA_BYTES, parseFrame, XmlError } from './xml/parser.ts';
import { tag, type Xml } from './xml/writer.ts';

const PROTOCOL = 'xmpp';
/** Above the limit of stanzas, which end the stream with an error. */
const MAX_FRAME_BYTES = 2 * MAX_STANZA_BYTES;
/** Clients compare these bytes. */
const CLOSE = `<close xmlns="${NS.framing}" />` as Xml;
const UNSUPPORTED_DATA = 1003;
/** Of a client: flags, length and mask. */
const CONTROL_FRAME_HEAD_BYTES = 6;

/** XMPP over WebSocket (RFC 7395), on any HTTP server. */
export function xmppOverSocket(server: StreamServer, { requests, unread }: { requests: Requests; unread: Unread }) {
  const { services } = server;
  const limit = services.rateLimits?.connections;
  let heartbeat: Heartbeat | undefined;
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    handleProtocols: (protocols) => (protocols.has(PROTOCOL) ? PROTOCOL : false),
  });

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', destroyed); // Node has removed its listener; an unhandled error would crash the process
    if (hasTwoHosts(request) || !offersXmpp(request)) refuseUpgrade(requests, request, socket, 400);
    else if (limit?.isFullOfUnauthenticated(services.networkOf(request))) refuseUpgrade(requests, request, socket, 429);
    else sockets.handleUpgrade(request, socket, head, accept);
  }

  function accept(socket: WebSocket, request: IncomingMessage): void {
    request.socket.off('error', destroyed); // `ws` listens
    heartbeat ??= new Heartbeat();
    heartbeat.add(socket);
    let wire!: SocketWire;
    const stream = server.open((opened) => {
      wire = new SocketWire(socket, request, opened);
      return wire;
    });
    unread.note(request.socket, wire);
    request.socket.prependListener('data', (chunk: Buffer) => wire.received(chunk.length));
    socket.on('message', (data, isBinary) => wire.message(data, isBinary));
    const ofControl = (data: Buffer) => wire.receivedControlFrame(data);
    socket.on('ping', ofControl).on('pong', ofControl);
    socket.on('error', () => stream.failed('policy-violation')); // `ws` closes with the matching code
    socket.on('close', () => {
      heartbeat!.remove(socket);
      server.closed(stream);
    });
  }

  return { upgrade, stop: () => heartbeat?.stop() };
}

function offersXmpp({ headers }: IncomingMessage): boolean {
  const offered = headers['sec-websocket-protocol'] ?? '';
  return offered.split(',').some((name) => name.trim() === PROTOCOL);
}

class SocketWire implements Wire, Noted {
  readonly transport = 'websocket';
  readonly isSecure = true;
  readonly request: CallingRequest;
  /** Received bytes of a frame that is not complete. */
  heldBytes = 0;
  readonly #socket: WebSocket;
  readonly #connection: Duplex;
  readonly #stream: XmppStream;
  #maxBytes = MAX_EARLY_STANZA_BYTES;
  #isGathering = false;

  constructor(socket: WebSocket, { socket: connection, headers }: IncomingMessage, stream: XmppStream) {
    this.#socket = socket;
    this.#connection = connection;
    this.#stream = stream;
    const { remoteAddress } = connection;
    this.request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': headers['x-forwarded-for'] } };
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** Before `ws` handles them, because messages alone would not count fragments. */
  received(bytes: number): void {
    this.heldBytes += bytes;
    if (this.heldBytes <= 2 * this.#maxBytes) return;
    this.#stream.failed('policy-violation');
    this.pause();
  }

  /** Between the fragments of a message, too. */
  receivedControlFrame({ length }: Buffer): void {
    this.heldBytes = Math.max(0, this.heldBytes - CONTROL_FRAME_HEAD_BYTES - length);
  }

  message(data: RawData, isBinary: boolean): void {
    this.heldBytes = 0;
    if (!this.#stream.isOpen) return;
    if (isBinary) return void this.#socket.close(UNSUPPORTED_DATA);
    try {
      const element = parseFrame(String(data), this.#maxBytes);
      if (element.namespace !== NS.framing) this.#stream.stanza(element);
      else if (element.name === 'open') this.#stream.opened(element);
      else this.#stream.ended();
    } catch (error) {
      if (!(error instanceof XmlError)) throw error;
      this.#stream.failed(error.condition);
    }
  }

  openStream({ from, id }: { from: string; id: string }): void {
    this.send(tag('open', { xmlns: NS.framing, from, id, version: '1.0', 'xml:lang': 'en' }));
  }

  send(element: Xml | Addressed, done?: () => void): void {
    if (!this.isOpen) return void done?.();
    this.#gather();
    this.#socket._sender.sendFrame([frameOf(element)], done);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  trust(): void {
    this.#maxBytes = MAX_STANZA_BYTES;
  }

  close(): void {
    if (!this.isOpen) return;
    this.send(CLOSE);
    this.#socket.close();
    this.#socket.resume(); // to receive the close frame of the client
    setTimeout(() => this.terminate(), CLOSE_TIMEOUT_MS).unref();
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** One system call for the stanzas of one turn of the event loop. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#connection.cork();
    if (gathering.push(this) === 1) process.nextTick(sendGathered);
  }

  sendGathered(): void {
    this.#isGathering = false;
    this.#connection.uncork();
  }
}

let gathering: SocketWire[] = [];

function sendGathered(): void {
  const wires = gathering;
  gathering = [];
  for (const wire of wires) wire.sendGathered();
}
