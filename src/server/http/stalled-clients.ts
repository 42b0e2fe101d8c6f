import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Lets a server cut off clients that have stopped: those that send no more of a request that has begun, and those that
 * take no more of their answer. Each would hold its connection, and a file that it downloads, for ever. Who only waits
 * for an answer waits as long as that takes.
 * @param timeoutMs milliseconds without a byte in either direction
 * @returns watches over one request; connections without one are idle, or still to begin, and end in any case
 */
export function cutStalled(
  server: Server,
  timeoutMs: number,
): (request: IncomingMessage, answer: ServerResponse) => void {
  server.setTimeout(timeoutMs);
  return (request, answer) => {
    // Node cuts the connection itself unless somebody listens.
    answer.on('timeout', () => {
      const { socket } = request;
      const isSilent = !request.complete && request.readableFlowing === true;
      if (isSilent || socket.writableLength > 0) socket.destroy();
    });
  };
}
