import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Services } from '../context.ts';
import { graphqlOverHttp } from '../graphql/http/handler.ts';
import { acceptsPage } from '../graphql/http/request-shape.ts';
import { graphqlOverSocket } from '../graphql/websocket/server.ts';
import { onFirstUse } from '../lib/on-first-use.ts';
import { MINUTE } from '../lib/time.ts';
import { inTurn } from '../platform/http/in-turn.ts';
import { cutStalled } from '../platform/http/stalled-clients.ts';
import { hasTwoHosts } from '../platform/http/two-hosts.ts';
import type { Unread } from '../platform/http/unread-responses.ts';
import type { Health } from '../platform/observability/health.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import { Requests } from '../platform/observability/requests.ts';
import { restAdapter } from '../rest/index.ts';
import { CHAT_PATH, type ChatEntrances } from './chat-entrances.ts';
import { pageRoute } from './pages/paths.ts';

const STALLED_AFTER_MS = 2 * MINUTE;

export interface HandlerSettings {
  tokenHeaders: readonly string[];
  health: Health;
  metrics: Metrics;
  /** Whether `/metrics` answers. */
  isMetricsOn: boolean;
  /** One for all handlers of the process. */
  unread: Unread;
  /** Undefined: served by another entrance, or off. */
  chat?: Pick<ChatEntrances, 'upgrade'> | undefined;
  /** Milliseconds; default: two minutes. */
  stalledAfter?: number | undefined;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface Handlers {
  handle: (request: IncomingMessage, response: ServerResponse) => void;
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  sockets: Pick<ReturnType<typeof graphqlOverSocket>, 'count' | 'closeWithin' | 'stop'>;
  /** Proxies then send no further request on a connection. */
  closeConnections: () => void;
}

/** Routes requests by path, for any server. */
export function createHandlers(services: Services, settings: HandlerSettings): Handlers {
  const { tokenHeaders, health, metrics, isMetricsOn, unread, chat, stalledAfter = STALLED_AFTER_MS } = settings;
  const rest = restAdapter(services, tokenHeaders);
  const pages = pagesOnFirstUse(services, settings);
  const handlers = new Map<string, Handler>([
    ['/graphql', graphqlOverHttp(services, tokenHeaders, pages)],
    ['/healthz', readOnly((response) => health.answer('/healthz', response))],
    ['/readyz', readOnly((response) => health.answer('/readyz', response))],
  ]);
  if (isMetricsOn)
    handlers.set(
      '/metrics',
      readOnly((response) => metrics.answer(response)),
    );
  const endpoints = (request: IncomingMessage, response: ServerResponse) =>
    rest(request, response, acceptsPage(request) ? () => pages(request, response, undefined) : undefined);
  const pageOrEndpoint: Handler = (request, response) =>
    pages(request, response, () => void endpoints(request, response));
  const requests = new Requests(services, metrics);
  const cutIfStalled = cutStalled(stalledAfter);
  const { upgrade: upgradeToGraphql, ...sockets } = graphqlOverSocket(services, { tokenHeaders, requests, unread });
  let isClosing = false;
  return {
    handle: inTurn((request, response) => {
      if (isClosing) response.setHeader('Connection', 'close');
      cutIfStalled(request, response);
      unread.note(request.socket, { request });
      const path = pathOf(request);
      const routeOfPage = pageRoute(path) ?? (path === '/' && acceptsPage(request) ? path : undefined);
      const handler = handlers.get(path) ?? (routeOfPage ? pageOrEndpoint : endpoints);
      // The REST adapter reports the routes of its endpoints itself.
      const route = handlers.has(path) ? path : routeOfPage;
      requests.serve(request, response, route, () => void (hasTwoHosts(request) ? refuse : handler)(request, response));
    }),
    upgrade: (request, socket, head) =>
      chat && pathOf(request) === CHAT_PATH
        ? chat.upgrade(request, socket, head)
        : upgradeToGraphql(request, socket, head),
    sockets,
    closeConnections() {
      isClosing = true;
    },
  };
}

const refuse: Handler = (_request, response) => response.writeHead(400, { Connection: 'close' }).end();

function readOnly(answer: (response: ServerResponse) => unknown): Handler {
  return ({ method }, response) => {
    if (method === 'GET' || method === 'HEAD') return answer(response);
    response.writeHead(405, { Allow: 'GET, HEAD' }).end();
  };
}

/** Without `next`, an address without page is answered with a page of status 404. */
type PageHandler = (request: IncomingMessage, response: ServerResponse, next: (() => void) | undefined) => void;

/** Loaded on first use, because the pages and Express are more code than the rest. */
function pagesOnFirstUse(services: Services, { tokenHeaders, health }: HandlerSettings): PageHandler {
  const load = onFirstUse(async () => {
    const { browserPages, sendNotFound } = await import('./pages/browser.ts');
    const { openApiDocument } = await import('../rest/openapi/document.ts');
    const pages = browserPages(services, health, () => openApiDocument(services.publicUrl(), tokenHeaders));
    const answer: PageHandler = (request, response, next) =>
      pages(request, response, next ?? (() => void sendNotFound(request, response)));
    return answer;
  });
  return (request, response, next) =>
    void load()
      .then((pages) => pages(request, response, next))
      .catch((error: unknown) => {
        services.log.error({ err: error }, 'the pages for browsers could not be loaded');
        response.writeHead(500).end();
      });
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}
