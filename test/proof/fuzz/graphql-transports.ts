import { expect } from 'vitest';
import { running } from '../../support/app/app.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { openSocket } from '../../support/clients/websocket.ts';
import { anonymous, type Caller } from '../../support/fixtures/users.ts';
import type { GraphqlAnswer } from '../../support/operations/outcomes.ts';
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

function expectContract(answer: GraphqlAnswer, mayBeUnavailable: boolean): void {
  for (const { message, extensions } of answer.errors ?? []) {
    if (mayBeUnavailable && message === UNAVAILABLE) continue;
    expect([message.slice(0, 300), CODES.has(extensions?.code) ? 'known' : extensions?.code]).toEqual([
      message.slice(0, 300),
      'known',
    ]);
    expectMasked(message);
  }
}

/** `stream` is server-sent events. */
export type PayloadTransport = 'post' | 'get' | 'socket' | 'stream';

interface Expected {
  mayBeUnavailable?: boolean;
  /** It may be a subscription, whose response does not end. */
  isLive?: boolean;
}

/** Sends the text of a GraphQL request, valid or not, and expects a response within the contract. */
export async function sendPayload(
  transport: PayloadTransport,
  payload: string,
  as: Caller,
  { mayBeUnavailable = false, isLive = false }: Expected = {},
): Promise<void> {
  if (transport === 'socket') return sendOverSocket(payload, as, mayBeUnavailable, isLive);
  if (transport === 'stream' || isLive) return openStream(payload, as, mayBeUnavailable);
  const headers = { 'Content-Type': 'application/json' };
  const { status, text, ...answer } =
    transport === 'get'
      ? await rawRequest('GET', targetOf(payload), { as })
      : await rawRequest('POST', '/graphql', { as, headers, body: payload });
  if (!mayBeUnavailable) expect(status).toBeLessThan(500);
  if (!answer.headers['content-type']?.includes('json')) return expectMasked(status < 400 ? '' : text);
  if (text !== '') expectContract(JSON.parse(text) as GraphqlAnswer, mayBeUnavailable);
}

/** Truncated to the maximum length of a request head. */
function targetOf(payload: string): string {
  const parts = JSON.parse(payload || 'null') as unknown;
  const pairs = Object.entries(parts ?? {}).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return `/graphql?${new URLSearchParams(pairs)}`.slice(0, 12_000);
}

/** Opens an event stream and aborts after the head, because an idle subscription sends nothing. */
async function openStream(body: string, as: Caller, mayBeUnavailable: boolean): Promise<void> {
  const leaving = new AbortController();
  const response = await fetch(`${running.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...as.headers },
    body,
    signal: leaving.signal,
  });
  if (!mayBeUnavailable) expect(response.status).toBeLessThan(500);
  if (response.headers.get('content-type')?.includes('json')) {
    expectContract((await response.json()) as GraphqlAnswer, mayBeUnavailable);
  }
  leaving.abort();
}

/**
 * Sends an operation on its own socket, and then a simple one, which must be answered unless the service has closed the
 * socket.
 */
async function sendOverSocket(payload: string, as: Caller, mayBeUnavailable: boolean, isLive: boolean): Promise<void> {
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
