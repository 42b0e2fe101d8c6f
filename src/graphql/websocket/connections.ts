import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Context as SocketContext } from 'graphql-ws';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Services } from '../../context.ts';
import type { Credentials } from '../../lib/credentials.ts';
import type { CallingRequest } from '../../server/limits/client-address.ts';
import type { requestedOperation } from '../operations.ts';
import type { InFlight } from './connection.ts';

/** One open socket, with what is known of it. */
export interface SocketExtra extends InFlight {
  socket: WebSocket;
  /** Names the socket in the log. */
  id: string;
  openedAt: number;
  /** What the log says of who has opened it. */
  caller: Record<string, number>;
  /** How many operations it has begun. */
  operations: number;
  /** What rate limits have to know of the upgrade request. */
  request: CallingRequest;
  credentials?: Credentials;
  /** Stops waiting for the end of the credentials. */
  release?: () => void;
  /** Gives the socket's place back. */
  leave?: () => void;
  /** The user has one socket less. */
  disconnect?: () => void;
}

/** The same as the protocol's library hands it out. */
export type Connection = SocketContext<Record<string, unknown>, SocketExtra>;

/** Without the request itself, which would be kept as long as the socket. */
export function newExtra(socket: WebSocket, { socket: { remoteAddress }, headers }: IncomingMessage): SocketExtra {
  const request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': headers['x-forwarded-for'] } };
  const id = randomUUID();
  return {
    socket,
    id,
    openedAt: performance.now(),
    caller: {},
    operations: 0,
    request,
    underWay: new Set(),
    unanswered: new Set(),
    waiting: new Map(),
    onAnswered: undefined,
    begins: undefined,
    send: () => undefined,
  };
}

export function isOpen({ extra }: Connection): boolean {
  return extra.socket.readyState === extra.socket.OPEN;
}

export function close({ extra }: Connection, code: number, reason: string): void {
  extra.socket.close(code, reason);
}

/** Names the socket with what goes wrong on it. */
export function logOf({ id }: SocketExtra, { log }: Pick<Services, 'log'>): Logger {
  return log.child({ socketId: id });
}

export function reportOperation(
  { id: socketId, caller }: SocketExtra,
  operation: ReturnType<typeof requestedOperation>,
  log: Logger,
): void {
  if (!log.isLevelEnabled('debug') || !operation) return;
  const { type, name, fields } = operation;
  // Its id is not told: it is the client's own text, and may be anything.
  log.debug({ socketId, ...caller, type, operation: name, fields }, 'operation');
}

export function reportClosed(
  { id: socketId, openedAt, caller, operations }: SocketExtra,
  code: number,
  log: Logger,
): void {
  const seconds = Math.round((performance.now() - openedAt) / 1000);
  log.info({ socketId, ...caller, code, seconds, operations }, 'socket closed');
}
