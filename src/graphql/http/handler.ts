import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type ExecutionArgs, type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { Context, Services } from '../../context.ts';
import { isKnown } from '../../lib/access.ts';
import { readCredentials } from '../../lib/credentials.ts';
import { BadInputError, RateLimitedError, ServiceUnavailableError, TooManyStreamsError } from '../../lib/errors.ts';
import { onFirstUse } from '../../lib/on-first-use.ts';
import { ResponseSize } from '../../lib/response-size.ts';
import { callerLeft } from '../../platform/http/caller-left.ts';
import { readBody } from '../../platform/http/request-body.ts';
import { isLargeBody, readUnauthenticatedBody } from '../../platform/http/unauthenticated-body.ts';
import { rateHeaders } from '../../platform/limits/definitions.ts';
import { factsOf, type RequestFacts } from '../../platform/observability/request-facts.ts';
import { createContext } from '../../resolvers/create-context.ts';
import { authenticate } from '../../resolvers/sessions/authenticate.ts';
import { schema } from '../../schema/index.ts';
import { type ConsolePage, callingPage, consolePage, withAdministrator } from '../console-cookie.ts';
import { execute } from '../execute.ts';
import { requestedOperation } from '../operations.ts';
import { presentError } from '../presented-errors.ts';
import { type ReadRequest, type RequestCaller, readRequest } from '../read-request.ts';
import { subscribeWhileCredentialsHold } from '../stream-credentials.ts';
import { tracedExecution } from '../traced-execution.ts';
import { type PlainRequest, plainRequest } from './plain-requests.ts';
import { acceptsPage, orderAccepted, requireReadable } from './request-shape.ts';
import { corsHeaders, EXPOSED, headersOfEveryAnswer, METHODS } from './response-headers.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/** Yoga adds the members of `Context`, so no other member may have the name of one of them. */
interface ServerContext {
  req: IncomingMessage;
  res: ServerResponse;
  caller: () => Promise<RequestCaller & { network: string }>;
  /** Set for requests that are read before Yoga sees them. */
  reading?: Promise<ReadRequest>;
  /** Set once the document has been parsed. */
  read?: ReadRequest;
  facts: RequestFacts;
  requestLogger: () => Logger;
}

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * GraphQL over HTTP at `/graphql`: POST, GET for queries, subscriptions as server-sent events.
 * @param pages serves GraphiQL to browsers
 */
export function graphqlOverHttp(services: Services, tokenHeaders: readonly string[], pages: Handler) {
  const fixedHeaders = headersOfEveryAnswer(tokenHeaders);
  const loadYoga = onFirstUse(() => createYogaServer(services, fixedHeaders));
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const facts = factsOf(request);
    const requestLogger = () => services.log.child({ requestId: facts.id });
    const caller = onFirstUse(async () => {
      const read = (name: string) => request.headers[name.toLowerCase()];
      const credentials = withAdministrator(readCredentials(read, tokenHeaders), pageOf(request, services), read);
      const network = services.networkOf(request);
      const viewer = await authenticate(credentials, network, services).catch((error) => {
        throw presentError(error, requestLogger());
      });
      facts.viewer = viewer;
      return { viewer, network, meter: services.rateLimits?.meter(network, viewer) };
    });
    const headersOf = async () => ({ ...fixedHeaders, ...(await countsOf(request, caller)) });
    const server: ServerContext = { req: request, res: response, caller, facts, requestLogger };
    try {
      const body = await readBodyOf(request, caller);
      requireReadable(request);
      orderAccepted(request);
      const plain = plainRequest(request, body);
      const result = plain && (await plainResult(plain, server, services));
      if (result) {
        const { status, headers, text } = await responseOf(result, plain, loadYoga);
        response.writeHead(status, { ...corsHeaders(request), ...headers, ...(await headersOf()) });
        response.end(text);
        return;
      }
      if (body.length > 0) Object.assign(request, { body: Readable.from([body]) });
    } catch (error) {
      facts.errors = [presentError(error, requestLogger())];
      refuse(response, error, requestLogger(), await headersOf());
      return;
    }
    const answer = async () => (await loadYoga()).yoga(request, response, server);
    if (!acceptsPage(request)) return answer();
    response.setHeaders(new Map(Object.entries({ ...corsHeaders(request), ...(await headersOf()) })));
    pages(request, response, answer);
  };
}

