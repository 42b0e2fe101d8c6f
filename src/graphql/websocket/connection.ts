import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { CloseCode, MessageType } from 'graphql-ws';
import type { Logger } from 'pino';
import { WebSocket } from 'ws';
import type { Services } from '../../context.ts';
import { isSameSession, type KnownViewer, type Viewer } from '../../lib/access.ts';
import type { Credentials } from '../../lib/credentials.ts';
import { SECOND } from '../../lib/time.ts';
import type { CallingRequest } from '../../platform/limits/client-address.ts';
import { callerOf } from '../../platform/observability/requests.ts';
import type { ConsolePage } from '../console-cookie.ts';
import type { requestedOperation } from '../operations.ts';
import type { SubscriptionResults } from '../subscribe.ts';
import { frameOf } from './frames.ts';

/** Maximum unread bytes of one client; a page of the longest messages fits twice. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
/** The same before `connection_ack`, and the bytes that the client may send until then, like headers of HTTP. */
const MAX_EARLY_BYTES = 16 * 1024;
/** Time for a client without `connection_ack` to confirm the close frame. */
const CLOSE_TIMEOUT_MS = SECOND;
/** Of a client: flags, length and mask. */
const CONTROL_FRAME_HEAD_BYTES = 6;
/** Above this, a message waits until earlier ones are sent. */
const HIGH_WATER_MARK_BYTES = 64 * 1024;
export const TOO_SLOW = 4429;
export const MESSAGE_TOO_BIG = 1009;

/** Refers to its connection, so that all sockets share their listeners. */
export class ServerSocket extends WebSocket {
  connection: SocketConnection | undefined;
}

export function connectionOf(socket: WebSocket): SocketConnection {
  return (socket as ServerSocket).connection!;
}

export class SocketOperation {
  readonly id: string;
  /** The client has cancelled it or disconnected. */
  isCancelled = false;
  /** A query or mutation; a drained socket waits for its response. */
  isAwaited = true;
  stream: SubscriptionResults | undefined;
  /** Only if the operation reacts to cancellation. */
  #left: AbortController | undefined;

  constructor(id: string) {
    this.id = id;
  }

  get callerLeft(): AbortSignal {
    this.#left ??= new AbortController();
    if (this.isCancelled) this.#left.abort();
    return this.#left.signal;
  }

  cancel(): void {
    this.isCancelled = true;
    this.#left?.abort();
    void this.stream?.return();
  }
}

/**
 * A socket with its caller and operations. Ten thousand of them are idle, so it has few objects of its own: no
 * listeners, log child or upgrade request, and no timer once it is initialized. Its lists grow by `concat`, because `push`
 * reserves space for 16 more.
 */
export class SocketConnection {
  readonly socket: ServerSocket;
  /** Stream below the socket. */
  readonly #wire: Duplex;
  readonly id = randomUUID();
  readonly openedAt = performance.now();
  /** The parts of the upgrade request that rate limits need. */
  readonly request: CallingRequest;
  /** Until it is cleaned up, including cancelled ones. */
  operations: readonly SocketOperation[] = [];
  operationCount = 0;
  /** Set if a page of the console opened the socket. */
  consolePage: ConsolePage | undefined;
  /** Who initialized the connection. */
  viewer: KnownViewer | undefined;
  credentials: Credentials | undefined;
  state: 'open' | 'initializing' | 'acknowledged' = 'open';
  /** Called at `connection_ack`, or when the socket has closed before. */
  onInitialized: (() => void) | undefined;
  /** Called when no query or mutation remains. */
  onAnswered: (() => void) | undefined;
  #cleanups: readonly (() => void)[] = [];
  #isGathering = false;
  /** Until `connection_init`, or until the end of a client without `connection_ack`. */
  #timer: NodeJS.Timeout | undefined;
  /** Received bytes of frames that do not complete a message yet. */
  heldBytes = 0;
  #receivedBytes = 0;

