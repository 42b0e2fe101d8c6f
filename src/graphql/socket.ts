import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionResult, execute, GraphQLError } from 'graphql';
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, type Context as SocketContext } from 'graphql-ws';
import { type Extra, useServer } from 'graphql-ws/use/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Context, Services } from '../context.ts';
import { type Credentials, readCredentials } from '../lib/credentials.ts';
import { BadInputError, UnauthenticatedError } from '../lib/errors.ts';
import { SECOND } from '../lib/time.ts';
import { createLoaders } from '../resolvers/loaders.ts';
import { authenticate } from '../resolvers/sessions/authenticate.ts';
import { schema } from '../schema/index.ts';
import { prepareDocument, variableProblem } from './documents.ts';
import { followCredentials } from './follow-credentials.ts';
import { shownError } from './shown-errors.ts';
import { SocketPlaces } from './socket-places.ts';
import { subscribe } from './subscribe.ts';

const MAX_FRAME_BYTES = 1024 * 1024;
const MAX_OPERATIONS = 100;
/** Answers that may wait for a client to read them; a full page of the longest messages fits in twice. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
/** How long clients may take to answer the close of a service that stops. */
const FAREWELL = SECOND;
const TOO_SLOW = 4429;
/** Sockets of one user, on one process. */
const MAX_SOCKETS = 100;
const TOO_MANY_SOCKETS = 4429;

interface SocketExtra extends Record<PropertyKey, unknown> {
  credentials?: Credentials;
  /** Stops waiting for the end of the credentials. */
  release?: () => void;
  /** Gives the socket's place back. */
  leave?: () => void;
}

type Connection = SocketContext<Record<string, unknown>, Extra & SocketExtra>;

/** GraphQL over WebSocket (`graphql-transport-ws`) at `/graphql`. A socket lives no longer than its credentials. */
export function graphqlOverSocket(server: Server, services: Services, tokenHeaders: readonly string[]) {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    handleProtocols: (protocols) =>
      protocols.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) ? GRAPHQL_TRANSPORT_WS_PROTOCOL : false,
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.url?.split('?')[0] !== '/graphql') {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      boundBuffer(accepted);
      sockets.emit('connection', accepted, request);
    });
  });

  const places = new SocketPlaces(MAX_SOCKETS);
  const accept = async (connection: Connection): Promise<boolean> => {
    const credentials = readCredentials(payloadReader(connection.connectionParams), tokenHeaders);
    const viewer = await authenticate(credentials, services);
    if (viewer.kind === 'anonymous' || viewer.kind === 'refused') return false; // closes with 4403
    if (services.rateLimits) {
      const leave = places.take(viewer);
      if (!leave) {
        close(connection, TOO_MANY_SOCKETS, 'Too many sockets');
        return false;
      }
      connection.extra.leave = leave;
      if (!isOpen(connection)) leave();
    }
    connection.extra.credentials = credentials;
    const release = await followCredentials(viewer, services, () =>
      close(connection, CloseCode.Forbidden, 'Forbidden'),
    );
    connection.extra.release = release;
    if (!isOpen(connection)) release();
    return isOpen(connection);
  };
  const graphql = useServer<Record<string, unknown>, SocketExtra>(
    {
      schema,
      execute,
      subscribe,
      isProd: true, // else the reason of a close would show what went wrong inside
      onConnect: async (connection) => {
        try {
          return await accept(connection);
        } catch (error) {
          shownError(error, services.log);
          close(connection, CloseCode.InternalServerError, 'Internal server error');
          return false;
        }
      },
      onDisconnect: (connection) => {
        connection.extra.release?.();
      },
      // Unlike `onDisconnect` it comes also for those who leave before they are let in.
      onClose: ({ extra }) => extra.leave?.(),
      onSubscribe: async (connection, _id, { query, variables, operationName }) => {
        if (Object.keys(connection.subscriptions).length > MAX_OPERATIONS) {
          return [new BadInputError(`A socket may have at most ${MAX_OPERATIONS} operations under way`)];
        }
        const viewer = await authenticate(connection.extra.credentials!, services).catch(asGraphQLError);
        if (viewer instanceof GraphQLError) return [viewer];
        if (viewer.kind === 'anonymous' || viewer.kind === 'refused') {
          close(connection, CloseCode.Forbidden, 'Forbidden');
          return [viewer.kind === 'refused' ? viewer.reason : new UnauthenticatedError('Token is required')];
        }
        const meter = services.rateLimits?.meter(connection.extra.request, viewer);
        const problem = variableProblem(query, variables);
        const prepared = prepareDocument(query);
        if (problem || prepared.errors || prepared.introspects) {
          const exceeded = await meter?.count('default').catch(asGraphQLError);
          if (exceeded) return [exceeded];
        }
        if (problem) return [problem];
        if (prepared.errors) return prepared.errors;
        const contextValue: Context = {
          ...services,
          viewer,
          meter,
          loaders: createLoaders(viewer),
          onTooSlow: () => close(connection, TOO_SLOW, 'Too slow'),
        };
        return { schema, document: prepared.document, variableValues: variables, operationName, contextValue };
      },
      onNext: (_connection, _id, _payload, _args, result) => masked(result, services),
      onError: (_connection, _id, _payload, errors) => errors.map((error) => shownError(error, services.log).toJSON()),
    },
    sockets,
  );

  return {
    /** Closes all sockets with 1001. */
    async stop(): Promise<void> {
      const hurry = setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate();
      }, FAREWELL).unref();
      await graphql.dispose();
      clearTimeout(hurry);
    },
  };
}

/** Whoever asks and asks without reading the answers is not waited for. */
function boundBuffer(socket: WebSocket): void {
  const check = () => {
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.close(TOO_SLOW, 'Too slow');
  };
  socket.on('message', check);
  socket.on('ping', check);
}

function isOpen({ extra }: Connection): boolean {
  return extra.socket.readyState === extra.socket.OPEN;
}

function close({ extra }: Connection, code: number, reason: string): void {
  const socket: WebSocket = extra.socket;
  socket.close(code, reason);
}

/** `connection_init` carries the headers as a payload; letter case ignored. */
function payloadReader(payload: Readonly<Record<string, unknown>> | undefined): (name: string) => unknown {
  const values = new Map(Object.entries(payload ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = values.get(name.toLowerCase());
    return typeof value === 'number' ? String(value) : value;
  };
}

/** A fault as something that a hook may answer; `onError` masks it. */
function asGraphQLError(fault: Error): GraphQLError {
  if (fault instanceof GraphQLError) return fault;
  return new GraphQLError('Internal server error', { originalError: fault });
}

function masked(result: ExecutionResult, { log }: Services): ExecutionResult | undefined {
  if (!result.errors) return undefined;
  return { ...result, errors: result.errors.map((error) => shownError(error, log)) };
}
