import { expect } from 'vitest';
import { running } from '../../support/app/app.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { openSocket } from '../../support/clients/websocket.ts';
import { anonymous, type Caller } from '../../support/fixtures/users.ts';
import { expectMasked } from './log.ts';

/** Error codes of the contract, except for internal errors. */
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

/** The response of operations that need the unavailable model. */
const UNAVAILABLE = 'Service unavailable';

interface Answered {
  errors?: { message: string; path?: unknown[]; extensions?: { code?: unknown } }[];
}

export function expectContract(answer: Answered, mayBeUnavailable = false): void {
  for (const { message, extensions } of answer.errors ?? []) {
    if (mayBeUnavailable && message === UNAVAILABLE) continue;
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

export async function sendOverHttp(
  { method = 'POST', target = '/graphql', headers = {}, body }: HttpRequest,
  as: Caller,
  mayBeUnavailable = false,
): Promise<void> {
  const {
    status,
    text,
    headers: notified,
  } = await rawRequest(method, target, {
    as,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  if (!mayBeUnavailable) expect(status).toBeLessThan(500);
  if (!notified['content-type']?.includes('json')) return expectMasked(status < 400 ? '' : text);
  if (text !== '') expectContract(JSON.parse(text) as Answered, mayBeUnavailable);
}

/** Opens an event stream and aborts after the head, because an idle subscription sends nothing. */
export async function openStream(body: string, as: Caller, mayBeUnavailable = false): Promise<void> {
  const leaving = new AbortController();
  const response = await fetch(`${running.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...as.headers },
    body,
    signal: leaving.signal,
  });
  if (!mayBeUnavailable) expect(response.status).toBeLessThan(500);
  if (response.headers.get('content-type')?.includes('json')) {
    expectContract((await response.json()) as Answered, mayBeUnavailable);
  }
  leaving.abort();
}

/**
 * Sends an operation on its own socket, and then a simple one, which must be answered unless the service has closed the
 * socket.
 */
export async function sendOverSocket(
  payload: string,
  as: Caller,
  { mayBeUnavailable = false, isLive = false } = {},
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
  for (const { type, payload: notified } of socket.received) {
    if (type === 'next') expectContract(notified, mayBeUnavailable);
    if (type === 'error') expectContract({ errors: notified }, mayBeUnavailable);
  }
}
