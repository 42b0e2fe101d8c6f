import type { IncomingMessage } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Viewer } from '../../lib/access.ts';
import { headerTime } from '../../lib/time.ts';
import { type RateCount, rateHeaders } from '../../platform/limits/definitions.ts';
import { API_VERSION, VERSION_HEADER } from './versions.ts';

const EXPOSED = `${VERSION_HEADER}, Status, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy`;
const ALLOWED = `Authorization, On-Behalf-Of, Content-Type, ${VERSION_HEADER}`;

export interface ResponseFacts {
  status: number;
  requestId: string;
  arrivedAt: number;
  expiresAt: Date | undefined;
  rateCount: RateCount | undefined;
}

/** Names and values in turns, which `writeHead` accepts, because objects with many members are slow to build. */
export type HeaderList = string[];

/** Replaces headers of the same name. */
export function addHeaders(list: HeaderList, more: Readonly<Record<string, string>>): HeaderList {
  for (const [name, value] of Object.entries(more)) {
    const at = list.indexOf(name);
    if (at === -1) list.push(name, value);
    else list[at + 1] = value;
  }
  return list;
}

export class ResponseHeaders {
  readonly #tokenHeaders: readonly string[];
  readonly #expirations: readonly string[];
  readonly #fixed: HeaderList;

  constructor(tokenHeaders: readonly string[]) {
    this.#tokenHeaders = tokenHeaders;
    this.#expirations = tokenHeaders.map((name) => `${name}-ExpirationDate`);
    this.#fixed = addHeaders([], {
      [VERSION_HEADER]: API_VERSION,
      'Cache-Control': 'no-cache',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': [...this.#expirations, EXPOSED].join(', '),
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'SAMEORIGIN',
    });
  }

  of({ status, requestId, arrivedAt, expiresAt, rateCount }: ResponseFacts): HeaderList {
    const headers = [...this.#fixed, 'Status', `${status} ${STATUS_CODES[status]}`, 'X-Request-Id', requestId];
    headers.push('X-Runtime', ((performance.now() - arrivedAt) / 1000).toFixed(6));
    if (rateCount) addHeaders(headers, rateHeaders(rateCount));
    if (status === 401) headers.push('WWW-Authenticate', 'ApiKey realm="service"');
    if (expiresAt) {
      const time = headerTime(expiresAt);
      for (const name of this.#expirations) headers.push(name, time);
    }
    return headers;
  }

  ofPreflight(request: IncomingMessage): Record<string, string> {
    const requested = request.headers['access-control-request-headers'];
    const isPlain = requested !== undefined && /^[\w\-, ]*$/.test(requested);
    return {
      'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE, OPTIONS',
      'Access-Control-Allow-Headers': [
        ...this.#tokenHeaders,
        ALLOWED,
        ...(isPlain && requested ? [requested] : []),
      ].join(', '),
    };
  }
}

export function expiryOf(viewer: Viewer): Date | undefined {
  return 'session' in viewer ? viewer.session?.expiresAt : undefined;
}
