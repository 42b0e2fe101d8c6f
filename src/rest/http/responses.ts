import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { presentError } from '../../graphql/presented-errors.ts';
import { type ErrorCode, STATUS_OF_CODE } from '../../lib/errors.ts';
import type { FairnessPath } from '../../lib/semaphore.ts';
import type { Meter } from '../../platform/limits/rate-limits.ts';
import { factsOf } from '../../platform/observability/request-facts.ts';
import type { ServedFile } from '../../resolvers/files/served-file.ts';
import { legacyError, serviceErrorOf } from '../errors.ts';
import { legacySentence } from '../legacy-sentences.ts';
import { portionOf, sendPortion } from './downloads.ts';
import { addHeaders, type HeaderList, ResponseHeaders } from './headers.ts';
import { type RenderedBody, render } from './rendering.ts';
import type { RestResponse, Route } from './route.ts';

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  arrivedAt: number;
  isXml: boolean;
  meter?: Meter | undefined;
}

export class Responses {
  readonly #headers: ResponseHeaders;
  readonly #log: Logger;

  constructor(tokenHeaders: readonly string[], log: Logger) {
    this.#headers = new ResponseHeaders(tokenHeaders);
    this.#log = log;
  }

  sendPreflight(exchange: Exchange): void {
    this.send(exchange, { status: 200, body: undefined }, undefined, this.#headers.ofPreflight(exchange.request));
  }

  send(exchange: Exchange, answer: RestResponse, expiresAt: Date | undefined, more?: Record<string, string>): void {
    const { status } = answer;
    const { response, requestId, arrivedAt, isXml, meter } = exchange;
    const headers = this.#headers.of({ status, requestId, arrivedAt, expiresAt, rateCount: meter?.state });
    writeBody(response, status, more ? addHeaders(headers, more) : headers, render(answer, isXml));
  }

  /** @param owner whose downloads take turns */
  async sendFile(
    exchange: Exchange,
    file: ServedFile,
    expiresAt: Date | undefined,
    owner: FairnessPath,
  ): Promise<void> {
    const { request, response, requestId, arrivedAt, meter } = exchange;
    const portion = portionOf(file, request);
    if (portion.status === 416) {
      const refused = { status: 416, body: { errors: ['Requested range is not satisfiable'] } };
      return this.send(exchange, refused, expiresAt, portion.headers);
    }
    const facts = { status: portion.status, requestId, arrivedAt, expiresAt, rateCount: meter?.state };
    try {
      await sendPortion(file, portion, { request, response, owner, more: this.#headers.of(facts) });
    } catch (error) {
      if (!response.headersSent) throw error;
      const isClientGone = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
      if (!isClientGone) this.#log.error({ err: error, requestId }, 'a download broke off');
    }
  }

  sendError(exchange: Exchange, error: unknown, bodyOf: Route['errors'], expiresAt: Date | undefined): void {
    if (exchange.response.headersSent) return;
    const { retryAfter, ...answer } = this.#errorAnswer(error, bodyOf, exchange);
    noteError(exchange, error, answer);
    this.send(exchange, answer, expiresAt, retryAfter ? { 'Retry-After': String(retryAfter) } : undefined);
  }

  /** Legacy endpoints answer invalid input without a text; the request log has it. */
  sendPlainRefusal(exchange: Exchange, error: unknown, expiresAt: Date | undefined): void {
    const answer = { status: 400, body: {} };
    noteError(exchange, error, answer);
    this.send(exchange, answer, expiresAt);
  }

  /** `retryAfter` in seconds. */
  #errorAnswer(
    error: unknown,
    bodyOf: Route['errors'],
    { requestId }: Exchange,
  ): RestResponse & { retryAfter?: unknown } {
    const known = serviceErrorOf(error);
    if (known) return { ...legacyError(known, bodyOf), retryAfter: known.extensions.retryAfter };
    const { message, extensions } = presentError(error, this.#log.child({ requestId }));
    const status = STATUS_OF_CODE[extensions.code as ErrorCode];
    if (status >= 500) return { status, body: { errors: [message] }, retryAfter: extensions.retryAfter };
    // An error of GraphQL: its type cannot represent a value.
    return { status: 400, body: { errors: ['Malformed request body'] } };
  }
}

function noteError({ request }: Exchange, error: unknown, { body }: RestResponse): void {
  const known = serviceErrorOf(error);
  const message = loggedText(body) || known?.message || 'Internal server error';
  factsOf(request).errors = [{ message, sentence: legacySentence, ...(known && { extensions: known.extensions }) }];
}

/** Of any legacy form: `{"errors":["…"]}`, `{"errors":{"login":["…"]}}`, `{"code":null,"message":"…"}`. */
function loggedText(body: unknown): string {
  const { errors, message } = (body ?? {}) as { errors?: unknown; message?: unknown };
  if (typeof message === 'string') return message;
  if (Array.isArray(errors)) return errors.join(', ');
  const fields = Object.entries((errors ?? {}) as Record<string, unknown>).filter(([field]) => field !== 'base');
  const base = (errors as { base?: unknown } | undefined)?.base;
  return Array.isArray(base) ? base.join(', ') : fields.map(([field, texts]) => `${field} ${String(texts)}`).join(', ');
}

function writeBody(
  response: ServerResponse,
  status: number,
  headers: HeaderList,
  body: RenderedBody | undefined,
): void {
  if (body === undefined) {
    headers.push('Content-Length', '0');
    response.writeHead(status, headers).end();
    return;
  }
  const { type, text } = body;
  headers.push('Content-Type', type, 'Content-Length', String(Buffer.byteLength(text)));
  response.writeHead(status, headers).end(text);
}
