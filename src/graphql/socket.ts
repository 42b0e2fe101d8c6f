import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, makeServer, type Context as SocketContext } from 'graphql-ws';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Context, Services } from '../context.ts';
import { isDatabaseAway } from '../db/failures.ts';
import { type Credentials, readCredentials } from '../lib/credentials.ts';
import { BadInputError, UnauthenticatedError } from '../lib/errors.ts';
import { SECOND } from '../lib/time.ts';
import type { CallingRequest } from '../limits/rate-limits.ts';
import { callerOf, type Requests } from '../observe/requests.ts';
import { createLoaders } from '../resolvers/loaders.ts';
import { authenticate } from '../resolvers/sessions/authenticate.ts';
import { schema } from '../schema/index.ts';
import { converse, TOO_SLOW, type UnderWay } from './conversation.ts';
import { dismiss, dismissWithin, sayGoodbye } from './dismiss.ts';
import { prepareDocument, variableProblem } from './documents.ts';
import { execute } from './execute.ts';
import { followCredentials } from './follow-credentials.ts';
import { Heartbeat } from './heartbeat.ts';
import { askedOperation } from './operations.ts';
import { schemaOfDocument } from './schema-of-document.ts';
import { SharedText } from './shared-text.ts';
import { shownError } from './shown-errors.ts';
import { SocketPlaces } from './socket-places.ts';
import { subscribe } from './subscribe.ts';
import { tracedExecution } from './traced-execution.ts';

const MAX_FRAME_BYTES = 1024 * 1024;
const MAX_OPERATIONS = 100;
/** How long clients may take to answer the close of a service that stops. */
const FAREWELL = SECOND;
const TRY_AGAIN_LATER = 1013;
/** Sockets of one user, on one process. */
const MAX_SOCKETS = 100;
const TOO_MANY_SOCKETS = 4429;

interface SocketExtra extends UnderWay {
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

type Connection = SocketContext<Record<string, unknown>, SocketExtra>;

/** GraphQL over WebSocket (`graphql-transport-ws`) at `/graphql`. A socket lives no longer than its credentials. */
export function graphqlOverSocket(
  server: Server,
  services: Services,
  { tokenHeaders, requests }: { tokenHeaders: readonly string[]; requests: Requests },
) {
  const heartbeat = new Heartbeat();
  const open = new Map<WebSocket, SocketExtra>();
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    handleProtocols: (protocols) =>
      protocols.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) ? GRAPHQL_TRANSPORT_WS_PROTOCOL : false,
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', destroy); // Node listens no more, and unheard it would end the process
    if (request.url?.split('?')[0] !== '/graphql') {
      requests.tellRefused(request, 404);
      socket.once('finish', destroy); // nobody reads it, so it would not notice that its client has gone, either
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      heartbeat.add(accepted);
      const extra = newExtra(accepted, request);
      services.observer.socketOpened();
      open.set(accepted, extra);
      accepted.once('close', (code) => {
        open.delete(accepted);
        tellClosed(extra, code, services.log);
      });
      converse(accepted, socket, protocol, extra, logOf(extra, services));
    });
  });

  const places = new SocketPlaces(MAX_SOCKETS);
  const accept = async (connection: Connection): Promise<boolean> => {
    const credentials = readCredentials(payloadReader(connection.connectionParams), tokenHeaders);
    const viewer = await authenticate(credentials, services);
    if (viewer.kind === 'anonymous' || viewer.kind === 'refused') return false; // closes with 4403
    connection.extra.caller = callerOf(viewer);
    if (services.rateLimits) {
      const leave = places.take(viewer);
      if (!leave) {
        close(connection, TOO_MANY_SOCKETS, 'Too many sockets');
        return false;
      }
      connection.extra.leave = leave;
      if (!isOpen(connection)) leave();
    }
    if (viewer.kind === 'user') {
      connection.extra.disconnect = services.presence.connect(viewer);
      if (!isOpen(connection)) connection.extra.disconnect();
    }
    connection.extra.credentials = credentials;
    const release = await followCredentials(viewer, services, () =>
      close(connection, CloseCode.Forbidden, 'Forbidden'),
    );
    connection.extra.release = release;
    if (!isOpen(connection)) release();
    else logOf(connection.extra, services).info(connection.extra.caller, 'socket opened');
    return isOpen(connection);
  };
  const protocol = makeServer<Record<string, unknown>, SocketExtra>({
    schema,
    execute: (args: ExecutionArgs) => tracedExecution(args, () => execute(args), OF_MESSAGE),
    subscribe: (args: ExecutionArgs) => tracedExecution(args, () => subscribe(args), OF_MESSAGE),
    onConnect: async (connection) => {
      try {
        return await accept(connection);
      } catch (error) {
        shownError(error, logOf(connection.extra, services));
        // Clients come back by themselves only after the former.
        if (isDatabaseAway(error)) close(connection, TRY_AGAIN_LATER, 'Service unavailable');
        else close(connection, CloseCode.InternalServerError, 'Internal server error');
        return false;
      }
    },
    onDisconnect: (connection) => {
      connection.extra.release?.();
    },
    // Unlike `onDisconnect` it comes also for those who leave before they are let in.
    onClose: ({ extra }) => {
      extra.leave?.();
      extra.disconnect?.();
    },
    onSubscribe: async (connection, id, { query, variables, operationName }) => {
      connection.extra.operations++;
      const refusal = begin(connection, id);
      if (refusal) return [refusal];
      const viewer = await authenticate(connection.extra.credentials!, services).catch(asGraphQLError);
      if (viewer instanceof GraphQLError) return [viewer];
      if (viewer.kind === 'anonymous' || viewer.kind === 'refused') {
        close(connection, CloseCode.Forbidden, 'Forbidden');
        return [viewer.kind === 'refused' ? viewer.reason : new UnauthenticatedError('Token is required')];
      }
      const meter = services.rateLimits?.meter(connection.extra.request, viewer);
      const schema = await schemaOfDocument(query, () => viewer, services.log).catch(asGraphQLError);
      if (schema instanceof GraphQLError) return [schema];
      const problem = variableProblem(query, variables, schema);
      const prepared = prepareDocument(query, schema);
      if (problem || prepared.errors) services.observer.documentRefused();
      if (problem || prepared.errors || prepared.introspects) {
        const exceeded = await meter?.count('default').catch(asGraphQLError);
        if (exceeded) return [exceeded];
      }
      if (problem) return [problem];
      if (prepared.errors) return prepared.errors;
      const { document } = prepared;
      const asked = askedOperation(document, operationName);
      if (asked?.type === 'subscription') connection.extra.unanswered.delete(id);
      tellOperation(connection.extra, asked, services.log);
      const contextValue: Context = {
        ...services,
        viewer,
        meter,
        loaders: createLoaders(viewer),
        onTooSlow: () => close(connection, TOO_SLOW, 'Too slow'),
      };
      return { schema, document, variableValues: variables, operationName, contextValue };
    },
    onNext: ({ extra }, _id, _payload, _args, result) =>
      new SharedText(result, (shared) => masked(shared, logOf(extra, services))) as ExecutionResult,
    onError: ({ extra }, _id, _payload, errors) =>
      errors.map((error) => shownError(error, logOf(extra, services)).toJSON()),
  });

  return {
    /** Sockets that are open now. */
    count: (): number => open.size,
    /** Closes those sockets that are open now with 1001, evenly over so many milliseconds. */
    closeWithin: (milliseconds: number) => dismissWithin(open, milliseconds),
    /** Closes all sockets with 1001, as soon as what they have asked is answered, at the latest after so many milliseconds. */
    async stop(patience: number): Promise<void> {
      heartbeat.stop();
      const closed = new Promise((resolve) => sockets.close(resolve));
      const dismissed = Promise.all([...open].map(([socket, extra]) => dismiss(socket, extra)));
      await Promise.race([dismissed, pause(patience, undefined, { ref: false })]);
      const hurry = setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate();
      }, FAREWELL).unref();
      for (const socket of sockets.clients) sayGoodbye(socket);
      await closed;
      clearTimeout(hurry);
    },
  };
}