  constructor(socket: ServerSocket, { socket: wire, headers }: IncomingMessage) {
    this.socket = socket;
    this.#wire = wire;
    const { remoteAddress } = wire;
    this.request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': headers['x-forwarded-for'] } };
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  get isAnswered(): boolean {
    return !this.operations.some(({ isAwaited }) => isAwaited);
  }

  /** Closes the socket of a client that does not initialize the connection, or sends much before `connection_ack`. */
  limitUntilAcknowledged(timeoutMs: number): void {
    const close = () => {
      if (this.state === 'open') {
        this.close(CloseCode.ConnectionInitialisationTimeout, 'Connection initialisation timeout');
      }
    };
    // A busy process first reads what has arrived in the meantime.
    this.#timer = setTimeout(() => setImmediate(close), timeoutMs);
  }

  /** Before `ws` handles them. Messages alone would not count fragments. */
  received(bytes: number): void {
    this.heldBytes += bytes;
    this.#receivedBytes += bytes;
    if (this.state === 'acknowledged' || this.#receivedBytes <= MAX_EARLY_BYTES) return;
    this.close(MESSAGE_TOO_BIG, 'Message too big');
    this.socket.pause();
  }

  /** Control frames can be between the fragments of a message. */
  receivedControlFrame({ length }: Buffer): void {
    this.heldBytes = Math.max(0, this.heldBytes - CONTROL_FRAME_HEAD_BYTES - length);
  }

  stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  acknowledge(): void {
    this.state = 'acknowledged';
    this.onInitialized?.();
    this.onInitialized = undefined;
    this.send({ type: MessageType.ConnectionAck });
  }

  close(code: number, reason: string): void {
    if (!this.isOpen) return;
    this.socket.close(code, reason);
    if (this.state === 'acknowledged') return;
    this.stopTimer();
    this.#timer = setTimeout(() => this.socket.terminate(), CLOSE_TIMEOUT_MS);
  }

  /** Runs when the socket has closed, also if it already has. */
  onClosed(cleanup: () => void): void {
    if (this.isOpen) this.#cleanups = this.#cleanups.concat(cleanup);
    else cleanup();
  }

  closed(): void {
    this.stopTimer();
    this.onInitialized?.();
    for (const operation of this.operations) operation.cancel();
    for (const cleanup of this.#cleanups) cleanup();
  }

  /** @returns the retained object for the same session, so that subscriptions do not retain one each */
  recognize(viewer: Viewer): Viewer {
    return this.viewer && isSameSession(this.viewer, viewer) ? this.viewer : viewer;
  }

  begin(operation: SocketOperation): void {
    this.operations = this.operations.concat(operation);
  }

  /** @returns undefined also for a cancelled operation, whose id may be used again */
  findOperation(id: string): SocketOperation | undefined {
    return this.operations.find((operation) => operation.id === id && !operation.isCancelled);
  }

  end(operation: SocketOperation): void {
    this.operations = this.operations.filter((one) => one !== operation);
    if (this.onAnswered && this.isAnswered) this.onAnswered();
  }

  send(message: object): Promise<void> | undefined {
    return this.write(frameOf(JSON.stringify(message)), false);
  }

  /**
   * Gives the frame to the sender of `ws`, whose `send` would encode it for each socket.
   * @param hasMore more follow: gathers the writes of one turn of the event loop into one system call
   * @returns a promise when the sender should wait for the client to read
   */
  write(frame: Buffer, hasMore: boolean): Promise<void> | undefined {
    if (!this.isOpen) return undefined;
    if (hasMore) this.#gather();
    if (this.socket.bufferedAmount < HIGH_WATER_MARK_BYTES) {
      this.socket._sender.sendFrame([frame]);
      return undefined;
    }
    this.boundBuffer();
    if (!this.isOpen) return undefined;
    return new Promise((resolve) => this.socket._sender.sendFrame([frame], () => resolve()));
  }

  /** Disconnects clients that send without reading. */
  boundBuffer(): void {
    const max = this.state === 'acknowledged' ? MAX_BUFFERED_BYTES : MAX_EARLY_BYTES;
    if (this.socket.bufferedAmount > max) this.close(TOO_SLOW, 'Too slow');
  }

  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#wire.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      this.#wire.uncork();
    });
  }

  get caller(): Record<string, number> {
    return this.viewer ? callerOf(this.viewer) : {};
  }

  logTo({ log }: Pick<Services, 'log'>): Logger {
    return log.child({ socketId: this.id });
  }

  reportOperation(operation: ReturnType<typeof requestedOperation>, log: Logger): void {
    if (!log.isLevelEnabled('debug') || !operation) return;
    const { type, name, fields } = operation;
    // Omits the operation id, because it is arbitrary client text.
    log.debug({ socketId: this.id, ...this.caller, type, operation: name, fields }, 'operation');
  }

  reportClosed(code: number, log: Logger): void {
    const seconds = Math.round((performance.now() - this.openedAt) / 1000);
    log.info({ socketId: this.id, ...this.caller, code, seconds, operations: this.operationCount }, 'socket closed');
  }
}
