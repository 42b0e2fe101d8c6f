import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Of one connection. */
const MAX_QUEUED = 10;

const queued = new WeakMap<Socket, number>();

/**
 * Handles requests of one connection one after the other. Node emits pipelined ones at once, but their responses have no
 * socket until the earlier ones have ended: no limit counts what they hold, and they never close if the connection does.
 */
export function inTurn(handle: Handler): Handler {
  return (request, response) => {
    if (response.socket) return handle(request, response);
    const { socket } = request;
    const count = (queued.get(socket) ?? 0) + 1;
    if (count > MAX_QUEUED) return void socket.destroy();
    queued.set(socket, count);
    response.once('socket', () => {
      queued.set(socket, queued.get(socket)! - 1);
      handle(request, response);
    });
  };
}
