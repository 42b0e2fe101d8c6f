import { hostname } from 'node:os';
import type { RequestCaller, RequestTransport } from '../../generated/prisma/enums.ts';
import { administratorOf, isIdentified, type Viewer } from '../../lib/access.ts';
import { HOUR } from '../../lib/time.ts';
import { RequestCounts } from './request-counts.ts';
import { harmless, type NotedError, type SentError, sentErrors, statusOfErrors } from './request-errors.ts';
import { QUIET, type RequestFacts, shownMethodOf, UNKNOWN } from './request-facts.ts';
import { RequestSamples } from './request-samples.ts';
import { shapeOfPath } from './unknown-paths.ts';

/** Of requests without an application, or of one that the caller only claims and that does not exist. */
export const NO_APPLICATION_ID = 0;

/** A row of the table `request_log`. */
export interface RecordedRequest {
  applicationId: number;
  at: Date;
  requestId: string;
  host: string;
  pid: number;
  transport: RequestTransport;
  method: string | null;
  route: string;
  path: string | null;
  operation: string | null;
  fields: readonly string[];
  status: number;
  httpStatus: number | null;
  errors: SentError[];
  durationMs: number;
  isSlow: boolean;
  isCutOff: boolean;
  caller: RequestCaller;
  userId: number | null;
  apiKeyId: number | null;
  administratorId: number | null;
  sessionId: number | null;
  network: string | null;
  userAgent: string | null;
  responseBytes: number | null;
  className: string | null;
  missingIndex: readonly string[];
}

/** What the transports know when a request has ended. */
export interface EndedRequest {
  facts: Pick<
    RequestFacts,
    'id' | 'route' | 'viewer' | 'operation' | 'fields' | 'errors' | 'applicationId' | 'isOpenEnded' | 'list'
  >;
  ms: number;
  transport: RequestTransport;
  method: string | null;
  /** Of the request; null over a socket. */
  url: string | null;
  httpStatus: number | null;
  isCutOff: boolean;
  network: string | null;
  userAgent: string | null;
  responseBytes: number | null;
}

/** What is known of requests that are only counted. */
export interface CountedRequest extends Pick<EndedRequest, 'ms' | 'httpStatus'> {
  facts: Pick<RequestFacts, 'viewer' | 'errors' | 'applicationId' | 'isOpenEnded'>;
}

/** Requests of an hour that were not buffered. */
export interface SkippedRequests {
  applicationId: number;
  hour: Date;
  count: number;
}

export interface RequestBatch {
  requests: RecordedRequest[];
  skipped: SkippedRequests[];
}

const MAX_PENDING = 2_000;
const MAX_PENDING_OF_APPLICATION = 500;
const MAX_SKIPPED_COUNTS = 1_000;
const MAX_USER_AGENT = 200;
const MAX_OPERATION = 64;
/** Names have few, tokens have many. */
const MAX_DIGITS = 3;

/**
 * Failed and slow requests of this process, in memory until `src/jobs/store-requests.ts` stores them. Bounded, so that
 * neither a flood of errors nor an unavailable database fills the memory; requests beyond are counted.
 */
export class RequestLog {
  /** Infinity: slow requests are not recorded. */
  readonly slowMs: number;
  /** Names that may be stored. */
  isKnownName: (name: string, applicationId: number) => boolean = () => false;
  /** Of all requests, except those of the console. */
  readonly figures = new RequestCounts();
  readonly #now: () => Date;
  readonly #host = harmless(hostname(), 100);
  readonly #samples = new RequestSamples();
  #pending: RecordedRequest[] = [];
  #pendingOf = new Map<number, number>();
  #skipped = new Map<string, SkippedRequests>();

  constructor(slowMs: number, now: () => Date) {
    this.slowMs = slowMs;
    this.#now = now;
  }

