import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { execute, type GraphQLError } from 'graphql';
import type { Context, Services } from '../context.ts';
import { shownError } from '../graphql/shown-errors.ts';
import { type Access, refusal } from '../lib/access.ts';
import type { Parameters } from '../lib/bracket-keys.ts';
import { type Credentials, readCredentials } from '../lib/credentials.ts';
import { BadInputError, NotFoundError, ServiceError, SessionMissingError, UnprocessableError } from '../lib/errors.ts';
import type { LimitName } from '../lib/rate-limits.ts';
import { isOlder, VERSION_HEADER } from '../lib/versions.ts';
import type { Meter } from '../limits/rate-limits.ts';
import { createLoaders } from '../resolvers/loaders.ts';
import { authenticate } from '../resolvers/sessions/authenticate.ts';
import { schema } from '../schema/index.ts';
import { commonBody, errorList, statusOf } from './errors.ts';
import { AnswerHeaders, expiryOf } from './headers.ts';
import { readParameters } from './parameters.ts';
import { isXmlPath, takeToken, withoutSuffix } from './paths.ts';
import { type RenderedBody, render } from './rendering.ts';
import type { Answer, Route } from './route.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/** What the schema says of an endpoint's operation. */
interface Rules {
  access: Access;
  limit: LimitName;
}

interface Locals {
  requestId: string;
  arrivedAt: number;
  isXml: boolean;
  /** The credential that came as a parameter, where one may. */
  token?: string | undefined;
  /** Counts the request; undefined while rate limits are off. */
  meter?: Meter | undefined;
}

/** Takes a request through the checks that are the same for every endpoint, in the order of gaps §1.4. */
export class RestDoor {
  readonly #services: Services;
  readonly #tokenHeaders: readonly string[];
  readonly #headers: AnswerHeaders;

  constructor(services: Services, tokenHeaders: readonly string[]) {
    this.#services = services;
    this.#tokenHeaders = tokenHeaders;
    this.#headers = new AnswerHeaders(tokenHeaders);
  }

