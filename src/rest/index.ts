import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { execute, type GraphQLError, Kind, type OperationDefinitionNode, validate } from 'graphql';
import type { Context, Services } from '../context.ts';
import { shownError } from '../graphql/shown-errors.ts';
import { type Access, refusal } from '../lib/access.ts';
import { type Credentials, readCredentials } from '../lib/credentials.ts';
import { NotFoundError, ServiceError } from '../lib/errors.ts';
import { createLoaders } from '../resolvers/loaders.ts';
import { authenticate } from '../resolvers/sessions/authenticate.ts';
import { operationAccess, schema } from '../schema/index.ts';
import { dialogRoutes } from './dialogs.ts';
import { commonBody, errorList, statusOf } from './errors.ts';
import { AnswerHeaders, expiryOf } from './headers.ts';
import { messageRoutes } from './messages.ts';
import { readParameters } from './parameters.ts';
import { reactionRoutes } from './reactions.ts';
import type { Answer, Route } from './route.ts';
import { sessionRoutes } from './sessions.ts';
import { userRoutes } from './users.ts';

/** Every legacy endpoint; fixed words stand before the parameters they would match. */
export const routes: Route[] = [...sessionRoutes, ...userRoutes, ...dialogRoutes, ...messageRoutes, ...reactionRoutes];

const MAX_BODY_BYTES = 1024 * 1024;

/** The REST door: each endpoint runs one GraphQL operation in process, under the same rules as every other door. */
export function restAdapter(services: Services, tokenHeaders: readonly string[]): Express {
  const door = new RestDoor(services, tokenHeaders);
  const app = express();
  app.disable('x-powered-by');
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.use((request, response, next) => door.enter(request, response, next));
  for (const endpoint of routes) {
    const access = accessOf(endpoint);
    app[endpoint.method](endpoint.path, (request, response) => door.serve(endpoint, access, request, response));
  }
  app.use((request, response) => door.refuse(request, response, new NotFoundError()));
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    // Express itself fails only at a path that can't be decoded, which is no path of ours.
    return door.refuse(request, response, error instanceof URIError ? new NotFoundError() : (error as Error));
  });
  return app;
}

interface Locals {
  requestId: string;
  arrivedAt: number;
}

class RestDoor {
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
    if (request.method === 'OPTIONS') {
      this.#send(response, { status: 200, body: undefined }, undefined, this.#headers.ofPreflight(request));
    } else if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
      readParameters(request, { maxBytes: MAX_BODY_BYTES }).catch((error) => this.refuse(request, response, error));
    } else {
      request.url = withoutSuffix(request.url);
      next();
    }
  }

  async serve(endpoint: Route, access: Access, request: Request, response: Response): Promise<void> {
    let context: Context | undefined;
    try {
      const given = await readParameters(request, { maxBytes: MAX_BODY_BYTES });
      context = await this.#contextOf(request, access);
      const refused = refusal(access, context.viewer);
      if (refused) throw refused;

      const asked = { path: pathValues(request), given };
      const data = await run(endpoint, endpoint.variables(asked), context);
      const answer = endpoint.respond(data, asked);
      this.#send(response, answer, this.#expiry(answer, context));
    } catch (error) {
      const expiresAt = access === 'anyone' ? undefined : await this.#expiryAfterError(request, context);
      this.#sendError(response, error, endpoint.errors, expiresAt);
    }
  }

  /** Answers an error outside any endpoint. */
  async refuse(request: Request, response: Response, error: Error): Promise<void> {
    this.#sendError(response, error, errorList, await this.#expiryAfterError(request, undefined));
  }

  async #contextOf(request: IncomingMessage, access: Access): Promise<Context> {
    const viewer =
      access === 'anyone'
        ? ({ kind: 'anonymous' } as const)
        : await authenticate(this.#credentialsOf(request), this.#services);
    return { ...this.#services, viewer, loaders: createLoaders(viewer) };
  }

  #credentialsOf({ headers }: IncomingMessage): Credentials {
    return readCredentials((name) => headers[name.toLowerCase()], this.#tokenHeaders);
  }

  #expiry(answer: Answer, { viewer, now, sessionClock }: Context): Date | undefined {
    if (answer.endsSession) return undefined;
    return answer.opensSession ? sessionClock.expiry(now()) : expiryOf(viewer);
  }

  /** Errors that come before the caller is known, or instead of it, restart the lifetime of the session all the same. */
  async #expiryAfterError(request: IncomingMessage, context: Context | undefined): Promise<Date | undefined> {
    if (context && context.viewer.kind !== 'refused') return expiryOf(context.viewer);
    const { token, authorization } = this.#credentialsOf(request);
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

  #send(
    response: Response,
    { status, body }: Answer,
    expiresAt: Date | undefined,
    more: Record<string, string> = {},
  ): void {
    const { requestId, arrivedAt } = response.locals as Locals;
    const headers = this.#headers.of({ status, requestId, arrivedAt, expiresAt });
    writeBody(response, status, { ...headers, ...more }, body);
  }
}

function writeBody(response: ServerResponse, status: number, headers: Record<string, string>, body: unknown): void {
  if (body === undefined) {
    response.writeHead(status, { ...headers, 'Content-Length': '0' }).end();
    return;
  }
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      ...headers,
      'Content-Type': 'application/json; charset=utf-8',
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

/** The contract's error in what was thrown, if it is one. */
function serviceErrorOf(error: unknown): ServiceError | undefined {
  let cause = error;
  while (cause !== undefined && cause !== null && !(cause instanceof ServiceError)) {
    cause = (cause as GraphQLError).originalError;
  }
  return cause instanceof ServiceError ? cause : undefined;
}

/** Who may call the endpoint: whoever may call its operation. Documents that do not fit the schema stop the start. */
function accessOf({ method, path, document }: Route): Access {
  const [error] = validate(schema, document);
  if (error) throw new Error(`${method} ${path}: ${error.message}`);
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  )!;
  const [field, ...others] = operation.selectionSet.selections;
  if (field?.kind !== Kind.FIELD || others.length > 0) throw new Error(`${method} ${path}: one root field is needed`);
  const type = operation.operation === 'query' ? 'Query' : 'Mutation';
  return operationAccess.get(`${type}.${field.name.value}`)!;
}

/** `/users/7.json/?x` → `/users/7?x`: the suffix and one trailing slash say nothing (gaps §1.1). */
function withoutSuffix(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  const query = end < 0 ? '' : url.slice(end);
  return (path.replace(/(.)\/$/, '$1').replace(/\.json$/, '') || '/') + query;
}
