import type { Duplex } from 'node:stream';
import type { CallingRequest } from '../limits/client-address.ts';

export const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

const MIN_BYTES = 64 * 1024;

const CHECK_INTERVAL_MS = 100;

export interface Unread {
  /** Until the connection closes. @param request the latest one, or that which opened the WebSocket */
  note: (connection: Duplex, request: CallingRequest) => void;
  stop: () => void;
}

/** Above the limit, closes connections of the network with the most unread bytes, the oldest first. */
export function boundUnread(networkOf: (request: CallingRequest) => string): Unread {
  const latest = new Map<Duplex, CallingRequest>();
  const timer = setInterval(() => closeLargest(latest, networkOf), CHECK_INTERVAL_MS).unref();
  // One listener for all connections.
  function forget(this: Duplex): void {
    latest.delete(this);
  }
  return {
    note(connection, request) {
      if (!latest.has(connection)) connection.once('close', forget);
      latest.set(connection, request);
    },
    stop: () => clearInterval(timer),
  };
}

interface Network {
  bytes: number;
  sockets: Set<Duplex>;
}

function closeLargest(latest: Map<Duplex, CallingRequest>, networkOf: (request: CallingRequest) => string) {
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
