import type { IncomingMessage, ServerResponse } from 'node:http';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Context, Services } from '../context.ts';
import { readCredentials } from '../lib/credentials.ts';
import { createLoaders } from '../resolvers/loaders.ts';
import { authenticate } from '../resolvers/sessions/authenticate.ts';
import { schema } from '../schema/index.ts';
import { prepareDocument } from './documents.ts';
import { shownError } from './shown-errors.ts';
import { subscribe } from './subscribe.ts';

/** GraphQL over HTTP at `/graphql`: POST, GET for queries, subscriptions as server-sent events, GraphiQL for browsers. */
export function graphqlOverHttp(services: Services, tokenHeaders: readonly string[]) {
  return createYoga<{ req: IncomingMessage; res: ServerResponse }, Context>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    batching: false,
    multipart: false,
    logging: false,
    parserAndValidationCache: false,
    graphiql: { title: 'Atrium', defaultQuery: '{ me { id login } }\n' },
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
}

/** The documents of all doors are parsed, validated and limited by one function. */
const ourDocuments: Plugin<Context> = {
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
    setSubscribeFn(subscribe);
  },
};
