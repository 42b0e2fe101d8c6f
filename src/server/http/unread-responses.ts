import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes of responses in the memory of a process that clients have not read. */
export const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** Responses below this are not worth looking at: there are connections for a few thousand of them. */
const MIN_BYTES = 64 * 1024;

const CHECK_INTERVAL_MS = 100;

/**
 * Bounds the memory of responses that clients do not read. While they hold too much together, the connections of the network
 * with the most unread bytes are closed, the oldest connection first.
 * @param networkOf of the client that sent a request
 * @returns notes the latest request of a connection
 */
export function boundUnread(
  server: Server,
  networkOf: (request: IncomingMessage) => string,
): (request: IncomingMessage) => void {
  const latest = new Map<Socket, IncomingMessage>();
  const timer = setInterval(() => closeLargest(latest, networkOf), CHECK_INTERVAL_MS).unref();
  server.on('close', () => clearInterval(timer));
  return (request) => {
    const { socket } = request;
    if (!latest.has(socket)) socket.once('close', () => latest.delete(socket));
    latest.set(socket, request);
  };
}

interface Network {
  bytes: number;
  /** Oldest first. */
  sockets: Set<Socket>;
}

function closeLargest(latest: Map<Socket, IncomingMessage>, networkOf: (request: IncomingMessage) => string) {
  let total = 0;
  const networks = new Map<string, Network>();
  for (const [socket, request] of latest) {
    if (socket.writableLength < MIN_BYTES) continue;
    const name = networkOf(request);
    const network = networks.get(name) ?? { bytes: 0, sockets: new Set() };
    networks.set(name, network);
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
