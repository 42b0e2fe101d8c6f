import { createServer } from 'node:http';
import { MINUTE, SECOND } from '../lib/time.ts';
import { addressOf, close, listen } from '../platform/http/listening.ts';
import type { Handlers } from './handlers.ts';

/** Longer than Node's default of five minutes, because a phone may need more for an upload of 100 MB. */
const REQUEST_TIMEOUT_MS = 30 * MINUTE;

/** Longer than proxies keep idle connections, because closing first could lose a request in flight. */
const KEEP_ALIVE_MS = 75 * SECOND;

/** How requests reach the handlers: through a server of its own, or through that of an embedding application. */
export interface Entrance {
  /** @returns the address of the service */
  open: () => Promise<string>;
  /** Waits for requests in flight, at most for the given milliseconds. */
  close: (timeoutMs: number) => Promise<void>;
}

export function createHttpServer(handlers: Handlers, { host, port }: { host: string; port: number }): Entrance {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS }, handlers.handle);
  server.on('upgrade', handlers.upgrade);
  return {
    async open() {
      await listen(server, port, host);
      return addressOf(server, host);
    },
    close: (timeoutMs) => close(server, timeoutMs),
  };
}
