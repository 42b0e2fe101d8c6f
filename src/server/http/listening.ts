import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Thousands of clients reconnect at once; a connection that finds the backlog full waits for minutes. */
const LISTEN_BACKLOG = 8_192;

const IDLE_CHECK_MS = 100;

export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, LISTEN_BACKLOG, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** The base URL of a server, with the port in use. */
export function addressOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Stops accepting. Idle connections end at once, busy ones after their answer, at the latest after the time-out. */
export function close(server: Server, timeoutMs: number): Promise<void> {
  const hurry = setTimeout(() => server.closeAllConnections(), timeoutMs).unref();
  // One that has just answered would otherwise be kept alive for another request.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS).unref();
  return new Promise((resolve) => {
    server.close(() => {
      clearTimeout(hurry);
      clearInterval(idle);
      resolve();
    });
    server.closeIdleConnections();
  });
}
