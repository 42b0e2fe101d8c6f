import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Disconnects clients that stop sending a request or reading a response, because each would hold its connection, and
 * the file that it downloads, forever. Does not limit how long a client waits for a response.
 * @param timeoutMs milliseconds without a byte in either direction
 * @returns a function to call for each request; Node's own timeouts apply to connections without a request
 */
export function cutStalled(
  server: Server,
  timeoutMs: number,
): (request: IncomingMessage, response: ServerResponse) => void {
  server.setTimeout(timeoutMs);
  return (request, response) => {
    // Without a listener Node closes the connection itself.
    response.on('timeout', () => {
      const { socket } = request;
      const isSilent = !request.complete && request.readableFlowing === true;
      if (isSilent || socket.writableLength > 0) socket.destroy();
    });
  };
}
