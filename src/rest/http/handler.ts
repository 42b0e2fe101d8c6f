import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Services } from '../../context.ts';
import type { StagedFile } from '../../gateways/storage.ts';
import { executePrepared } from '../../graphql/prepared-operation.ts';
import { type IdentifiedViewer, isKnown, refusal, type Viewer } from '../../lib/access.ts';
import { type Parameters, parseQuery } from '../../lib/bracket-keys.ts';
import { type Credentials, readCredentials } from '../../lib/credentials.ts';
import { NotFoundError, type ServiceError, SessionMissingError } from '../../lib/errors.ts';
import type { FairnessPath } from '../../lib/semaphore.ts';
import { callerLeft as callerLeftOf } from '../../platform/http/caller-left.ts';
import { discardBody, readBody } from '../../platform/http/request-body.ts';
import { isLargeBody } from '../../platform/http/unauthenticated-body.ts';
import { callerKey } from '../../platform/limits/connection-limit.ts';
import { factsOf, PREFLIGHT } from '../../platform/observability/request-facts.ts';
import { createContext, deriveContext } from '../../resolvers/create-context.ts';
import { removeReleased, stageFile } from '../../resolvers/files/staged.ts';
import { authenticate } from '../../resolvers/sessions/authenticate.ts';
import { errorList, isAboutInput, serviceErrorOf } from '../errors.ts';
import { expiryOf } from './headers.ts';
import { type BodyLimits, queryText, readParameters } from './parameters.ts';
import { isXmlPath, takeToken, withoutSuffix } from './paths.ts';
import { type Exchange, Responses } from './responses.ts';
import type { Answer, Upload } from './route.ts';
import type { RouteMatch, Routing } from './routing.ts';
import { type FilePart, readUpload } from './uploads.ts';
import { isOlder, VERSION_HEADER } from './versions.ts';
import { refuseWrongTypes } from './wrong-types.ts';

export const BODY_LIMITS: BodyLimits = { maxBytes: 1024 * 1024 };

interface Entered extends Exchange {
  token?: string | undefined;
  keyWins?: boolean | undefined;
}

interface Call extends Entered, RouteMatch {
  context?: Context;
  upload?: StagedFile;
  refused?: ServiceError;
}

/** Checks run in the order of docs/reference/rest-contract.md. The first error wins. */
export class RestHandler {
  readonly #services: Services;
  readonly #tokenHeaders: readonly string[];
  readonly #routing: Routing;
  readonly #responses: Responses;

  constructor(services: Services, tokenHeaders: readonly string[], routing: Routing) {
    this.#services = services;
    this.#tokenHeaders = tokenHeaders;
    this.#routing = routing;
    this.#responses = new Responses(tokenHeaders, services.log);
  }

  /** Never rejects: the caller does not await it, and an unhandled rejection would end the process. */
  async answer(request: IncomingMessage, response: ServerResponse, next?: () => void): Promise<void> {
    const { url = '/' } = request;
    const facts = factsOf(request);
    const entered: Entered = {
      request,
      response,
      requestId: facts.id,
      arrivedAt: facts.arrivedAt,
      isXml: isXmlPath(url),
    };
    try {
      if (request.method === 'OPTIONS') this.#allow(entered);
      else await this.#find(entered, withoutSuffix(url), next);
    } catch (error) {
      this.#responses.sendError(entered, error, errorList, undefined);
    }
  }

