import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Requests } from '../observability/requests.ts';

export function refuseUpgrade(
  requests: Requests,
  request: IncomingMessage,
  socket: Duplex,
  status: 400 | 404 | 429,
): void {
  requests.reportRefused(request, status);
  socket.once('finish', destroyed); // without a reader it would not detect that the client has disconnected
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n`;
  socket.end(status === 429 ? `${head}Retry-After: 1\r\n\r\n` : `${head}\r\n`);
}

export function destroyed(this: Duplex): void {
  this.destroy();
}
