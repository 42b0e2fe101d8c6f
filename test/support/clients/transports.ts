import type { Caller } from '../fixtures/users.ts';
import { type Call, type Operation, queryText } from '../operations/operation.ts';
import {
  CLOSED,
  type GraphqlAnswer,
  type Outcome,
  ofRest,
  presented,
  type Refused,
  refusalOf,
} from '../operations/outcomes.ts';
import { documentOf, rulesOf } from '../operations/routes.ts';
import { graphql } from './graphql.ts';
import { FORM, JSON_TYPE, MULTIPART, multipart, rawRequest } from './raw-http.ts';
import { connect, openSocket, type RawSocket } from './websocket.ts';

/** What a call of a registered operation results in; GraphQL adds its data to the legacy body. */
// biome-ignore lint/suspicious/noExplicitAny: answers are of every shape
export type Answer = { served: any; data?: any } | Refused;

export type RunDocument = (document: string, variables: Record<string, unknown>, as: Caller) => Promise<GraphqlAnswer>;

/** Runs one operation on a new socket; the caller must have credentials. */
const onNewSocket: RunDocument = async (document, variables, as) => {
  const socket = await connect(as);
  try {
    return await socket.run(document, variables);
  } finally {
    await socket.close();
  }
};

export const GRAPHQL_TRANSPORTS: [name: string, run: RunDocument][] = [
  ['HTTP', graphql],
  ['WebSocket', onNewSocket],
];

/** Code of the first error, or `served`. */
export function codeOf({ errors }: GraphqlAnswer): string {
  return errors ? String(errors[0]!.extensions?.code) : 'served';
}

export const TRANSPORTS = ['REST', 'GraphQL', 'WebSocket'] as const;
export type TransportName = (typeof TRANSPORTS)[number];

/** Runs registered operations. Keeps sockets open between calls, so that each call checks the rights again. */
export class Transports {
  readonly #sockets = new Map<string, RawSocket>();

  async run(transport: TransportName, operation: Operation, call: Call, as: Caller): Promise<Answer> {
    const { route, name } = operation;
    if (transport === 'REST' || call.form) return this.#overRest(operation, call, as);
    const answer = await this.#answer(transport, operation, call, as);
    if (!answer) return { refused: CLOSED };
    const refusal = refusalOf(answer, name);
    if (refusal) return refusal;
    const { data } = answer;
    const [found] = Object.values(data) as { size: number; content: string }[];
    if (route.download) return { served: { size: found!.size, bytes: await load(found!.content, as) }, data };
    return { served: presented(route, data, call), data: found };
  }

  /** Closes sockets whose credentials have changed; the service would close them later. */
  async close(): Promise<void> {
    const sockets = [...this.#sockets.values()];
    this.#sockets.clear();
    for (const socket of sockets) await socket.close();
  }

  async #overRest({ route }: Operation, call: Call, as: Caller): Promise<Outcome> {
    const { target, query, json, encoded, form, headers } = call;
    const body = form ? multipart(form.fields, form.bytes) : (encoded ?? (json && JSON.stringify(json)));
    const contentType = form ? MULTIPART : encoded === undefined ? JSON_TYPE : FORM;
    const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': contentType };
    const search = query ? `?${queryText(query)}` : '';
    const answer = await rawRequest(route.method.toUpperCase(), target + search, {
      as,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return ofRest(route, answer);
  }

  async #answer(transport: TransportName, { route }: Operation, { variables }: Call, as: Caller) {
    // A socket requires credentials, so calls without them use HTTP.
    if (transport === 'GraphQL' || rulesOf(route).access === 'anyone') return graphql(documentOf(route), variables, as);
    const socket = await this.#socketOf(as);
    return socket?.run(documentOf(route), variables);
  }

  async #socketOf(as: Caller): Promise<RawSocket | undefined> {
    const name = JSON.stringify(as.headers);
    const open = this.#sockets.get(name);
    if (open && open.socket.readyState === open.socket.OPEN) return open;
    const socket = await acceptedSocket(as);
    if (socket) this.#sockets.set(name, socket);
    return socket;
  }
}

async function acceptedSocket(as: Caller): Promise<RawSocket | undefined> {
  if (Object.keys(as.headers).length > 0) return connect(as).catch(() => undefined);
  const socket = await openSocket();
  socket.send({ type: 'connection_init', payload: {} });
  const { code } = await socket.closed;
  if (code !== 4403) throw new Error(`a socket without credentials was closed with ${code}`);
  return undefined;
}

async function load(address: string, as: Caller): Promise<string> {
  const { pathname, search } = new URL(address);
  const { status, text } = await rawRequest('GET', pathname + search, { as });
  if (status !== 200) throw new Error(`GET ${pathname}: ${status} ${text}`);
  return text;
}
