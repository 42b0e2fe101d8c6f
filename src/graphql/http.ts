import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ExecutionArgs, ExecutionResult, GraphQLSchema } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { Context, Services } from '../context.ts';
import { callerLeft } from '../http/caller-left.ts';
import { readBody } from '../http/request-body.ts';
import type { Viewer } from '../lib/access.ts';
import { readCredentials } from '../lib/credentials.ts';
import { BadInputError } from '../lib/errors.ts';
import { rateHeaders } from '../lib/rate-limits.ts';
import type { Meter } from '../limits/rate-limits.ts';
import { factsOf, type RequestFacts } from '../observe/requests.ts';
import { createLoaders } from '../resolvers/loaders.ts';
import { authenticate } from '../resolvers/sessions/authenticate.ts';
import { schema } from '../schema/index.ts';
import { prepareDocument, variableProblem } from './documents.ts';
import { execute } from './execute.ts';
import { createExplorer, type Explorer } from './explorer.ts';
import { askedOperation } from './operations.ts';
import { requireReadable } from './request-shape.ts';
import { schemaOfDocument } from './schema-of-document.ts';
import { shownError } from './shown-errors.ts';
import { subscribeWhileCredentialsHold } from './stream-credentials.ts';
import { tracedExecution } from './traced-execution.ts';

const MAX_BODY_BYTES = 1024 * 1024;

const EXPOSED = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After'];

/** What our plugins are given of a request. */
interface ServerContext {
  req: IncomingMessage;
  res: ServerResponse;
  /** Who calls, asked once however often it is needed. */
  caller: () => Promise<{ viewer: Viewer; network: string; meter: Meter | undefined }>;
  /** The schema of the request's document, once that is known. */
  seen: { schema: GraphQLSchema };
  facts: RequestFacts;
  /** Names the request with each fault. */
  requestLog: () => Logger;
}

/** GraphQL over HTTP at `/graphql`: POST, GET for queries, subscriptions as server-sent events, GraphiQL for browsers. */
export function graphqlOverHttp(services: Services, tokenHeaders: readonly string[]) {
  const explorer = createExplorer(tokenHeaders[0]!);
  const yoga = createYoga<ServerContext, Context>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    batching: false,
    multipart: false,
    logging: false,
    parserAndValidationCache: false,
    graphiql: explorer.options,
    renderGraphiQL: explorer.page,
    cors: { origin: '*', credentials: false, methods: ['GET', 'POST', 'OPTIONS'], exposedHeaders: EXPOSED },
    maskedErrors: { maskError: (error) => shownError(error, services.log) },
    plugins: [ourDocuments(services), ourExecution, tellCounts, guardExplorer(explorer)],
    context: async ({ caller, res }) => {
      const called = await caller();
      const onTooSlow = () => void res.destroy();
      const loaders = createLoaders(called.viewer);
      return { ...services, ...called, loaders, onTooSlow, callerLeft: callerLeft(res) };
    },
  });
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const facts = factsOf(request);
    const requestLog = () => services.log.child({ requestId: facts.id });
    const caller = once(async () => {
      const credentials = readCredentials((name) => request.headers[name.toLowerCase()], tokenHeaders);
      const viewer = await authenticate(credentials, services).catch((error) => {
        throw shownError(error, requestLog());
      });
      facts.viewer = viewer;
      const network = services.networkOf(request);
      return { viewer, network, meter: services.rateLimits?.meter(network, viewer) };
    });
    try {
      const body = await readBody(request, MAX_BODY_BYTES);
      requireReadable(request);
      if (body.length > 0) Object.assign(request, { body: Readable.from([body]) });
    } catch (error) {
      refuse(response, error, requestLog(), await countsOf(request, caller));
      return;
    }
    await yoga(request, response, { caller, seen: { schema }, facts, requestLog });
  };
}

/** Asks who calls, the first time that anybody wants to know. */
function once<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let asked: Promise<Result> | undefined;
  return () => {
    asked ??= ask();
    return asked;
  };
}

/** What the headers tell of the rate limits; a request that ran no operation counts as one. */
async function countsOf({ method }: { method?: string | undefined }, caller: ServerContext['caller']) {
  try {
    const { meter } = await caller();
    if (meter && !meter.hasCounted && method !== 'OPTIONS') await meter.tally('default');
    return rateHeaders(meter?.state);
  } catch {
    return {}; // the answer itself tells that the database is away
  }
}

function refuse(response: ServerResponse, error: unknown, log: Logger, counts: Record<string, string>): void {
  const status = error instanceof BadInputError ? error.status : 500;
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': EXPOSED.join(', '),
    ...counts,
  });
  response.end(JSON.stringify({ errors: [shownError(error, log)] }));
}

/** The documents of all doors are parsed, validated and limited by one function. */
const ourDocuments = ({ log, observer }: Services): Plugin<Context, ServerContext> => ({
  async onParams({ params, context }) {
    const text = String(params.query);
    const { caller, seen } = context as unknown as ServerContext;
    seen.schema = await schemaOfDocument(text, async () => (await caller()).viewer, log);
    const problem = variableProblem(text, params.variables, seen.schema);
    const prepared = prepareDocument(text, seen.schema);
    if (problem || prepared.errors) observer.documentRefused();
    if (problem || prepared.errors || prepared.introspects) {
      const { meter } = await caller();
      await meter?.count('default');
    }
    if (problem) throw problem;
  },
  onParse({ setParseFn, context }) {
    const { seen } = context as unknown as ServerContext;
    setParseFn((source: string | { body: string }) => {
      const prepared = prepareDocument(typeof source === 'string' ? source : source.body, seen.schema);
      if (prepared.errors) throw prepared.errors[0];
      return prepared.document;
    });
  },
  onEnveloped({ setSchema, context }) {
    setSchema((context as unknown as ServerContext).seen.schema);
  },
  onValidate({ setResult }) {
    setResult([]);
  },
});

const tellCounts: Plugin<Context, ServerContext> = {
  async onResponse({ request, response, serverContext }) {
    for (const [name, value] of Object.entries(await countsOf(request, serverContext.caller))) {
      response.headers.set(name, value);
    }
  },
};

const guardExplorer = ({ headers }: Explorer): Plugin<Context, ServerContext> => ({
  onResponse({ response }) {
    if (!response.headers.get('content-type')?.startsWith('text/html')) return;
    for (const [name, value] of Object.entries(headers())) response.headers.set(name, value);
  },
});

/** Operations run in spans of their own, and what goes wrong in them is told with their request. */
const ourExecution: Plugin<Context> = {
  onExecute({ args, setExecuteFn }) {
    const { requestLog } = noteOperation(args);
    setExecuteFn(async (given: ExecutionArgs) => {
      const result: ExecutionResult = await tracedExecution(given, () => execute(given));
      if (!result.errors) return result;
      return { ...result, errors: result.errors.map((error) => shownError(error, requestLog())) };
    });
  },
  onSubscribe({ args, setSubscribeFn }) {
    noteOperation(args);
    setSubscribeFn((given: ExecutionArgs) => tracedExecution(given, () => subscribeWhileCredentialsHold(given)));
  },
};

/** Adds to what is known of a request what its document asks for. */
function noteOperation({ document, operationName, contextValue }: ExecutionArgs): ServerContext {
  const context = contextValue as unknown as ServerContext;
  const asked = askedOperation(document, operationName);
  if (asked) Object.assign(context.facts, { operation: asked.name, fields: asked.fields });
  return context;
}
