import { setTimeout as pause } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { InFlight } from './connection.ts';

/** Closes these sockets, evenly over so many milliseconds, so that their clients do not come back all at once. */
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
 * Closes a socket once its queries and mutations are answered. What comes meanwhile is not taken any more: clients send
 * again elsewhere what was not answered, and nothing they send so happens twice.
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
  socket.resume(); // so that the client's own goodbye is heard
}