  /** Preflights, size and suffix, before the path is looked up. */
  enter(request: Request, response: Response, next: NextFunction): void {
    const locals = response.locals as Locals;
    locals.requestId = randomUUID();
    locals.arrivedAt = performance.now();
    locals.isXml = isXmlPath(request.url);
    if (request.method === 'OPTIONS') {
      locals.meter = this.#services.rateLimits?.meter(request, { kind: 'anonymous' });
      this.#send(response, { status: 200, body: undefined }, undefined, this.#headers.ofPreflight(request));
    } else if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
      readParameters(request, { maxBytes: MAX_BODY_BYTES }).catch((error) => this.refuse(request, response, error));
    } else {
      request.url = withoutSuffix(request.url);
      next();
    }
  }

  async serve(endpoint: Route, { access, limit }: Rules, request: Request, response: Response): Promise<void> {
    const locals = response.locals as Locals;
    let context: Context | undefined;
    let refused: ServiceError | undefined;
    try {
      context = await this.#contextOf(request, access, locals);
      locals.meter = this.#services.rateLimits?.meter(request, context.viewer);
      await locals.meter?.count(limit);
      const given = await this.#parametersOf(request, access, locals);
      if (locals.token && context.viewer.kind === 'anonymous') context = await this.#contextOf(request, access, locals);
      refused = refusal(access, context.viewer);
      if (refused) throw refused;
      if (endpoint.since && isOlder(request.get(VERSION_HEADER), endpoint.since)) throw new NotFoundError();

      const asked = {
        path: pathValues(request),
        given,
        header: (name: string) => request.get(name)?.trim() || undefined,
      };
      const data = await run(endpoint, endpoint.variables(asked), context);
      const answer = endpoint.respond(data, asked);
      this.#send(response, { xml: endpoint.xml, ...answer }, this.#expiry(answer, context));
    } catch (error) {
      const expiresAt = access === 'anyone' ? undefined : await this.#expiryAfterError(request, locals, context);
      const isPlain = endpoint.plainRefusal === true && error !== refused && isAboutInput(error);
      if (isPlain) this.#send(response, { status: 400, body: {} }, expiresAt);
      else this.#sendError(response, error, endpoint.errors, expiresAt);
    }
  }

  /** Answers an error outside any endpoint, which counts as a request but is told in any case. */
  async refuse(request: Request, response: Response, error: Error): Promise<void> {
    await this.#tally(request, response.locals as Locals);
    this.#sendError(
      response,
      error,
      errorList,
      await this.#expiryAfterError(request, response.locals as Locals, undefined),
    );
  }

  async #tally(request: IncomingMessage, locals: Locals): Promise<void> {
    const { rateLimits, log } = this.#services;
    if (!rateLimits) return;
    try {
      const viewer = await authenticate(this.#credentialsOf(request, locals), this.#services);
      locals.meter = rateLimits.meter(request, viewer);
      await locals.meter.tally('default');
    } catch (error) {
      log.warn({ err: error }, 'a request could not be counted');
    }
  }

  /** What an endpoint is given; a token among it is set aside where it counts as the credential. */
  async #parametersOf(request: IncomingMessage, access: Access, locals: Locals): Promise<Parameters> {
    const parameters = await readParameters(request, { maxBytes: MAX_BODY_BYTES });
    if (!locals.isXml || access === 'anyone') return parameters;
    const { token, given } = takeToken(parameters);
    locals.token = token;
    return given;
  }

  async #contextOf(request: IncomingMessage, access: Access, locals: Locals): Promise<Context> {
    const viewer =
      access === 'anyone'
        ? ({ kind: 'anonymous' } as const)
        : await authenticate(this.#credentialsOf(request, locals), this.#services);
    return { ...this.#services, viewer, loaders: createLoaders(viewer) };
  }

  /** A header of any kind wins over the parameter. */
  #credentialsOf({ headers }: IncomingMessage, { token }: Locals): Credentials {
    const credentials = readCredentials((name) => headers[name.toLowerCase()], this.#tokenHeaders);
    return credentials.token || credentials.authorization ? credentials : { ...credentials, token };
  }

  #expiry(answer: Answer, { viewer }: Context): Date | undefined {
    return answer.endsSession ? undefined : (answer.expiresAt ?? expiryOf(viewer));
  }

  /** Errors that come before the caller is known, or instead of it, restart the lifetime of the session all the same. */
  async #expiryAfterError(
    request: IncomingMessage,
    locals: Locals,
    context: Context | undefined,
  ): Promise<Date | undefined> {
    if (context && context.viewer.kind !== 'refused') return expiryOf(context.viewer);
    if (context?.viewer.kind === 'refused' && context.viewer.reason instanceof SessionMissingError) return undefined;
    const { token, authorization } = this.#credentialsOf(request, locals);
    if (!token || authorization) return undefined;
    const credentials = { token, authorization: undefined, onBehalfOf: undefined };
    // The database being away is told by the error itself, if it matters to it.
    const viewer = await authenticate(credentials, this.#services).catch(() => undefined);
    return viewer && expiryOf(viewer);
  }

  #sendError(response: Response, error: unknown, bodyOf: Route['errors'], expiresAt: Date | undefined): void {
    if (response.headersSent) return;
    const answer = this.#errorAnswer(error, bodyOf, response.locals as Locals);
    this.#send(response, answer, expiresAt);
  }

  #errorAnswer(error: unknown, bodyOf: Route['errors'], { requestId }: Locals): Answer {
    const known = serviceErrorOf(error);
    if (known) return { status: statusOf(known), body: commonBody(known) ?? bodyOf(known) };
    const { message } = shownError(error, this.#services.log.child({ requestId }));
    if (message === 'Service unavailable') return { status: 503, body: { errors: [message] } };
    if (message === 'Internal server error') return { status: 500, body: { errors: [message] } };
    // GraphQL itself complains: a value that its type can't hold.
    return { status: 400, body: { errors: ['Malformed request body'] } };
  }

  #send(response: Response, answer: Answer, expiresAt: Date | undefined, more: Record<string, string> = {}): void {
    const { status } = answer;
    const { requestId, arrivedAt, isXml, meter } = response.locals as Locals;
    const headers = this.#headers.of({ status, requestId, arrivedAt, expiresAt, rateCount: meter?.state });
    writeBody(response, status, { ...headers, ...more }, render(answer, isXml));
  }
}

function writeBody(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: RenderedBody | undefined,
): void {
  if (body === undefined) {
    response.writeHead(status, { ...headers, 'Content-Length': '0' }).end();
    return;
  }
  const { type, text } = body;
  response
    .writeHead(status, {
      ...headers,
      'Content-Type': type,
      'Content-Length': String(Buffer.byteLength(text)),
    })
    .end(text);
}

/** A NUL, which no operation takes, makes an id of the path unknown like any other text that is none. */
function pathValues({ params }: Request): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, text]) => [name, String(text).replaceAll('\0', '\ufffd')]),
  );
}

/** Runs the operation of an endpoint; the first error it has is thrown. */
async function run(endpoint: Route, variableValues: Record<string, unknown>, contextValue: Context): Promise<never> {
  const { data, errors } = await execute({ schema, document: endpoint.document, variableValues, contextValue });
  if (errors) throw errors[0];
  return data as never;
}

/** Whether something is wrong with the parameters of a request. */
function isAboutInput(error: unknown): boolean {
  const known = serviceErrorOf(error);
  return known instanceof UnprocessableError || (known instanceof BadInputError && known.status === 400);
}

/** The contract's error in what was thrown, if it is one. */
function serviceErrorOf(error: unknown): ServiceError | undefined {
  let cause = error;
  while (cause !== undefined && cause !== null && !(cause instanceof ServiceError)) {
    cause = (cause as GraphQLError).originalError;
  }
  return cause instanceof ServiceError ? cause : undefined;
}
