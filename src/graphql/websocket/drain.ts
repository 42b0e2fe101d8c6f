import { setTimeout as pause } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { InFlight } from './connection.ts';

/** Spreads the closing evenly over the given milliseconds, so that clients do not reconnect all at once. */
export async function drainWithin(sockets: ReadonlyMap<WebSocket, InFlight>, milliseconds: number): Promise<void> {
  const all = [...sockets];
  const begin = performance.now();
  const until = (moment: number) => pause(begin + moment - performance.now());
  for (const [nth, [socket, underWay]] of all.entries()) {
    const due = (milliseconds * nth) / all.length;
    if (performance.now() < begin + due) await until(due);
    void drain(socket, underWay);
  }
  await until(milliseconds);
}

/**
 * Closes a socket after its queries and mutations have completed. Does not read later messages: clients resend
 * unanswered operations to another process, and none executes twice.
 */
export function drain(socket: WebSocket, underWay: InFlight): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      closeGoingAway(socket);
      resolve();
    };
    if (underWay.unanswered.size === 0) return end();
    socket.pause();
    socket.once('close', () => resolve());
    underWay.onAnswered = end;
  });
}

export function closeGoingAway(socket: WebSocket): void {
  socket.close(1001, 'Going away');
  socket.resume(); // to receive the close frame of the client
}
