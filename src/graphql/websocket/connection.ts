import type { Duplex } from 'node:stream';
import { CloseCode, MessageType, type Server } from 'graphql-ws';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import { isPlaceholder } from './shared-text.ts';

/** Maximum unread bytes of one client; a page of the longest messages fits twice. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
/** Above this, a message waits until earlier ones are sent. */
const HIGH_WATER_MARK_BYTES = 64 * 1024;
export const TOO_SLOW = 4429;

type Send = (text: string) => Promise<void> | void;

export interface InFlight {
  /** Ids of operations that have begun and not been cleaned up, including cancelled ones. */
  underWay: Set<string>;
  /** Ids of queries and mutations without a response so far. */
  unanswered: Set<string>;
  /** Aborted when the client cancels or disconnects; only operations that react to it. */
  waiting: Map<string, AbortController>;
  onAnswered: (() => void) | undefined;
  /** Id of the operation that the current message starts. */
  begins: string | undefined;
  /** Returns a promise when the message waits for earlier ones. */
  send: Send;
}

/**
 * Connects a socket to the protocol server. Unlike the `ws` adapter of `graphql-ws` it retains neither the upgrade
 * request nor messages, has no timer per socket, and logs errors.
 * @param wire stream below the socket
 */
export function serveConnection<Extra extends InFlight>(
  socket: WebSocket,
  wire: Duplex,
  protocol: Server<Extra>,
  extra: Extra,
  log: Logger,
): void {
  const fail = (error: unknown) => {
    log.error({ err: error }, 'handling a WebSocket message failed; socket closed with 4500');
    socket.close(CloseCode.InternalServerError, 'Internal server error');
  };
  let isGathering = false;
  // Batches the writes of one turn of the event loop, because one system call per message would dominate the cost.
  const gather = () => {
    if (isGathering) return;
    isGathering = true;
    wire.cork();
    process.nextTick(() => {
      isGathering = false;
      wire.uncork();
    });
  };
  // Backpressure: large senders wait until the data is with the operating system.
  extra.send = (text) => {
    if (socket.readyState !== socket.OPEN) return;
    gather();
    if (socket.bufferedAmount < HIGH_WATER_MARK_BYTES) return socket.send(text);
    boundBuffer(socket);
    return new Promise((resolve) => socket.send(text, () => resolve()));
  };
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) => (isPlaceholder(text) ? undefined : extra.send(text)),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (take) => {
        socket.on('message', (frame) => {
          if (socket.readyState !== socket.OPEN) return;
          boundBuffer(socket);
          const text = String(frame);
          if (isServerMessage(text)) return socket.close(CloseCode.BadRequest, 'Invalid message received');
          cancelIn(text, extra);
          const taken = take(text);
          const id = extra.begins;
          extra.begins = undefined;
          void taken.catch(fail).finally(() => {
            if (id === undefined) return;
            extra.underWay.delete(id);
            extra.unanswered.delete(id);
            extra.waiting.delete(id);
            if (extra.unanswered.size === 0) extra.onAnswered?.();
          });
        });
      },
    },
    extra,
  );
  socket.on('ping', () => boundBuffer(socket));
  // Invalid or too large frames: `ws` closes with the matching code.
  socket.on('error', (error) => log.debug({ err: error }, 'invalid WebSocket frame from a client; socket closed'));
  socket.once('close', (code, reason) => {
    for (const controller of extra.waiting.values()) controller.abort();
    closed(code, String(reason)).catch((error: unknown) =>
      log.error({ err: error }, 'cleanup of a closed socket failed'),
    );
  });
}

export function waitingFor({ waiting }: InFlight, id: string): AbortController {
  const controller = waiting.get(id) ?? new AbortController();
  waiting.set(id, controller);
  return controller;
}

/** graphql-ws itself cancels only subscriptions. */
function cancelIn(text: string, extra: InFlight): void {
  if (extra.underWay.size === 0 || !text.includes('"complete"')) return;
  const { type, id } = parsed(text) ?? {};
  if (type === MessageType.Complete && typeof id === 'string' && extra.underWay.has(id)) {
    waitingFor(extra, id).abort();
  }
}

function parsed(text: string): { type?: unknown; id?: unknown } | null | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // graphql-ws reports the invalid message
  }
}

/** Only servers send these types; graphql-ws would treat them as an internal error. */
function isServerMessage(text: string): boolean {
  return /"(?:connection_ack|next|error)"/.test(text) && SERVER_MESSAGES.has(parsed(text)?.type);
}

const SERVER_MESSAGES = new Set<unknown>([MessageType.ConnectionAck, MessageType.Next, MessageType.Error]);

/** Disconnects clients that send without reading. */
function boundBuffer(socket: WebSocket): void {
  if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.close(TOO_SLOW, 'Too slow');
}
