import { type Client, createClient } from 'graphql-ws';
import { graphqlUrl, socketUrl } from '../root.ts';

export interface Operation {
  query: string;
  variables: Record<string, unknown>;
  operationName?: string | undefined;
}

export interface Answer {
  /** Of HTTP. */
  status: number;
  /** JSON in lines, or what came instead of it. */
  text: string;
  bytes: number;
  milliseconds: number;
  errors: { message: string; extensions?: { code?: string } }[];
}

export type Sender = (operation: Operation, signal: AbortSignal) => Promise<Answer>;

/** @throws {TypeError} the service cannot be reached */
export async function send(
  operation: Operation,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Answer> {
  const start = performance.now();
  const response = await fetch(graphqlUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(operation),
    signal,
  });
  const text = await response.text();
  const milliseconds = Math.round(performance.now() - start);
  const json = parsed(text) as { errors?: Answer['errors'] } | undefined;
  return {
    status: response.status,
    text: json === undefined ? text : JSON.stringify(json, null, 2),
    bytes: new Blob([text]).size,
    milliseconds,
    errors: json?.errors ?? [],
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** With this code, the service closes connections whose credentials it does not accept. */
export const REFUSED = 4403;

/** A connection for subscriptions, with the same credentials as requests. It connects when the first one starts. */
export function connect(headers: Record<string, string>): Client {
  return createClient({
    url: socketUrl.href,
    connectionParams: headers,
    lazy: true,
    // It would continue without the events in between.
    retryAttempts: 0,
  });
}
