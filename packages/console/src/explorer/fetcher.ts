import { createGraphiQLFetcher, type Fetcher } from '@graphiql/toolkit';
import { type Client, createClient } from 'graphql-ws';
import { graphqlUrl, socketUrl } from '../root.ts';

/** Queries and mutations by HTTP, subscriptions by WebSocket, all with the same credentials. */
export function createFetcher(headers: Record<string, string>): { fetcher: Fetcher; close: () => void } {
  const wsClient: Client = createClient({ url: socketUrl.href, connectionParams: headers, lazy: true });
  // The service answers at once; with incremental delivery, the answer would be a generator.
  const fetcher = createGraphiQLFetcher({
    url: graphqlUrl.href,
    headers,
    wsClient,
    enableIncrementalDelivery: false,
  });
  return { fetcher, close: () => void wsClient.dispose() };
}