/** Loaded on first use, because its 500 modules would delay the start by a quarter of a second. */
async function createYogaServer(services: Services, fixedHeaders: Record<string, string>) {
  const { createYoga, processRegularResult } = await import('graphql-yoga');
  const yoga = createYoga<ServerContext, Context>({
    schema,
    graphqlEndpoint: '*', // `handlers.ts` routes; Express adds the path that it has removed
    landingPage: false,
    batching: false,
    multipart: false,
    logging: false,
    parserAndValidationCache: false,
    graphiql: false,
    cors: { origin: '*', credentials: false, methods: METHODS, exposedHeaders: EXPOSED },
    maskedErrors: { maskError: (error) => presentError(error, services.log) },
    plugins: [ourDocuments(services), ourExecution, answerHeaders(fixedHeaders)],
    context: (server) => contextOf(server, services),
  });
  return { yoga, processRegularResult };
}

/**
 * Executes without the Fetch API objects and plugin calls of Yoga, which cost as much CPU time as a small operation.
 * @returns undefined if the document or its variables are invalid, or for subscriptions: Yoga responds
 */
async function plainResult(
  { text }: PlainRequest,
  server: ServerContext,
  services: Services,
): Promise<ExecutionResult | undefined> {
  server.reading = server.caller().then((caller) => readRequest(text, caller, services));
  const read = await server.reading.catch(() => undefined);
  if (!read || read.errors || read.problem) return undefined;
  const { schema, document } = read;
  const { variables: variableValues, operationName } = text;
  const operation = getOperationAST(document, operationName)?.operation;
  if (!operation || operation === OperationTypeNode.SUBSCRIPTION) return undefined;
  const contextValue = await contextOf(server, services);
  const args = { schema, document, variableValues, operationName, contextValue };
  noteOperation(args, server.facts);
  const result = await executePresented(args, server);
  server.facts.errors = result.errors;
  return result;
}

async function contextOf({ caller, req, res, facts }: ServerContext, services: Services): Promise<Context> {
  const onTooSlow = () => void res.destroy();
  const page = callingPage(pageOf(req, services), res);
  const { viewer, ...call } = await caller();
  const responseSize = new ResponseSize(viewer);
  const more = { responseSize, onTooSlow, page, callerLeft: callerLeft(res), facts };
  return createContext(services, viewer, { ...call, ...more });
}

/** Links and forms of other sites send GET requests with the cookie. */
function pageOf(request: IncomingMessage, services: Services): ConsolePage | undefined {
  const { method, headers } = request;
  return method === 'POST' && headers.application ? consolePage(headers, services) : undefined;
}

async function executePresented(
  args: ExecutionArgs,
  { requestLogger }: Pick<ServerContext, 'requestLogger'>,
): Promise<ExecutionResult> {
  const result: ExecutionResult = await tracedExecution(args, () => execute(args));
  if (!result.errors) return result;
  return { ...result, errors: result.errors.map((error) => presentError(error, requestLogger())) };
}

async function responseOf(
  result: ExecutionResult,
  { mediaType }: PlainRequest,
  loadYoga: () => ReturnType<typeof createYogaServer>,
) {
  if (!result.errors) {
    const text = Buffer.from(JSON.stringify(result));
    const headers = { 'Content-Type': `${mediaType}; charset=utf-8`, 'Content-Length': text.length };
    return { status: 200, headers, text };
  }
  const { yoga, processRegularResult } = await loadYoga();
  const response = processRegularResult(result, yoga.fetchAPI, mediaType);
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
}

/** Bounds the speed of large bodies of unauthenticated callers. */
async function readBodyOf(request: IncomingMessage, caller: ServerContext['caller']): Promise<Buffer> {
  // `onParams` reports failed authentication.
  const { viewer, meter } = await caller().catch((): RequestCaller => ({ viewer: ANONYMOUS, meter: undefined }));
  if (isKnown(viewer)) return readBody(request, MAX_BODY_BYTES);
  if (isLargeBody(request)) await meter?.requireCapacity('default');
  return readUnauthenticatedBody(request, MAX_BODY_BYTES);
}