  /** Of every request; looking at the figures must not change them, so those of administrators do not count. */
  count(ended: CountedRequest): void {
    const { facts, ms } = ended;
    if (facts.viewer && administratorOf(facts.viewer)) return;
    const { applicationId } = applicationOf(ended);
    const { status } = this.#outcomeOf(ended);
    this.figures.add({ applicationId, hour: hourOf(this.#now()), status, ms: facts.isOpenEnded ? undefined : ms });
  }

  /** Never throws. */
  add(ended: EndedRequest): void {
    const { facts, transport, method } = ended;
    if (QUIET.has(facts.route)) return;
    const at = this.#now();
    const { status, isSlow } = this.#outcomeOf(ended);
    const { isVerified, applicationId } = applicationOf(ended);
    const isKnown = (name: string) => this.isKnownName(name, applicationId);
    const shownMethod = method === null ? null : shownMethodOf(method);
    const kind = [isVerified ? applicationId : '', transport, shownMethod, facts.route, facts.fields?.[0], status];
    if (!this.#samples.admits(kind.join(' '), performance.now()) || !this.#hasRoomFor(applicationId)) {
      this.#skip(applicationId, at);
      return;
    }
    this.#push({
      applicationId,
      at,
      requestId: facts.id,
      host: this.#host,
      pid: process.pid,
      transport,
      method: shownMethod,
      route: facts.route,
      path: facts.route === UNKNOWN && ended.url !== null ? shapeOfPath(ended.url, isKnown) : null,
      operation: shownOperation(facts.operation),
      fields: facts.fields ?? [],
      status,
      httpStatus: ended.httpStatus,
      errors: sentErrors(facts.errors ?? [], isKnown),
      durationMs: Math.round(ended.ms * 10) / 10,
      isSlow,
      isCutOff: ended.isCutOff,
      ...callerOf(facts.viewer),
      network: ended.network && harmless(ended.network, MAX_USER_AGENT),
      userAgent: ended.userAgent && harmless(ended.userAgent, MAX_USER_AGENT),
      responseBytes: ended.responseBytes,
      className: facts.list?.className ?? null,
      missingIndex: facts.list?.missingIndex() ?? [],
    });
  }

  /** Takes what is pending, to store it. */
  take(): RequestBatch {
    const batch = { requests: this.#pending, skipped: [...this.#skipped.values()] };
    this.#pending = [];
    this.#pendingOf = new Map();
    this.#skipped = new Map();
    return batch;
  }

  /** Returns a batch that could not be stored, as far as there is room. */
  putBack({ requests, skipped }: RequestBatch): void {
    const newer = this.take();
    for (const { applicationId, hour, count } of [...skipped, ...newer.skipped]) this.#skip(applicationId, hour, count);
    for (const request of [...requests, ...newer.requests]) {
      if (this.#hasRoomFor(request.applicationId)) this.#push(request);
      else this.#skip(request.applicationId, request.at);
    }
  }

  #outcomeOf({ facts, ms, httpStatus }: CountedRequest): { status: number; isSlow: boolean } {
    const ofErrors = (errors: readonly NotedError[] | undefined) => (errors?.length ? statusOfErrors(errors) : 200);
    const status = httpStatus !== null && httpStatus >= 400 ? httpStatus : ofErrors(facts.errors);
    const isFailed = status >= 400;
    return {
      status: isFailed ? status : (httpStatus ?? status),
      isSlow: ms >= this.slowMs && facts.isOpenEnded !== true,
    };
  }

  #hasRoomFor(applicationId: number): boolean {
    const count = this.#pendingOf.get(applicationId) ?? 0;
    return this.#pending.length < MAX_PENDING && count < MAX_PENDING_OF_APPLICATION;
  }

  #push(request: RecordedRequest): void {
    const { applicationId } = request;
    this.#pending.push(request);
    this.#pendingOf.set(applicationId, (this.#pendingOf.get(applicationId) ?? 0) + 1);
  }

  #skip(applicationId: number, at: Date, count = 1): void {
    const hour = hourOf(at);
    const key = `${applicationId} ${hour.getTime()}`;
    const skipped = this.#skipped.get(key);
    if (skipped) skipped.count += count;
    else if (this.#skipped.size < MAX_SKIPPED_COUNTS) this.#skipped.set(key, { applicationId, hour, count });
    else if (applicationId !== NO_APPLICATION_ID) this.#skip(NO_APPLICATION_ID, at, count);
  }
}

/** Of the client, so that it may be a token by mistake. */
function shownOperation(name: string | undefined): string | null {
  if (name === undefined) return null;
  const digits = name.replace(/\D/g, '').length;
  return name.length <= MAX_OPERATION && digits <= MAX_DIGITS ? name : '…';
}

export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / HOUR) * HOUR);
}

/** Callers can claim an application with an expired token; such a claim must not give a flood its own budget. */
function applicationOf({ facts: { viewer, applicationId } }: CountedRequest) {
  if (viewer && isIdentified(viewer)) return { isVerified: true, applicationId: viewer.applicationId };
  if (applicationId !== undefined) return { isVerified: true, applicationId };
  const claimed = viewer?.kind === 'refused' ? viewer.claimedApplicationId : undefined;
  return { isVerified: false, applicationId: claimed ?? NO_APPLICATION_ID };
}

function callerOf(viewer: Viewer = { kind: 'anonymous' }) {
  const administratorId = administratorOf(viewer)?.id ?? null;
  const apiKeyId = 'apiKeyId' in viewer ? (viewer.apiKeyId ?? null) : null;
  const sessionId = 'session' in viewer ? (viewer.session?.id ?? null) : null;
  const userId = viewer.kind === 'user' ? viewer.userId : null;
  const caller = kindOf(viewer, { administratorId, apiKeyId });
  return { caller, userId, apiKeyId, administratorId, sessionId };
}

function kindOf(
  { kind }: Viewer,
  { administratorId, apiKeyId }: { administratorId: number | null; apiKeyId: number | null },
): RequestCaller {
  if (kind === 'anonymous' || kind === 'refused') return kind;
  if (administratorId !== null) return 'administrator';
  if (apiKeyId !== null) return 'apiKey';
  return kind === 'user' ? 'user' : 'session';
}
