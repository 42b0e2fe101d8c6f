import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Each stalled client would hold its connection, and the file that it downloads, forever. Node's own timeouts apply to
 * connections without a request.
 * @param timeoutMs without a byte in either direction
 */
export function cutStalled(timeoutMs: number): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    // Node itself sets the timeout between requests.
    request.socket.setTimeout(timeoutMs);
    // Without a listener Node closes the connection itself.
    response.on('timeout', () => {
      const { socket } = request;
      const isSilent = !request.complete && request.readableFlowing === true;
      if (isSilent || socket.writableLength > 0) socket.destroy();
    });
  };
}
