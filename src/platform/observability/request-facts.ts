import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Viewer } from '../../lib/access.ts';
import type { NotedError } from './request-errors.ts';

/** Routes that monitoring polls every few seconds. */
export const QUIET = new Set(['/healthz', '/readyz', '/metrics']);

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Clients choose the method, and a label has few values. */
export function shownMethodOf(method: string): string {
  return METHODS.has(method) ? method : 'other';
}

export interface RequestFacts {
  readonly id: string;
  readonly arrivedAt: number;
  /** The pattern of the path, never the path itself. */
  route: string;
  viewer?: Viewer;
  operation?: string | undefined;
  fields?: readonly string[];
  /** As sent to the client. */
  errors?: readonly NotedError[] | undefined;
  /** Verified application of a caller without identity. */
  applicationId?: number | undefined;
  /** A stream or the transfer of a file, whose duration says nothing about the service. */
  isOpenEnded?: boolean;
  /** The first list of records that was read. */
  list?: RecordList | undefined;
}

export interface RecordList {
  className: string;
  /** Fields of the index that would make it fast; empty if there is none. Called only for logged requests. */
  missingIndex: () => readonly string[];
}

export const UNKNOWN = 'unknown';
/** Preflights share one route label, because clients control the path. */
export const PREFLIGHT = 'preflight';

/** Restricted, so that an id cannot imitate other log content. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

const factsOfRequest = new WeakMap<IncomingMessage, RequestFacts>();

export function factsOf(request: IncomingMessage): RequestFacts {
  const facts = factsOfRequest.get(request) ?? newFacts(request);
  factsOfRequest.set(request, facts);
  return facts;
}

function newFacts({ headers }: IncomingMessage): RequestFacts {
  const requestId = headers['x-request-id'];
  const id = typeof requestId === 'string' && REQUEST_ID.test(requestId) ? requestId : randomUUID();
  return { id, arrivedAt: performance.now(), route: UNKNOWN };
}
