import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes of responses in the memory of a process that clients have not read. */
export const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** Responses below this are not worth looking at: there are connections for a few thousand of them. */
const MIN_BYTES = 64 * 1024;

const CHECK_EVERY_MS = 100;

/**
 * Bounds the memory of responses that clients do not read. While they hold too much together, the connections of the network
 * with the most unread bytes are closed, the oldest response first.
 * @param networkOf of the client that sent a request
 * @returns watches the response to one request
 */
export function boundUnread(
  server: Server,
  networkOf: (request: IncomingMessage) => string,
): (request: IncomingMessage, response: ServerResponse) => void {
  const open = new Map<ServerResponse, IncomingMessage>();
  const timer = setInterval(() => closeLargest(open, networkOf), CHECK_EVERY_MS).unref();
  server.on('close', () => clearInterval(timer));
  return (request, response) => {
    open.set(response, request);
    response.on('close', () => open.delete(response));
  };
}

interface Network {
  bytes: number;
  /** Oldest first. */
  sockets: Set<Socket>;
}

function closeLargest(open: Map<ServerResponse, IncomingMessage>, networkOf: (request: IncomingMessage) => string) {
  let total = 0;
  const networks = new Map<string, Network>();
  for (const request of open.values()) {
    const { socket } = request;
    if (socket.writableLength < MIN_BYTES) continue;
    const name = networkOf(request);
    const network = networks.get(name) ?? { bytes: 0, sockets: new Set() };
    networks.set(name, network);
    if (network.sockets.has(socket)) continue;
    network.sockets.add(socket);
    network.bytes += socket.writableLength;
    total += socket.writableLength;
  }
  while (total > MAX_UNREAD_BYTES) {
    const largest = [...networks.values()].reduce((one, other) => (other.bytes > one.bytes ? other : one));
    const [oldest] = largest.sockets;
    largest.sockets.delete(oldest!);
    largest.bytes -= oldest!.writableLength;
    total -= oldest!.writableLength;
    oldest!.destroy();
  }
}
