import type { Caller } from '../fixtures/users.ts';
import { graphql } from './graphql.ts';
import { connect } from './websocket.ts';

export interface TransportAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  data?: any;
  errors?: { message: string; extensions?: Record<string, unknown> }[];
}

export type Transport = (document: string, variables: Record<string, unknown>, as: Caller) => Promise<TransportAnswer>;

/** Runs one operation on a new socket; the caller must have credentials. */
const overSocket: Transport = async (document, variables, as) => {
  const socket = await connect(as);
  try {
    return await socket.run(document, variables);
  } finally {
    await socket.close();
  }
};

export const GRAPHQL_TRANSPORTS: [name: string, transport: Transport][] = [
  ['HTTP', graphql],
  ['WebSocket', overSocket],
];

/** Code of the first error, or `served`. */
export function codeOf({ errors }: TransportAnswer): string {
  return errors ? String(errors[0]!.extensions?.code) : 'served';
}