const ANONYMOUS = { kind: 'anonymous' } as const;

/** Rate limit headers; a request without an operation counts as one. */
async function countsOf({ method }: { method?: string | undefined }, caller: ServerContext['caller']) {
  try {
    const { meter } = await caller();
    if (meter && !meter.hasCounted && method !== 'OPTIONS') await meter.tally('default');
    return rateHeaders(meter?.state);
  } catch {
    return {}; // the response itself reports the failure
  }
}

function refuse(response: ServerResponse, error: unknown, log: Logger, headers: Record<string, string>): void {
  response.writeHead(statusOf(error), {
    'Content-Type': 'application/json; charset=utf-8',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': EXPOSED.join(', '),
    ...headers,
  });
  response.end(JSON.stringify({ errors: [presentError(error, log)] }));
}

function statusOf(error: unknown): number {
  if (error instanceof BadInputError) return error.status;
  if (error instanceof RateLimitedError) return 429;
  return error instanceof ServiceUnavailableError ? 503 : 500;
}

const ourDocuments = (services: Services): Plugin<Context, ServerContext> => ({
  async onParams({ params, context }) {
    const server = context as unknown as ServerContext;
    const caller = await server.caller();
    const { query, variables, operationName } = params;
    server.reading ??= readRequest({ query: String(query), variables, operationName }, caller, services);
    server.read = await server.reading;
  },
  onParse({ setParseFn, context }) {
    const { read } = context as unknown as ServerContext;
    setParseFn(() => {
      if (read!.errors) throw read!.errors[0];
      return read!.document;
    });
  },
  onEnveloped({ setSchema, context }) {
    const { read } = context as unknown as ServerContext;
    setSchema(read?.errors ? schema : read!.schema);
  },
  onValidate({ setResult }) {
    setResult([]);
  },
});

const answerHeaders = (fixed: Record<string, string>): Plugin<Context, ServerContext> => ({
  onResultProcess({ result, serverContext: { facts } }) {
    if ('errors' in result) facts.errors = result.errors;
    else if (Symbol.asyncIterator in result) facts.isOpenEnded = true;
  },
  async onResponse({ request, response, serverContext }) {
    const headers = { ...fixed, ...(await countsOf(request, serverContext.caller)) };
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  },
});

const ourExecution: Plugin<Context> = {
  onExecute({ args, setExecuteFn }) {
    const { requestLogger, read, facts } = args.contextValue as unknown as ServerContext;
    noteOperation(args, facts);
    const refused = refusedResult(read);
    if (refused) return setExecuteFn(async () => refused);
    setExecuteFn((args: ExecutionArgs) => executePresented(args, { requestLogger }));
  },
  onSubscribe({ args, setSubscribeFn }) {
    const { res, read, facts } = args.contextValue as unknown as ServerContext;
    noteOperation(args, facts);
    const refused = refusedResult(read);
    if (refused) return setSubscribeFn(async () => refused);
    const subscribe = (args: ExecutionArgs) => withinLimit(res, args, () => subscribeWhileCredentialsHold(args));
    setSubscribeFn((args: ExecutionArgs) => tracedExecution(args, () => subscribe(args)));
  },
};

function refusedResult(read: ReadRequest | undefined): ExecutionResult | undefined {
  if (!read || read.errors || !read.problem) return undefined;
  return { errors: [read.problem], extensions: { http: { status: 400 } } };
}

/** Event streams count towards the socket limit of the caller until the response closes. */
async function withinLimit<Result>(
  response: ServerResponse,
  { contextValue }: ExecutionArgs,
  subscribe: () => Promise<Result>,
): Promise<Result | ExecutionResult> {
  const { viewer, network, rateLimits } = contextValue as Context;
  if (!rateLimits || !isKnown(viewer)) return subscribe();
  const release = rateLimits.connections.take(viewer, network);
  if (!release) return { errors: [new TooManyStreamsError()] };
  response.once('close', release);
  if (response.closed) release();
  return subscribe();
}

function noteOperation({ document, operationName }: ExecutionArgs, facts: RequestFacts): void {
  const operation = requestedOperation(document, operationName);
  if (operation) Object.assign(facts, { operation: operation.name, fields: operation.fields });
}
