import { print } from 'graphql';
import { type Parameters, parseQuery } from '../../../src/lib/bracket-keys.ts';
import type { Route } from '../../../src/rest/http/route.ts';
import { routes } from '../../../src/rest/index.ts';
import { rulesOf } from '../../../src/rest/operations.ts';
import { running } from '../../support/app/app.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { MULTIPART, rawRequest } from '../../support/clients/raw-http.ts';
import { connect, openSocket, type RawSocket } from '../../support/clients/websocket.ts';
import type { Caller } from '../../support/fixtures/users.ts';
import { closedSocket, type Outcome, ofGraphql, ofRest } from './canonical.ts';

export interface Call {
  path?: Record<string, string | number>;
  query?: Record<string, string | number>;
  json?: object;
  headers?: Record<string, string>;
  /** A form with a file, which is sent over REST on every transport. */
  form?: { fields: Record<string, string>; bytes: string };
  variables: Record<string, unknown>;
}

export type Transport = (endpoint: Route, call: Call, as: Caller) => Promise<Outcome>;

export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

export const endpoints = new Map(routes.map((endpoint) => [nameOf(endpoint), endpoint]));

export const overRest: Transport = async (endpoint, { path = {}, query, json, form, headers = {} }, as) => {
  const target = targetOf(endpoint.path, path, query);
  const method = endpoint.method.toUpperCase();
  const body = form ? multipartOf(form) : json && JSON.stringify(json);
  const type: Record<string, string> = form
    ? { 'Content-Type': MULTIPART }
    : json
      ? { 'Content-Type': 'application/json' }
      : {};
  const answer = await rawRequest(method, target, { as, headers: { ...type, ...headers }, ...(body ? { body } : {}) });
  return ofRest(endpoint, answer);
};

export const overHttp: Transport = async (endpoint, call, as) => {
  if (call.form) return overRest(endpoint, call, as);
  const answer = await graphql(documentOf(endpoint), call.variables, as);
  return ofGraphql(endpoint, answer, asked(call), as);
};

/** Keeps sockets open between calls, so that rights are checked for each operation instead of the connection. */
export class SocketTransport {
  readonly #sockets = new Map<string, RawSocket>();

  readonly run: Transport = async (endpoint, call, as) => {
    // A socket requires credentials, so calls without them use HTTP.
    if (call.form || rulesOf(endpoint).access === 'anyone') return overHttp(endpoint, call, as);
    const socket = await this.#socketOf(as);
    if (!socket) return closedSocket();
    const answer = await socket.run(documentOf(endpoint), call.variables);
    return ofGraphql(endpoint, answer, asked(call), as);
  };

  /** Closes sockets whose credentials have changed; the service would close them later. */
  async close(): Promise<void> {
    const sockets = [...this.#sockets.values()];
    this.#sockets.clear();
    for (const socket of sockets) await socket.close();
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
  const isKnown = Object.keys(as.headers).length > 0;
  if (isKnown) return connect(as).catch(() => undefined);
  const socket = await openSocket();
  socket.send({ type: 'connection_init', payload: {} });
  const { code } = await socket.closed;
  if (code !== 4403) throw new Error(`a socket without credentials was closed with ${code}`);
  return undefined;
}

function documentOf({ document }: Route): string {
  return print(document);
}

function targetOf(template: string, path: Record<string, string | number>, query?: Record<string, string | number>) {
  const named = template.replaceAll(/:(\w+)/g, (_text, name) => encodeURIComponent(path[name]!).replaceAll('%2C', ','));
  return query ? `${named}?${queryOf(query)}` : named;
}

function queryOf(query: Record<string, string | number>): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  return new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, String(value)])).toString();
}

/** The request that the REST adapter formats its response for. */
function asked({ path = {}, query, json, headers = {} }: Call) {
  const texts = Object.fromEntries(Object.entries(path).map(([name, value]) => [name, String(value)]));
  const parameters = {
    ...parseQuery(query ? queryOf(query) : ''),
    ...JSON.parse(JSON.stringify(json ?? {})),
  } as Parameters;
  return { path: texts, parameters, header: (name: string) => headers[name] };
}

function multipartOf({ fields, bytes }: { fields: Record<string, string>; bytes: string }): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--B\r\nContent-Disposition: form-data; name="file"; filename="x.txt"\r\nContent-Type: text/plain\r\n\r\n`;
  return `${parts.join('')}${file}${bytes}\r\n--B--\r\n`;
}

export async function load(address: string, as: Caller): Promise<string> {
  const { pathname, search } = new URL(address);
  const { status, text } = await rawRequest('GET', pathname + search, { as });
  if (status !== 200) throw new Error(`GET ${address.replace(running.url, '')}: ${status} ${text}`);
  return text;
}
