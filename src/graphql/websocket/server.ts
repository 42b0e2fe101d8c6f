import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL, makeServer } from 'graphql-ws';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Services } from '../../context.ts';
import { SECOND } from '../../lib/time.ts';
import { schema } from '../../schema/index.ts';
import type { Requests } from '../../server/observability/requests.ts';
import { execute } from '../execute.ts';
import { presentError } from '../presented-errors.ts';
import { subscribe } from '../subscribe.ts';
import { tracedExecution } from '../traced-execution.ts';
import { SocketAuthentication } from './authentication.ts';
import { serveConnection } from './connection.ts';
import { logOf, newExtra, reportClosed, type SocketExtra } from './connections.ts';
import { closeGoingAway, drain, drainWithin } from './drain.ts';
import { Heartbeat } from './heartbeat.ts';
import { prepareOperation } from './operations.ts';
import { nextMessage, SENT, textOf } from './shared-text.ts';

const MAX_FRAME_BYTES = 1024 * 1024;
/** Time for clients to confirm the close frame during shutdown. */
const CLOSE_TIMEOUT_MS = SECOND;

/** GraphQL over WebSocket (`graphql-transport-ws`) at `/graphql`. A socket closes when its credentials end. */
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
    socket.on('error', destroy); // Node has removed its listener; an unhandled error would crash the process
    if (request.url?.split('?')[0] !== '/graphql') {
      requests.reportRefused(request, 404);
      socket.once('finish', destroy); // without a reader it would not detect that the client has disconnected
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
        reportClosed(extra, code, services.log);
      });
      serveConnection(accepted, socket, protocol, extra, logOf(extra, services));
    });
  });

  const authentication = new SocketAuthentication(services, tokenHeaders);
  const protocol = makeServer<Record<string, unknown>, SocketExtra>({
    schema,
    execute: (args: ExecutionArgs) => tracedExecution(args, () => execute(args), OF_MESSAGE),
    subscribe: (args: ExecutionArgs) => tracedExecution(args, () => subscribe(args), OF_MESSAGE),
    onConnect: (connection) => authentication.admit(connection),
    onDisconnect: (connection) => {
      connection.extra.release?.();
    },
    // Unlike `onDisconnect`, also called for connections that were not admitted.
    onClose: ({ extra }) => {
      extra.leave?.();
      extra.disconnect?.();
    },
    onSubscribe: (connection, id, payload) => prepareOperation(connection, id, payload, services),
    onNext: async ({ extra }, id, _payload, _args, result) => {
      const text = textOf(result, (shared) => masked(shared, logOf(extra, services)));
      await extra.send(nextMessage(id, text));
      return SENT;
    },
    onError: ({ extra }, _id, _payload, errors) =>
      errors.map((error) => presentError(error, logOf(extra, services)).toJSON()),
  });

  return {
    count: (): number => open.size,
    /** Closes the currently open sockets with 1001, evenly over the given milliseconds. */
    closeWithin: (milliseconds: number) => drainWithin(open, milliseconds),
    /** Closes all sockets with 1001 after their operations have completed, at the latest after `timeoutMs`. */
    async stop(timeoutMs: number): Promise<void> {
      heartbeat.stop();
      const closed = new Promise((resolve) => sockets.close(resolve));
      const drained = Promise.all([...open].map(([socket, extra]) => drain(socket, extra)));
      await Promise.race([drained, pause(timeoutMs, undefined, { ref: false })]);
      const hurry = setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate();
      }, CLOSE_TIMEOUT_MS).unref();
      for (const socket of sockets.clients) closeGoingAway(socket);
      await closed;
      clearTimeout(hurry);
    },
  };
}

function destroy(this: Duplex): void {
  this.destroy();
}

/** A root span, because the upgrade request has ended. */
const OF_MESSAGE = { kind: 'server', isRoot: true } as const;

function masked(result: ExecutionResult, log: Logger): ExecutionResult {
  if (!result.errors) return result;
  return { ...result, errors: result.errors.map((error) => presentError(error, log)) };
}
