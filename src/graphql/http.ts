import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Context, Services } from '../context.ts';
import { readBody } from '../http/request-body.ts';
import { readCredentials } from '../lib/credentials.ts';
import { BadInputError } from '../lib/errors.ts';
import { createLoaders } from '../resolvers/loaders.ts';
import { authenticate } from '../resolvers/sessions/authenticate.ts';
import { schema } from '../schema/index.ts';
import { prepareDocument, variableProblem } from './documents.ts';
import { shownError } from './shown-errors.ts';
import { subscribeWhileSessionLasts } from './stream-session.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/** GraphQL over HTTP at `/graphql`: POST, GET for queries, subscriptions as server-sent events, GraphiQL for browsers. */
export function graphqlOverHttp(services: Services, tokenHeaders: readonly string[]) {
  const yoga = createYoga<{ req: IncomingMessage; res: ServerResponse }, Context>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    batching: false,
    multipart: false,
    logging: false,
    parserAndValidationCache: false,
    graphiql: {
      title: 'Atrium',
      defaultQuery: '{ me { id login } }\n',
      headers: JSON.stringify({ [tokenHeaders[0]!]: '' }, null, 2),
    },
    renderGraphiQL,
    cors: { origin: '*', methods: ['GET', 'POST', 'OPTIONS'] },
    maskedErrors: { maskError: (error) => shownError(error, services.log) },
    plugins: [ourDocuments, ourSubscribe],
    context: async ({ req }) => {
      const credentials = readCredentials((name) => req.headers[name.toLowerCase()], tokenHeaders);
      const viewer = await authenticate(credentials, services);
      return { ...services, viewer, loaders: createLoaders(viewer) };
    },
  });
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const body = await readBody(request, MAX_BODY_BYTES);
      if (body.length > 0) Object.assign(request, { body: Readable.from([body]) });
    } catch (error) {
      refuse(response, error, services);
      return;
    }
    await yoga(request, response);
  };
}

function refuse(response: ServerResponse, error: unknown, { log }: Services): void {
  const status = error instanceof BadInputError ? error.status : 500;
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Access-Control-Allow-Origin': '*' });
  response.end(JSON.stringify({ errors: [shownError(error, log)] }));
}

/** The documents of all doors are parsed, validated and limited by one function. */
const ourDocuments: Plugin<Context> = {
  onParams({ params }) {
    const problem = variableProblem(String(params.query), params.variables);
    if (problem) throw problem;
  },
  onParse({ setParseFn }) {
    setParseFn((source: string | { body: string }) => {
      const prepared = prepareDocument(typeof source === 'string' ? source : source.body);
      if (prepared.errors) throw prepared.errors[0];
      return prepared.document;
    });
  },
  onValidate({ setResult }) {
    setResult([]);
  },
};

const ourSubscribe: Plugin<Context> = {
  onSubscribe({ setSubscribeFn }) {
    setSubscribeFn(subscribeWhileSessionLasts);
  },
};
