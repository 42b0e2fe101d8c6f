import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { running } from '../app/app.ts';
import { until } from '../app/until.ts';
import { anonymous, type Caller } from '../fixtures/users.ts';

export interface GraphQLAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  data: any;
  errors?: { message: string; path?: (string | number)[]; extensions?: Record<string, unknown> }[];
}

export async function graphql(
  query: string,
  variables: Record<string, unknown> = {},
  as: Caller = anonymous,
): Promise<GraphQLAnswer> {
  const response = await fetch(`${running.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...as.headers },
    body: JSON.stringify({ query, variables }),
  });
  return { status: response.status, ...((await response.json()) as Omit<GraphQLAnswer, 'status'>) };
}

export function socketClient(as: Caller, onClosed?: (code: number) => void): Client {
  return createClient({
    url: `${running.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: as.headers,
    retryAttempts: 0,
    lazyCloseTimeout: 0,
    on: { closed: (event) => onClosed?.((event as { code: number }).code) },
  });
}

export interface Subscription {
  /** Waits for the next payload. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  next: () => Promise<any>;
  /** Payloads that have not been taken by `next`. */
  readonly pending: unknown[];
  close: () => Promise<void>;
}

/** Subscribes over a new WebSocket and waits until the service has registered it; throws a refusal. */
export async function subscribe(query: string, variables: Record<string, unknown>, as: Caller): Promise<Subscription> {
  const client = socketClient(as);
  const { hub } = running.app.services;
  const before = hub.subscriptionCount;
  const iterator = client.iterate({ query, variables });
  const pending: unknown[] = [];
  const waiting: ((payload: unknown) => void)[] = [];
  let refusal: unknown;
  let isListening = false;
  const reading = (async () => {
    for await (const { data, errors } of iterator) {
      if (errors && !isListening) refusal = errors;
      const payload = errors ? { errors } : data;
      const taker = waiting.shift();
      if (taker) taker(payload);
      else pending.push(payload);
    }
  })().catch((error: unknown) => {
    refusal = error;
  });
  await until(() => hub.subscriptionCount > before || refusal !== undefined || pending.length > 0);
  isListening = true;
  if (refusal !== undefined) {
    await client.dispose();
    throw refusal;
  }
  return {
    pending,
    next: () => {
      if (pending.length > 0) return Promise.resolve(pending.shift());
      return new Promise((resolve) => waiting.push(resolve));
    },
    close: async () => {
      await client.dispose();
      await reading;
    },
  };
}
