import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Services } from '../../context.ts';
import { SECOND } from '../../lib/time.ts';
import { destroyed, refuseUpgrade } from '../../platform/http/refuse-upgrade.ts';
import { hasTwoHosts } from '../../platform/http/two-hosts.ts';
import type { Unread } from '../../platform/http/unread-responses.ts';
import type { Requests } from '../../platform/observability/requests.ts';
import { consolePage } from '../console-cookie.ts';
import { SocketAuthentication } from './authentication.ts';
import { connectionOf, ServerSocket, SocketConnection } from './connection.ts';
import { closeGoingAway, drain, drainWithin } from './drain.ts';
import { Heartbeat } from './heartbeat.ts';
import { createProtocol } from './protocol.ts';

const MAX_FRAME_BYTES = 1024 * 1024;
/** Time for clients to confirm the close frame during shutdown. */
const CLOSE_TIMEOUT_MS = SECOND;

/** GraphQL over WebSocket (`graphql-transport-ws`) at `/graphql`. A socket closes when its credentials end. */
export function graphqlOverSocket(
  services: Services,
  { tokenHeaders, requests, unread }: { tokenHeaders: readonly string[]; requests: Requests; unread: Unread },
) {
  const heartbeat = new Heartbeat();
  const limit = services.rateLimits?.connections;
  const connectionOfWire = new WeakMap<Duplex, SocketConnection>();
  const serve = createProtocol(services, new SocketAuthentication(services, tokenHeaders));
  const sockets = new Set<ServerSocket>();
  let onLastClosed: (() => void) | undefined;
  const server = new WebSocketServer<typeof ServerSocket>({
    noServer: true,
    clientTracking: false, // a listener for each socket
    WebSocket: ServerSocket,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    handleProtocols: (protocols) =>
      protocols.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) ? GRAPHQL_TRANSPORT_WS_PROTOCOL : false,
  });
  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', destroyed); // Node has removed its listener; an unhandled error would crash the process
    if (hasTwoHosts(request)) refuseUpgrade(requests, request, socket, 400);
    else if (request.url?.split('?')[0] !== '/graphql') refuseUpgrade(requests, request, socket, 404);
    else if (limit?.isFullOfUnauthenticated(services.networkOf(request))) refuseUpgrade(requests, request, socket, 429);
    else server.handleUpgrade(request, socket, head, accept);
  }

  // Not closures of the upgrade, because they would retain the request as long as the socket.
  function accept(socket: ServerSocket, request: IncomingMessage): void {
    request.socket.off('error', destroyed); // `ws` listens
    sockets.add(socket);
    heartbeat.add(socket);
    const connection = new SocketConnection(socket, request);
    unread.note(request.socket, connection);
    connectionOfWire.set(request.socket, connection);
    request.socket.prependListener('data', onData);
    connection.onInitialized = limit?.takeUnauthenticated(services.networkOf(connection.request));
    if (request.headers.cookie) connection.consolePage = consolePage(request.headers, services);
    services.observer.socketOpened();
    socket.on('close', onClose);
    serve(connection);
  }

  function onData(this: Duplex, chunk: Buffer): void {
    connectionOfWire.get(this)!.received(chunk.length);
  }

  function onClose(this: WebSocket, code: number): void {
    const connection = connectionOf(this);
    sockets.delete(connection.socket);
    heartbeat.remove(connection.socket);
    connection.reportClosed(code, services.log);
    connection.closed();
    if (sockets.size === 0) onLastClosed?.();
  }

  const connections = () => [...sockets].map(connectionOf);

  return {
    upgrade,
    count: (): number => sockets.size,
    /** Closes the currently open sockets with 1001, evenly over the given milliseconds. */
    closeWithin: (milliseconds: number) => drainWithin(connections(), milliseconds, drain),
    /** Closes all sockets with 1001 after their operations have completed, at the latest after `timeoutMs`. */
    async stop(timeoutMs: number): Promise<void> {
      heartbeat.stop();
      server.close(); // refuses further sockets
      const closed = new Promise<void>((resolve) => {
        onLastClosed = resolve;
        if (sockets.size === 0) resolve();
      });
      const drained = Promise.all(connections().map(drain));
      await Promise.race([drained, pause(timeoutMs, undefined, { ref: false })]);
      const hurry = setTimeout(() => {
        for (const socket of sockets) socket.terminate();
      }, CLOSE_TIMEOUT_MS).unref();
      for (const socket of sockets) closeGoingAway(socket);
      await closed;
      clearTimeout(hurry);
    },
  };
}
