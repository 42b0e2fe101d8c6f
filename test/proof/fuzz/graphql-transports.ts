import { expect } from 'vitest';
import { running } from '../../support/app/app.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { openSocket } from '../../support/clients/websocket.ts';
import { anonymous, type Caller } from '../../support/fixtures/users.ts';
import { expectMasked } from './log.ts';

/** What the contract knows, but for the one that tells of a fault. */
const CODES = new Set<unknown>([
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'BAD_USER_INPUT',
  'UNPROCESSABLE',
  'DISABLED',
  'RATE_LIMITED',
  'CURSOR_EXPIRED',
]);

/** What operations answer that ask a model, which is away. */
const AWAY = 'Service unavailable';

interface Answered {
  errors?: { message: string; path?: unknown[]; extensions?: { code?: unknown } }[];
}

/** Errors are those of the contract, and tell nothing of the inside. */
export function expectContract(answer: Answered, mayBeAway = false): void {
  for (const { message, extensions } of answer.errors ?? []) {
    if (mayBeAway && message === AWAY) continue;
    expect([message.slice(0, 300), CODES.has(extensions?.code) ? 'known' : extensions?.code]).toEqual([
      message.slice(0, 300),
      'known',
    ]);
    expectMasked(message);
  }
}

export interface HttpRequest {
  method?: string;
  target?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Asks over HTTP, and looks at all that the answer has. */
export async function sendOverHttp(
  { method = 'POST', target = '/graphql', headers = {}, body }: HttpRequest,
  as: Caller,
  mayBeAway = false,
): Promise<void> {
  const {
    status,
    text,
    headers: told,
  } = await rawRequest(method, target, {
    as,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  if (!mayBeAway) expect(status).toBeLessThan(500);
  if (!told['content-type']?.includes('json')) return expectMasked(status < 400 ? '' : text);
  if (text !== '') expectContract(JSON.parse(text) as Answered, mayBeAway);
}

/** Asks for server-sent events, and goes away with the first bytes; a subscription that nothing happens to says nothing. */
export async function openStream(body: string, as: Caller, mayBeAway = false): Promise<void> {
  const leaving = new AbortController();
  const response = await fetch(`${running.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...as.headers },
    body,
    signal: leaving.signal,
  });
  if (!mayBeAway) expect(response.status).toBeLessThan(500);
  if (response.headers.get('content-type')?.includes('json')) {
    expectContract((await response.json()) as Answered, mayBeAway);
  }
  leaving.abort();
}

/**
 * Sends one operation on a socket of its own, and then a plain one, which has to be answered unless the service has closed
 * the socket for good reason.
 */
export async function sendOverSocket(
  payload: string,
  as: Caller,
  { mayBeAway = false, isLive = false } = {},
): Promise<void> {
  const socket = await openSocket();
  socket.send({ type: 'connection_init', payload: as.headers });
  socket.socket.send(`{"id":"1","type":"subscribe","payload":${payload}}`);
  if (as !== anonymous) {
    if (!isLive) await Promise.race([socket.closed, socket.find(({ id }) => id === '1').catch(() => {})]);
  }
  socket.send({ id: '2', type: 'subscribe', payload: { query: '{ __typename }' } });
  await Promise.race([socket.closed, socket.find(({ id }) => id === '2').catch(() => {})]);
  await socket.close();
  const { code } = await socket.closed;
  expect([1000, 1005, 1009, 4400, 4401, 4403]).toContain(code);
  for (const { type, payload: told } of socket.received) {
    if (type === 'next') expectContract(told, mayBeAway);
    if (type === 'error') expectContract({ errors: told }, mayBeAway);
  }
}
