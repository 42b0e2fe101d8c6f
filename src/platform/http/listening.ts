import type { Server } from 'node:http';
import type { AddressInfo, Server as AnyServer } from 'node:net';

/** Thousands of clients may reconnect at the same time, and a connection beyond the backlog waits for minutes. */
const LISTEN_BACKLOG = 8_192;

const IDLE_CHECK_MS = 100;

export function listen(server: AnyServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, LISTEN_BACKLOG, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

export function addressOf(server: Server, host: string): string {
  return `http://${hostOf(host)}:${portOf(server)}`;
}

export function portOf(server: AnyServer): number {
  return (server.address() as AddressInfo).port;
}

/** As part of a URL. */
export function hostOf(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Idle connections close immediately, busy ones after their response or the timeout. */
export function close(server: Server, timeoutMs: number): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), timeoutMs).unref();
  // Repeated, because keep-alive would hold connections open after their response.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS).unref();
  return new Promise((resolve) => {
    server.close(() => {
      clearTimeout(timer);
      clearInterval(idle);
      resolve();
    });
    server.closeIdleConnections();
  });
}
