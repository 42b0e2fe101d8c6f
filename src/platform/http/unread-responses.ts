import type { Duplex } from 'node:stream';
import { groupBy } from '../../lib/collections.ts';
import type { CallingRequest } from '../limits/client-address.ts';

export const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

const MIN_BYTES = 64 * 1024;

const CHECK_INTERVAL_MS = 100;

export interface Noted {
  /** The latest one, or that which opened the WebSocket. */
  readonly request: CallingRequest;
  /** Received bytes that the service cannot handle yet. */
  readonly heldBytes?: number;
}

export interface Unread {
  /** Until the connection closes. */
  note: (connection: Duplex, noted: Noted) => void;
  stop: () => void;
}

/** Above the limit, closes connections of the network with the most bytes, the oldest first. */
export function boundUnread(networkOf: (request: CallingRequest) => string): Unread {
  const latest = new Map<Duplex, Noted>();
  const timer = setInterval(() => {
    const large = [...latest].flatMap(([connection, { request, heldBytes = 0 }]) => {
      const bytes = connection.writableLength + heldBytes;
      return bytes < MIN_BYTES ? [] : [{ connection, bytes, request }];
    });
    closeLargest(large, networkOf);
  }, CHECK_INTERVAL_MS).unref();
  // One listener for all connections.
  function forget(this: Duplex): void {
    latest.delete(this);
  }
  return {
    note(connection, noted) {
      if (!latest.has(connection)) connection.on('close', forget); // `once` would create a closure
      latest.set(connection, noted);
    },
    stop: () => clearInterval(timer),
  };
}

interface Large {
  connection: Duplex;
  bytes: number;
  request: CallingRequest;
}

function closeLargest(connections: readonly Large[], networkOf: (request: CallingRequest) => string): void {
  let total = connections.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= MAX_UNREAD_BYTES) return;
  const networks = [...groupBy(connections, ({ request }) => networkOf(request)).values()].map((members) => ({
    members: [...members],
    bytes: members.reduce((sum, { bytes }) => sum + bytes, 0),
  }));
  while (total > MAX_UNREAD_BYTES) {
    const largest = networks.reduce((one, other) => (other.bytes > one.bytes ? other : one));
    const { connection, bytes } = largest.members.shift()!;
    largest.bytes -= bytes;
    total -= bytes;
    connection.destroy();
  }
}
