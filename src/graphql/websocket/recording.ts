import type { GraphQLError } from 'graphql';
import type { Services } from '../../context.ts';
import type { Viewer } from '../../lib/access.ts';
import type { NotedError } from '../../platform/observability/request-errors.ts';
import type { RecordList } from '../../platform/observability/request-facts.ts';
import type { RequestedOperation } from '../operations.ts';
import type { SocketConnection } from './connection.ts';

export interface RecordedOperation {
  viewer: Viewer | undefined;
  requested: RequestedOperation | undefined;
  errors: readonly NotedError[] | undefined;
  /** Undefined for streams, whose duration says nothing. */
  ms: number | undefined;
  isCutOff?: boolean;
  /** Called only for recorded operations. */
  bytes?: () => number;
  list?: RecordList | undefined;
  /** Default: GraphQL over WebSocket. */
  transport?: keyof typeof ROUTES;
}

const ROUTES = { websocket: '/graphql', xmpp: '/xmpp' } as const;

/** Counts an operation of a socket or a chat stream, and adds it to the request log if it has failed or was slow. */
export function recordOperation(
  { id, request }: Pick<SocketConnection, 'id' | 'request'>,
  { viewer, requested, errors, ms, isCutOff = false, bytes, list, transport = 'websocket' }: RecordedOperation,
  { requestLog, networkOf }: Services,
): void {
  const isOpenEnded = ms === undefined;
  requestLog.count({ facts: { viewer, errors, isOpenEnded }, ms: ms ?? 0, httpStatus: null });
  if (!errors && !(ms !== undefined && ms >= requestLog.slowMs)) return;
  const { name: operation, fields = [] } = requested ?? {};
  requestLog.add({
    facts: { id, route: ROUTES[transport], viewer, operation, fields, errors, isOpenEnded, list },
    ms: ms ?? 0,
    transport,
    method: null,
    url: null,
    httpStatus: null,
    isCutOff,
    network: networkOf(request),
    userAgent: null,
    responseBytes: bytes?.() ?? null,
  });
}

/** A socket whose `connection_init` was refused. */
export function recordRefusedSocket(
  connection: SocketConnection,
  error: GraphQLError,
  viewer: Viewer | undefined,
  services: Services,
): void {
  recordOperation(connection, { viewer, requested: undefined, errors: [error], ms: undefined }, services);
}
