import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { RequestTransport } from '../../generated/prisma/enums.ts';
import { administratorOf, isIdentified, isKnown, type Viewer } from '../../lib/access.ts';
import type { Observer } from './observer.ts';
import { factsOf, PREFLIGHT, QUIET, type RequestFacts, UNKNOWN } from './request-facts.ts';
import type { RequestLog } from './request-log.ts';
import { type OpenSpan, tracing } from './tracing.ts';

export interface RequestServices {
  log: Logger;
  requestLog: RequestLog;
  networkOf: (request: IncomingMessage) => string;
}

export class Requests {
  readonly #log: Logger;
  readonly #observer: Observer;
  readonly #requestLog: RequestLog;
  readonly #networkOf: (request: IncomingMessage) => string;

  constructor({ log, requestLog, networkOf }: RequestServices, observer: Observer) {
    this.#log = log;
    this.#observer = observer;
    this.#requestLog = requestLog;
    this.#networkOf = networkOf;
  }

  /** @param route undefined if the transport itself sets the route and the header `X-Request-Id` */
  serve(request: IncomingMessage, response: ServerResponse, route: string | undefined, serve: () => void): void {
    const facts = factsOf(request);
    if (route !== undefined) {
      facts.route = route;
      response.setHeader('X-Request-Id', facts.id);
    }
    const span = QUIET.has(facts.route) ? undefined : openSpan(request);
    response.once('close', () => this.#report(request, response, facts, span));
    if (span) span.run(serve);
    else serve();
  }

  reportRefused(request: IncomingMessage, status: number): void {
    this.#end(request, factsOf(request), { status, isCutOff: false });
  }

  #report(request: IncomingMessage, response: ServerResponse, facts: RequestFacts, span: OpenSpan | undefined): void {
    const { method = '' } = request;
    const { statusCode: status, writableFinished } = response;
    this.#end(request, facts, { status, isCutOff: !writableFinished, response });
    span?.rename(`${method} ${facts.route}`);
    span?.set({ 'http.route': facts.route, 'http.response.status_code': status, 'atrium.request_id': facts.id });
    span?.end(status >= 500 ? String(status) : undefined);
  }

  #end(request: IncomingMessage, facts: RequestFacts, end: RequestEnd): void {
    const { method = '' } = request;
    const { status, isCutOff } = end;
    const { id: requestId, arrivedAt, route, viewer, operation, fields } = facts;
    const ms = performance.now() - arrivedAt;
    this.#observer.requestEnded({ method, route, status, seconds: ms / 1000 });
    if (!QUIET.has(route)) this.#requestLog.count({ facts, ms, httpStatus: status });
    if (status >= 400 || ms >= this.#requestLog.slowMs || facts.errors) this.#record(request, facts, { ...end, ms });
    const level = status >= 500 && route !== '/readyz' ? 'error' : QUIET.has(route) ? 'debug' : 'info';
    if (!this.#log.isLevelEnabled(level)) return;
    const line = { requestId, method, route, status, ms: Math.round(ms * 10) / 10, ...callerOf(viewer) };
    this.#log[level]({ ...line, operation, fields, ...(isCutOff && { isCutOff }) }, 'request');
  }

  #record(request: IncomingMessage, facts: RequestFacts, end: RequestEnd & { ms: number }): void {
    const { status, isCutOff, response, ms } = end;
    const isSlow = ms >= this.#requestLog.slowMs && facts.isOpenEnded !== true;
    if (status < 400 && !facts.errors?.length && !isSlow) return;
    this.#requestLog.add({
      facts,
      ms,
      transport: transportOf(facts),
      method: request.method ?? null,
      url: request.url ?? '/',
      httpStatus: status,
      isCutOff,
      network: this.#networkOf(request),
      userAgent: request.headers['user-agent'] ?? null,
      responseBytes: response ? lengthOf(response) : null,
    });
  }
}

interface RequestEnd {
  status: number;
  isCutOff: boolean;
  response?: ServerResponse;
}

export function callerOf(viewer: Viewer | undefined): Record<string, number> {
  if (!viewer || !isKnown(viewer)) return {};
  const administratorId = administratorOf(viewer)?.id;
  return {
    ...(administratorId !== undefined && { administratorId }),
    ...(isIdentified(viewer) && { applicationId: viewer.applicationId }),
    ...(viewer.kind === 'user' && { userId: viewer.userId }),
    ...('apiKeyId' in viewer && viewer.apiKeyId !== undefined && { apiKeyId: viewer.apiKeyId }),
  };
}

/** REST sets the operation; pages have none. */
function transportOf({ route, fields }: RequestFacts): RequestTransport {
  if (route === '/graphql') return 'graphql';
  return fields || route === UNKNOWN || route === PREFLIGHT ? 'rest' : 'page';
}

/** From the rendered header, because `writeHead` with a list does not store its values. Null for streams. */
function lengthOf(response: ServerResponse & { _header?: string | null }): number | null {
  const length = /^content-length: *(\d{1,15})\r?$/im.exec(response._header ?? '')?.[1];
  return length === undefined ? null : Number(length);
}

function openSpan({ method, headers }: IncomingMessage): OpenSpan | undefined {
  return tracing?.open(method ?? '', {
    kind: 'server',
    from: headers,
    attributes: { 'http.request.method': method },
  });
}
