import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

export const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

const MIN_BYTES = 64 * 1024;

const CHECK_INTERVAL_MS = 100;

/** Above the limit, closes connections of the network with the most unread bytes, the oldest first. */
export function boundUnread(networkOf: (request: IncomingMessage) => string) {
  const latest = new Map<Socket, IncomingMessage>();
  const timer = setInterval(() => closeLargest(latest, networkOf), CHECK_INTERVAL_MS).unref();
  return {
    note(request: IncomingMessage): void {
      const { socket } = request;
      if (!latest.has(socket)) socket.once('close', () => latest.delete(socket));
      latest.set(socket, request);
    },
    stop: (): void => clearInterval(timer),
  };
}

interface Network {
  bytes: number;
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
