import type { Duplex } from 'node:stream';
import { CloseCode, MessageType, type Server } from 'graphql-ws';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import { isPlaceholder } from './shared-text.ts';

/** Answers that may wait for a client to read them; a full page of the longest messages fits in twice. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
/** From here on answers wait for those before them to leave. */
const HIGH_WATER_MARK_BYTES = 64 * 1024;
export const TOO_SLOW = 4429;

type Send = (text: string) => Promise<void> | void;

/** Operations of one socket. */
export interface InFlight {
  /** Ids of those that have begun and are not wound up, also those that the client has cancelled meanwhile. */
  underWay: Set<string>;
  /** Those of them that have one answer, which has not been sent. */
  unanswered: Set<string>;
  /** By id: aborted once the client no longer waits for its answer. Only those whose work ends then are here. */
  waiting: Map<string, AbortController>;
  /** Called whenever none is left unanswered. */
  onAnswered: (() => void) | undefined;
  /** The id of the operation that the present message begins. */
  begins: string | undefined;
  /** Sends a message; a promise when it has to wait for those before it. */
  send: Send;
}

/**
 * Connects a socket to the protocol's server. Unlike the adapter of `graphql-ws` it holds on to neither the upgrade
 * request nor the messages, has no clock for each socket, and tells the log what goes wrong.
 * @param wire what the socket runs over
 */
export function serveConnection<Extra extends InFlight>(
  socket: WebSocket,
  wire: Duplex,
  protocol: Server<Extra>,
  extra: Extra,
  log: Logger,
): void {
  const fail = (error: unknown) => {
    log.error({ err: error }, 'a message of a socket failed');
    socket.close(CloseCode.InternalServerError, 'Internal server error');
  };
  let isGathering = false;
  // What is sent in one turn of the event loop goes to the operating system at once: a call for each would cost most.
  const gather = () => {
    if (isGathering) return;
    isGathering = true;
    wire.cork();
    process.nextTick(() => {
      isGathering = false;
      wire.uncork();
    });
  };
  // Whoever sends much waits until it is with the operating system, so that little of it waits here.
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
          // Whoever is being closed may go on sending and gets nothing for it.
          if (socket.readyState !== socket.OPEN) return;
          boundBuffer(socket);
          const text = String(frame);
          if (isOnlyOurs(text)) return socket.close(CloseCode.BadRequest, 'Invalid message received');
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
  // Frames that are too large or no frames at all: `ws` closes with the code for it.
  socket.on('error', (error) => log.debug({ err: error }, 'a socket broke the rules'));
  socket.once('close', (code, reason) => {
    for (const controller of extra.waiting.values()) controller.abort();
    closed(code, String(reason)).catch((error: unknown) => log.error({ err: error }, 'the end of a socket failed'));
  });
}

/** The controller of an operation in flight. */
export function waitingFor({ waiting }: InFlight, id: string): AbortController {
  const controller = waiting.get(id) ?? new AbortController();
  waiting.set(id, controller);
  return controller;
}

/** Aborts the operation that a `complete` names. The library itself only ends subscriptions. */
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
    return undefined; // the library says what is wrong with it
  }
}

/** Whether a message is one that only services send: the library takes it for a fault of ours. */
function isOnlyOurs(text: string): boolean {
  return /"(?:connection_ack|next|error)"/.test(text) && ONLY_OURS.has(parsed(text)?.type);
}

const ONLY_OURS = new Set<unknown>([MessageType.ConnectionAck, MessageType.Next, MessageType.Error]);

/** Whoever asks and asks without reading the answers is not waited for. */
function boundBuffer(socket: WebSocket): void {
  if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.close(TOO_SLOW, 'Too slow');
}