  #allow(entered: Entered): void {
    const { request } = entered;
    factsOf(request).route = PREFLIGHT;
    entered.meter = this.#services.rateLimits?.meter(this.#services.networkOf(request), { kind: 'anonymous' });
    this.#responses.sendPreflight(entered);
  }

  async #find(entered: Entered, url: string, next: (() => void) | undefined): Promise<void> {
    const { request } = entered;
    const match = this.#routing.find(request.method, url);
    if (match) await this.#serve(Object.assign(entered, match));
    else if (next) next();
    else await this.#reject(entered, (await declaredTooLarge(request, BODY_LIMITS.maxBytes)) ?? new NotFoundError());
  }

  async #serve(call: Call): Promise<void> {
    const { route, rules, request } = call;
    const facts = factsOf(request);
    facts.route = route.path;
    facts.fields = [rules.field];
    if (route.upload || route.download) facts.isOpenEnded = true;
    const maxBytes = (route.upload ?? route.body ?? BODY_LIMITS).maxBytes;
    const tooLarge = await declaredTooLarge(request, maxBytes);
    if (tooLarge) return this.#reject(call, tooLarge);
    call.keyWins = route.keyWins;
    try {
      const { context, parameters } = await this.#enterOperation(call);
      const restRequest = {
        path: pathValues(call),
        parameters,
        header: (name: string) => headerOf(request, name)?.trim() || undefined,
      };
      context.upload = call.upload;
      refuseWrongTypes(route, parameters);
      const data = (await executePrepared(route.document, route.variables(restRequest), context)) as never;
      const answer = route.respond(data, restRequest);
      const expiresAt = this.#expiry(answer, context);
      const { viewer, network } = context;
      if (answer.file) await this.#responses.sendFile(call, answer.file, expiresAt, ownerOf(viewer, network));
      else this.#responses.send(call, { status: route.docs.status ?? 200, xml: route.xml, ...answer }, expiresAt);
    } catch (error) {
      if (route.upload) await this.#abandonUpload(call, maxBytes);
      const isPublic = rules.access === 'anyone' && !route.download;
      const expiresAt = isPublic ? undefined : await this.#expiryAfterError(call, call.context);
      const isPlain = route.plainRefusal === true && error !== call.refused && isAboutInput(serviceErrorOf(error));
      if (isPlain) this.#responses.sendPlainRefusal(call, error, expiresAt);
      else this.#responses.sendError(call, error, route.errors, expiresAt);
    }
  }

  async #enterOperation(call: Call): Promise<{ context: Context; parameters: Parameters }> {
    const { route, rules, request } = call;
    // The body of an upload is not read before the caller is known.
    if (route.upload && call.isXml) call.token = takeToken(parseQuery(queryText(request.url ?? ''))).token;
    call.context = await this.#contextOf(call);
    factsOf(request).viewer = call.context.viewer;
    call.meter = this.#services.rateLimits?.meter(call.context.network, call.context.viewer);
    call.context.meter = call.meter;
    await call.meter?.count(rules.limit);
    if (route.upload) requireAllowed(call);
    const parameters = await this.#parametersOf(call);
    if (call.token && call.context.viewer.kind === 'anonymous') {
      call.context = deriveContext(await this.#contextOf(call), { meter: call.meter });
      factsOf(request).viewer = call.context.viewer;
    }
    requireAllowed(call);
    return { context: call.context, parameters };
  }

  /** Errors without an operation count as requests, but are not replaced by 429. */
  async #reject(entered: Entered, error: Error): Promise<void> {
    await this.#tally(entered);
    this.#responses.sendError(entered, error, errorList, await this.#expiryAfterError(entered, undefined));
  }

  async #tally(entered: Entered): Promise<void> {
    const { rateLimits, log } = this.#services;
    if (!rateLimits) return;
    try {
      const network = this.#services.networkOf(entered.request);
      const viewer = await authenticate(this.#credentialsOf(entered), network, this.#services);
      entered.meter = rateLimits.meter(network, viewer);
      await entered.meter.tally('default');
    } catch (error) {
      log.warn({ err: error }, 'a request could not be counted');
    }
  }

  async #parametersOf(call: Call): Promise<Parameters> {
    const { route, rules } = call;
    const isCredential = route.download || (call.isXml && rules.access !== 'anyone');
    const received = route.upload
      ? await this.#receive(call, route.upload)
      : await this.#read(call, isCredential === true);
    if (!isCredential) return received;
    const { token, parameters } = takeToken(received);
    call.token ??= token;
    return parameters;
  }

  /** Does not read a large body if the caller is refused anyway. */
  async #read(call: Call, mayHoldToken: boolean): Promise<Parameters> {
    const { route, request } = call;
    const { viewer } = call.context!;
    const limits = route.body ?? BODY_LIMITS;
    if (isLargeBody(request) && !(mayHoldToken && viewer.kind === 'anonymous') && isRefused(call)) {
      await discardBody(request, limits.maxBytes);
      requireAllowed(call);
    }
    const isAuthenticated = isKnown(viewer);
    return readParameters(request, limits, isAuthenticated);
  }

  #receive(call: Call, { maxBytes, admit }: Upload): Promise<Parameters> {
    const context = call.context!;
    const onFile = async (before: Parameters, part: FilePart) => {
      const applicationId = admit ? await admit(before, context) : (context.viewer as IdentifiedViewer).applicationId;
      call.upload = await stageFile({ applicationId, maxBytes, ...part }, this.#services);
    };
    return readUpload(call.request, { maxBytes, maxTextBytes: BODY_LIMITS.maxBytes, onFile });
  }

  async #abandonUpload({ request, upload }: Call, maxBytes: number): Promise<void> {
    await discardBody(request, maxBytes);
    if (upload) await removeReleased([upload], this.#services);
  }

  async #contextOf(call: Call): Promise<Context> {
    const { route, rules } = call;
    const needsCaller = rules.access !== 'anyone' || route.download;
    const network = this.#services.networkOf(call.request);
    const viewer = needsCaller
      ? await authenticate(this.#credentialsOf(call), network, this.#services)
      : ({ kind: 'anonymous' } as const);
    const callerLeft = callerLeftOf(call.response);
    const facts = factsOf(call.request);
    const userAgent = call.request.headers['user-agent'];
    const known = { network, userAgent, facts, callerLeft };
    return createContext(this.#services, viewer, { ...known, isCounted: true, isLegacy: true });
  }

  /** A credential in any header takes precedence over the parameter. */
  #credentialsOf({ request: { headers }, token, keyWins }: Entered): Credentials {
    const read = readCredentials((name) => headers[name.toLowerCase()], this.#tokenHeaders);
    const credentials = keyWins && read.authorization ? { ...read, token: undefined } : read;
    return credentials.token || credentials.authorization ? credentials : { ...credentials, token };
  }

  #expiry(answer: Answer, { viewer }: Context): Date | undefined {
    return answer.endsSession ? undefined : (answer.expiresAt ?? expiryOf(viewer));
  }

  /** Errors before the caller is known restart the lifetime of the session, too. */
  async #expiryAfterError(entered: Entered, context: Context | undefined): Promise<Date | undefined> {
    if (context && context.viewer.kind !== 'refused') return expiryOf(context.viewer);
    if (context?.viewer.kind === 'refused' && context.viewer.reason instanceof SessionMissingError) return undefined;
    const { token, authorization } = this.#credentialsOf(entered);
    if (!token || authorization) return undefined;
    const credentials = { token, authorization: undefined, onBehalfOf: undefined };
    // If the database is unavailable, the response is the original error without an expiry.
    const network = this.#services.networkOf(entered.request);
    const viewer = await authenticate(credentials, network, this.#services).catch(() => undefined);
    return viewer && expiryOf(viewer);
  }
}

