import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { acceptsPage } from '../graphql/http/request-shape.ts';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.ts';
import type { Handlers } from '../server/handlers.ts';
import type { Entrance } from '../server/server.ts';
import type { Mounted } from './types.ts';

const CHECK_INTERVAL_MS = 20;
const UNAVAILABLE = 'Atrium is not running.\n';

/** What Express adds to requests below a mounted path, and parsers of bodies to any. */
type ExpressRequest = IncomingMessage & { baseUrl?: string; originalUrl?: string };

/** Passes requests below a path of another server to the handlers of a running service. */
export class Mount implements Mounted {
  readonly #basePath: string;
  readonly #inFlight = new Set<ServerResponse>();
  #handlers: Handlers | undefined;

  constructor(basePath: string) {
    this.#basePath = withoutTrailingSlashes(basePath);
  }

  entrance(url: string): (handlers: Handlers) => Entrance {
    return (handlers) => ({
      open: async () => {
        this.#handlers = handlers;
        return url;
      },
      close: async (timeoutMs) => {
        this.#handlers = undefined;
        const deadline = performance.now() + timeoutMs;
        while (this.#inFlight.size > 0 && performance.now() < deadline) await pause(CHECK_INTERVAL_MS);
        for (const { socket } of this.#inFlight) socket?.destroy();
      },
    });
  }

  readonly handler: Mounted['handler'] = (request: ExpressRequest, response, next) => {
    const { url = '/' } = request;
    // Express has removed the path under which it mounts the handler, in any letter case.
    const path = this.#below(request.baseUrl ? (request.originalUrl ?? url) : url);
    if (path === undefined) {
      if (next) next();
      else response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Not Found\n');
      return;
    }
    if (this.#redirectsToFolder(request, response)) return;
    if (!this.#handlers) {
      response.writeHead(503, { 'Content-Type': 'text/plain', 'Retry-After': '1' }).end(UNAVAILABLE);
      return;
    }
    if (request.readableEnded && hasBody(request)) {
      const error = new Error('The body of a request was read before Atrium. Mount Atrium before parsers of bodies.');
      if (next) next(error);
      else throw error;
      return;
    }
    request.url = path;
    this.#inFlight.add(response);
    response.once('close', () => this.#inFlight.delete(response));
    this.#handlers.handle(request, response);
  };

  readonly upgrade: Mounted['upgrade'] = (request, socket, head) => {
    const path = this.#below(request.url ?? '/');
    if (path === undefined) return false;
    if (this.#handlers) {
      request.url = path;
      this.#handlers.upgrade(request, socket, head);
    } else {
      socket.on('error', () => socket.destroy());
      socket.once('finish', () => socket.destroy());
      socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    }
    return true;
  };

  /** @returns the URL without the base path; undefined: it is not below the base path */
  #below(url: string): string | undefined {
    if (this.#basePath === '') return url;
    if (!url.startsWith(this.#basePath)) return undefined;
    const rest = url.slice(this.#basePath.length);
    if (rest === '') return '/';
    if (rest.startsWith('?')) return `/${rest}`;
    return rest.startsWith('/') ? rest : undefined;
  }

  /** Links of pages are relative, so the start page needs the slash. */
  #redirectsToFolder(request: ExpressRequest, response: ServerResponse): boolean {
    const { originalUrl = request.url ?? '/' } = request;
    const [path = ''] = originalUrl.split('?');
    if (this.#basePath === '' || path.endsWith('/') || !acceptsPage(request)) return false;
    if (path !== this.#basePath && path !== request.baseUrl) return false;
    response.writeHead(308, { Location: `./${path.slice(path.lastIndexOf('/') + 1)}/` }).end();
    return true;
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
