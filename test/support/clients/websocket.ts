import { WebSocket } from 'ws';
import type { App } from '../../../src/server/lifecycle.ts';
import { running } from '../app/app.ts';
import { until } from '../app/until.ts';
import type { Caller } from '../fixtures/users.ts';

export { until } from '../app/until.ts';

export interface SocketMessage {
  type: string;
  id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
  payload?: any;
}

/** A raw `graphql-transport-ws` socket, which shows each message and close code. */
export interface RawSocket {
  socket: WebSocket;
  received: SocketMessage[];
  closed: Promise<{ code: number; reason: string }>;
  /** @throws {Error} with the close code */
  failIfClosed: () => void;
  send: (message: SocketMessage) => void;
  /** Waits for the first matching message, earlier ones included. */
  find: (fits: (message: SocketMessage) => boolean) => Promise<SocketMessage>;
  /** Runs a query or mutation. @returns the payload of `next`, or `{ errors }` */
  run: (query: string, variables?: Record<string, unknown>) => Promise<SocketMessage['payload']>;
  close: () => Promise<void>;
}

const open = new Set<WebSocket>();

/** Closes sockets that a test left open, so that they do not affect the next one. */
export async function closeSockets(app: App = running.app): Promise<void> {
  for (const socket of open) socket.terminate();
  open.clear();
  await until(() => app.services.hub.subscriptionCount === 0);
}

/** @param headers of the upgrade request */
export async function openSocket(app: App = running.app, headers: Record<string, string> = {}): Promise<RawSocket> {
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
  open.add(socket);
  socket.on('close', () => open.delete(socket));
  const received: SocketMessage[] = [];
  let waiting: (() => void)[] = [];
  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };
  socket.on('message', (data) => {
    received.push(JSON.parse(String(data)) as SocketMessage);
    wake();
  });
  let end: { code: number; reason: string } | undefined;
  const failIfClosed = () => {
    if (end) throw new Error(`the socket closed with ${end.code} ${end.reason}`);
  };
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      end = { code, reason: String(reason) };
      resolve(end);
      wake();
    });
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  socket.on('error', () => {});
  const send = (message: SocketMessage) => socket.send(JSON.stringify(message));
  const find = async (fits: (message: SocketMessage) => boolean) => {
    for (;;) {
      const found = received.find(fits);
      if (found) return found;
      failIfClosed();
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  let runs = 0;
  return {
    socket,
    received,
    closed,
    failIfClosed,
    send,
    find,
    run: async (query, variables) => {
      const id = `run${++runs}`;
      send({ id, type: 'subscribe', payload: { query, variables } });
      const answer = await find(
        (message) => message.id === id && (message.type === 'next' || message.type === 'error'),
      );
      return answer.type === 'next' ? answer.payload : { errors: answer.payload };
    },
    close: async () => {
      socket.close();
      await closed;
    },
  };
}

export async function connect(
  as: Caller,
  app: App = running.app,
  headers: Record<string, string> = {},
): Promise<RawSocket> {
  const socket = await openSocket(app, headers);
  socket.send({ type: 'connection_init', payload: as.headers });
  await socket.find((message) => message.type === 'connection_ack');
  return socket;
}

export interface LiveSubscription {
  socket: RawSocket;
  /** Data of the payloads so far; `{ errors }` for those with errors. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
  payloads: () => any[];
  /** Waits for `count` payloads. @returns all so far */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
  atLeast: (count: number) => Promise<any[]>;
  close: () => Promise<void>;
}

/** Subscribes and waits until the service has registered it; throws the errors of a refusal. */
export async function listen(
  query: string,
  variables: Record<string, unknown>,
  as: Caller,
  app: App = running.app,
): Promise<LiveSubscription> {
  const socket = await connect(as, app);
  return listenOn(socket, query, variables, app);
}

export async function listenOn(
  socket: RawSocket,
  query: string,
  variables: Record<string, unknown>,
  app: App = running.app,
  id = 'listening',
  countOf: () => number = () => app.services.hub.subscriptionCount,
): Promise<LiveSubscription> {
  const before = countOf();
  socket.send({ id, type: 'subscribe', payload: { query, variables } });
  const own = () => socket.received.filter((message) => message.id === id);
  await until(() => countOf() > before || own().length > 0 || socket.socket.readyState !== WebSocket.OPEN);
  const refused = own().find((message) => message.type === 'error' || message.payload?.errors);
  if (refused) throw refused.type === 'error' ? refused.payload : refused.payload.errors;
  const receivedEvents = () =>
    own()
      .filter((message) => message.type === 'next')
      .map(({ payload }) => (payload.errors ? { errors: payload.errors } : payload.data));
  return {
    socket,
    payloads: receivedEvents,
    atLeast: async (count) => {
      await until(() => {
        if (receivedEvents().length >= count) return true;
        socket.failIfClosed();
        return false;
      });
      return receivedEvents();
    },
    close: socket.close,
  };
}

/** A page sends its cookie with the upgrade, and the rest with `connection_init`. */
export async function overSocket(document: string, variables: Record<string, unknown>, { headers }: Caller) {
  const { Cookie, Origin, ...payload } = headers;
  const socket = await connect({ headers: payload }, undefined, { Cookie: Cookie!, Origin: Origin! });
  try {
    return await socket.run(document, variables);
  } finally {
    await socket.close();
  }
}
