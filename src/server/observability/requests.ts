import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { administratorOf, isIdentified, isKnown, type Viewer } from '../../lib/access.ts';
import type { Observer } from './observer.ts';
import { type OpenSpan, tracing } from './tracing.ts';

export interface RequestFacts {
  readonly id: string;
  readonly arrivedAt: number;
  /** The pattern of the path, never the path itself. */
  route: string;
  viewer?: Viewer;
  operation?: string | undefined;
  fields?: readonly string[];
}

const UNKNOWN = 'unknown';

/** Polled every few seconds by monitoring. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics']);

/** Restricted, so that an id cannot imitate other log content. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

const factsOfRequest = new WeakMap<IncomingMessage, RequestFacts>();

export function factsOf(request: IncomingMessage): RequestFacts {
  const facts = factsOfRequest.get(request) ?? newFacts(request);
  factsOfRequest.set(request, facts);
  return facts;
}

export class Requests {
  readonly #log: Logger;
  readonly #observer: Observer;

  constructor(log: Logger, observer: Observer) {
    this.#log = log;
    this.#observer = observer;
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
    this.#end(factsOf(request), { method: request.method ?? '', status, isCutOff: false });
  }

  #report(request: IncomingMessage, response: ServerResponse, facts: RequestFacts, span: OpenSpan | undefined): void {
    const { method = '' } = request;
    const { statusCode: status, writableFinished } = response;
    this.#end(facts, { method, status, isCutOff: !writableFinished });
    span?.rename(`${method} ${facts.route}`);
    span?.set({ 'http.route': facts.route, 'http.response.status_code': status, 'atrium.request_id': facts.id });
    span?.end(status >= 500 ? String(status) : undefined);
  }

  #end(facts: RequestFacts, { method, status, isCutOff }: { method: string; status: number; isCutOff: boolean }): void {
    const { id: requestId, arrivedAt, route, viewer, operation, fields } = facts;
    const ms = performance.now() - arrivedAt;
    this.#observer.requestEnded({ method, route, status, seconds: ms / 1000 });
    const level = status >= 500 && route !== '/readyz' ? 'error' : QUIET.has(route) ? 'debug' : 'info';
    if (!this.#log.isLevelEnabled(level)) return;
    const line = { requestId, method, route, status, ms: Math.round(ms * 10) / 10, ...callerOf(viewer) };
    this.#log[level]({ ...line, operation, fields, ...(isCutOff && { isCutOff }) }, 'request');
  }
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

function newFacts({ headers }: IncomingMessage): RequestFacts {
  const requestId = headers['x-request-id'];
  const id = typeof requestId === 'string' && REQUEST_ID.test(requestId) ? requestId : randomUUID();
  return { id, arrivedAt: performance.now(), route: UNKNOWN };
}

function openSpan({ method, headers }: IncomingMessage): OpenSpan | undefined {
  return tracing?.open(method ?? '', {
    kind: 'server',
    from: headers,
    attributes: { 'http.request.method': method },
  });
}
