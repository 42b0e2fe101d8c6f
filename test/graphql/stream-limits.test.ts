import { describe, expect, test } from 'vitest';
import { running, useApp } from '../support/app/app.ts';
import { type EventStream, streamEvents } from '../support/clients/sse.ts';
import { connect, openSocket, until } from '../support/clients/websocket.ts';
import { insertSession, insertUser } from '../support/fixtures/callers.ts';
import { MESSAGE_SENT } from '../support/fixtures/chat.ts';

useApp({ limits: { default: { quota: 100_000, windowSeconds: 3600 } } });

const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(`${running.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  });

test('row 35: event streams share the connection limit of their user and release their slots', async () => {
  const userId = await insertUser();
  const alice = await insertSession(userId);
  const { hub } = running.app.services;
  const streams: EventStream[] = [];
  for (let nth = 0; nth < 99; nth++) streams.push(await streamEvents(MESSAGE_SENT, {}, alice));
  const socket = await connect(alice);
  const surplus = await streamEvents(MESSAGE_SENT, {}, await insertSession(userId));
  await surplus.ended;
  expect(surplus.results).toMatchObject([{ errors: [{ extensions: { code: 'RATE_LIMITED' } }] }]);
  const refused = await openSocket();
  refused.send({ type: 'connection_init', payload: alice.headers });
  expect((await refused.closed).code).toBe(4429);
  const other = await streamEvents(MESSAGE_SENT, {}, await insertSession(await insertUser()));
  await until(() => hub.subscriptionCount === 100);
  for (const { abort } of [...streams, other]) abort();
  await until(() => hub.subscriptionCount === 0);
  await socket.close();
  const again = await streamEvents(MESSAGE_SENT, {}, alice);
  await until(() => hub.subscriptionCount === 1);
  expect(again.results).toEqual([]);
  again.abort();
  await until(() => hub.subscriptionCount === 0);
});

describe('GraphQL over HTTP forbids caching of every response', () => {
  test.each<[name: string, answer: () => Promise<Response>]>([
    ['an answer', () => post('{"query":"{ __typename }"}')],
    ['a GET', () => fetch(`${running.url}/graphql?query={__typename}`)],
    ['an error', () => post('{"query":"{ nothing }"}')],
    ['a refused body', () => post(' '.repeat(1024 * 1024 + 1))],
    ['an unsupported content type', () => post('{}', { 'Content-Type': 'text/plain' })],
    ['invalid JSON', () => post('{')],
    ['an unsupported method', () => fetch(`${running.url}/graphql`, { method: 'PUT' })],
    ['a preflight', () => fetch(`${running.url}/graphql`, { method: 'OPTIONS' })],
    ['an event stream', () => post('{"query":"{ __typename }"}', { Accept: 'text/event-stream' })],
  ])('%s has Cache-Control: no-store', async (_name, answer) => {
    const { headers, body } = await answer();
    await body?.cancel();
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      vary: 'SVC-Token, Authorization, On-Behalf-Of, Accept, Origin',
    });
  });
});