/** The 413 for a declared length above the limit, which precedes all other errors. Discards the body. */
async function declaredTooLarge(request: IncomingMessage, maxBytes: number): Promise<Error | undefined> {
  if (Number(request.headers['content-length'] ?? 0) <= maxBytes) return undefined;
  return readBody(request, maxBytes).then(
    () => undefined,
    (error) => error,
  );
}

const isRefused = ({ rules, context }: Call) => refusal(rules.access, context!.viewer) !== undefined;

function requireAllowed(call: Call): void {
  const { route, rules, request, context } = call;
  const refused = refusal(rules.access, context!.viewer);
  if (refused) {
    call.refused = refused;
    throw refused;
  }
  if (route.since && isOlder(headerOf(request, VERSION_HEADER), route.since)) throw new NotFoundError();
}

/** Replaces NUL, which PostgreSQL refuses, so that such an id is unknown like other invalid ids. */
function pathValues({ params }: RouteMatch): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of Object.keys(params)) values[name] = params[name]!.replaceAll('\0', '\ufffd');
  return values;
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  return headers[name.toLowerCase()] as string | undefined;
}

/** Limits downloads per application, network and caller: one network may have signed up many users of an application. */
function ownerOf(viewer: Viewer, network: string): FairnessPath {
  const application = 'applicationId' in viewer ? viewer.applicationId : 0;
  return [`application:${application}`, network, callerKey(viewer, network)];
}
