import { setTimeout as pause } from 'node:timers/promises';
import type { ServerSocket, SocketConnection } from './connection.ts';

/** Spreads the closing evenly over the given milliseconds, so that clients do not reconnect all at once. */
export async function drainWithin<Connection>(
  connections: Connection[],
  milliseconds: number,
  drain: (connection: Connection) => unknown,
): Promise<void> {
  const begin = performance.now();
  const until = (moment: number) => pause(begin + moment - performance.now());
  for (const [nth, connection] of connections.entries()) {
    const due = (milliseconds * nth) / connections.length;
    if (performance.now() < begin + due) await until(due);
    void drain(connection);
  }
  await until(milliseconds);
}

/**
 * Closes a socket after its queries and mutations have completed. Does not read later messages: clients resend
 * unanswered operations to another process, and none executes twice.
 */
export function drain(connection: SocketConnection): Promise<void> {
  const { socket } = connection;
  return new Promise((resolve) => {
    const end = () => {
      closeGoingAway(socket);
      resolve();
    };
    if (connection.isAnswered) return end();
    socket.pause();
    socket.once('close', () => resolve());
    connection.onAnswered = end;
  });
}

export function closeGoingAway(socket: ServerSocket): void {
  socket.close(1001, 'Going away');
  socket.resume(); // to receive the close frame of the client
}