function destroy(this: Duplex): void {
  this.destroy();
}

/** Without the request itself, which would be kept as long as the socket. */
function newExtra(socket: WebSocket, { socket: { remoteAddress }, headers }: IncomingMessage): SocketExtra {
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
    onAnswered: undefined,
    begins: undefined,
  };
}

/** A message of a socket is a trace of its own: the upgrade request is long over. */
const OF_MESSAGE = { kind: 'server', isRoot: true } as const;

/** Names the socket with what goes wrong on it. */
function logOf({ id }: SocketExtra, { log }: Pick<Services, 'log'>): Logger {
  return log.child({ socketId: id });
}

function tellOperation(
  { id: socketId, caller }: SocketExtra,
  asked: ReturnType<typeof askedOperation>,
  log: Logger,
): void {
  if (!log.isLevelEnabled('debug') || !asked) return;
  const { type, name: operation, fields } = asked;
  // Its id is not told: it is the client's own text, and may be anything.
  log.debug({ socketId, ...caller, type, operation, fields }, 'operation');
}

function tellClosed({ id: socketId, openedAt, caller, operations }: SocketExtra, code: number, log: Logger): void {
  const seconds = Math.round((performance.now() - openedAt) / 1000);
  log.info({ socketId, ...caller, code, seconds, operations }, 'socket closed');
}

/** Takes an operation in, or says why not. */
function begin({ extra }: Connection, id: string): BadInputError | undefined {
  // One that the client has cancelled is still being wound up: the library would mix the two up.
  if (extra.underWay.has(id)) {
    extra.socket.close(CloseCode.SubscriberAlreadyExists, `Subscriber for ${id} already exists`);
    return new BadInputError('The operation exists already');
  }
  if (extra.underWay.size >= MAX_OPERATIONS) {
    return new BadInputError(`A socket may have at most ${MAX_OPERATIONS} operations under way`);
  }
  extra.underWay.add(id);
  extra.unanswered.add(id);
  extra.begins = id;
  return undefined;
}

function isOpen({ extra }: Connection): boolean {
  return extra.socket.readyState === extra.socket.OPEN;
}

function close({ extra }: Connection, code: number, reason: string): void {
  extra.socket.close(code, reason);
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

function masked(result: ExecutionResult, log: Logger): ExecutionResult {
  if (!result.errors) return result;
  return { ...result, errors: result.errors.map((error) => shownError(error, log)) };
}
