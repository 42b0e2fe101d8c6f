import type { ServerResponse } from 'node:http';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context, Services } from '../../context.ts';
import { isKnown } from '../../lib/access.ts';
import { TooManyStreamsError } from '../../lib/errors.ts';
import { schema } from '../../schema/index.ts';
import { presentError } from '../presented-errors.ts';
import { type ReadRequest, readRequest } from '../read-request.ts';
import { subscribeWhileCredentialsHold } from '../stream-credentials.ts';
import { tracedExecution } from '../traced-execution.ts';
import { EXPOSED, METHODS } from './response-headers.ts';
import { contextOf, countsOf, executePresented, noteOperation, type ServerContext } from './server-context.ts';

type ServerPlugin = Plugin<ServerContext, ServerContext>;

export type LoadYoga = () => ReturnType<typeof createYogaServer>;

/** Loaded on first use, because its 500 modules would delay the start by a quarter of a second. */
export async function createYogaServer(services: Services, fixedHeaders: Record<string, string>) {
  const { createYoga, processRegularResult } = await import('graphql-yoga');
  const yoga = createYoga<ServerContext>({
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
    plugins: [ourDocuments(services), ourExecution(services), answerHeaders(fixedHeaders)],
  });
  return { yoga, processRegularResult };
}

const ourDocuments = (services: Services): ServerPlugin => ({
  async onParams({ params, context }) {
    const caller = await context.caller();
    const { query, variables, operationName } = params;
    context.reading ??= readRequest({ query: String(query), variables, operationName }, caller, services);
    context.read = await context.reading;
  },
  onParse({ setParseFn, context: { read } }) {
    setParseFn(() => {
      if (read!.errors) throw read!.errors[0];
      return read!.document;
    });
  },
  onEnveloped({ setSchema, context }) {
    setSchema(!context?.read || context.read.errors ? schema : context.read.schema);
  },
  onValidate({ setResult }) {
    setResult([]);
  },
});

const answerHeaders = (fixed: Record<string, string>): ServerPlugin => ({
  onResultProcess({ result, serverContext: { facts } }) {
    if ('errors' in result) facts.errors = result.errors;
    else if (Symbol.asyncIterator in result) facts.isOpenEnded = true;
  },
  async onResponse({ request, response, serverContext }) {
    const headers = { ...fixed, ...(await countsOf(request, serverContext.caller)) };
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  },
});

const ourExecution = (services: Services): ServerPlugin => ({
  onExecute({ args, context, setExecuteFn }) {
    noteOperation(args, context.facts);
    const refused = refusedResult(context.read);
    setExecuteFn(async (args: ExecutionArgs) => {
      if (refused) return refused;
      return executePresented({ ...args, contextValue: await contextOf(context, services) }, context);
    });
  },
  onSubscribe({ args, context, setSubscribeFn }) {
    noteOperation(args, context.facts);
    const refused = refusedResult(context.read);
    setSubscribeFn(async (args: ExecutionArgs) => {
      if (refused) return refused;
      const inContext = { ...args, contextValue: await contextOf(context, services) };
      const subscribe = () => withinLimit(context.res, inContext, () => subscribeWhileCredentialsHold(inContext));
      return tracedExecution(inContext, subscribe);
    });
  },
});

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
