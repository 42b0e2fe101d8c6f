import { graphql } from './graphql.ts';
import { connect } from './sockets.ts';
import type { Caller } from './users.ts';

/** What an operation answers, over whatever door. */
export interface DoorAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  data?: any;
  errors?: { message: string; extensions?: Record<string, unknown> }[];
}

export type Door = (document: string, variables: Record<string, unknown>, as: Caller) => Promise<DoorAnswer>;

/** One operation on a socket of its own; its caller has to be somebody. */
const overSocket: Door = async (document, variables, as) => {
  const socket = await connect(as);
  try {
    return await socket.run(document, variables);
  } finally {
    await socket.close();
  }
};

/** The doors through which documents of clients come in. */
export const GRAPHQL_DOORS: [name: string, door: Door][] = [
  ['HTTP', graphql],
  ['WebSocket', overSocket],
];

/** Code of the first error, or `served`. */
export function codeOf({ errors }: DoorAnswer): string {
  return errors ? String(errors[0]!.extensions?.code) : 'served';
}
