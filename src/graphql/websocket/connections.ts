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

export interface SocketExtra extends InFlight {
  socket: WebSocket;
  id: string;
  openedAt: number;
  caller: Record<string, number>;
  operations: number;
  /** The parts of the upgrade request that rate limits need. */
  request: CallingRequest;
  credentials?: Credentials;
  release?: () => void;
  /** Releases the place in the socket limit. */
  leave?: () => void;
  /** Decrements the presence count of the user. */
  disconnect?: () => void;
}

export type Connection = SocketContext<Record<string, unknown>, SocketExtra>;

/** Copies the needed headers, because the request would be retained as long as the socket. */
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
  // Omits the operation id, because it is arbitrary client text.
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
