import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { running, useApp } from '../support/app/app.ts';
import { sql } from '../support/app/sql.ts';
import { closeSockets, connect, listen, listenOn, until } from '../support/clients/websocket.ts';
import { createDialog, type QuickUser, quickUsers, send } from '../support/fixtures/chat.ts';

useApp();

afterEach(() => closeSockets());

/** Payloads of 1.5 MB, so that the socket buffers of the kernel fill up quickly. */
const LARGE = `subscription ($dialogId: ID) { messageSent(dialogId: $dialogId) { cursor message { id
  ${Array.from({ length: 49 }, (_, nth) => `a${nth}: text`).join(' ')} } } }`;

async function cast() {
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  const dialogId = await createDialog(alice, [bob]);
  return { alice, bob, dialogId, messageId: await send(alice, dialogId, 'x'.repeat(30_000)) };
}

async function tellOf(dialogId: string, messageId: string, times: number): Promise<void> {
  await sql(
    `INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, created_at)
     SELECT application_id, 'messageSent', id, $2, user_id, created_at FROM dialogs, generate_series(1, $3::int)
     WHERE id = $1`,
    [dialogId, messageId, times],
  );
  running.app.services.outbox.wake();
}

/** A server-sent event stream whose client reads only the response head. */
async function stall(query: string, variables: object, as: QuickUser) {
  const call: ClientRequest = request(`${running.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...as.headers },
  });
  call.on('error', () => {});
  call.end(JSON.stringify({ query, variables }));
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.pause();
  response.on('error', () => {});
  const closed = new Promise<void>((resolve) => response.on('close', resolve));
  await until(() => running.app.services.hub.subscriptionCount === 1);
  return { call, response, closed };
}

test('a stream that is not read is disconnected and its queue released', async () => {
  const { bob, dialogId, messageId } = await cast();
  const { response, closed } = await stall(LARGE, { dialogId }, bob);
  const before = process.memoryUsage().rss;
  await tellOf(dialogId, messageId, 1_200);
  await until(() => running.app.services.hub.subscriptionCount === 0);
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  response.resume();
  await closed;
  expect(response.complete).toBe(false);
});

test('a stream whose client stalls and disconnects leaves nothing open', async () => {
  const { bob, dialogId, messageId } = await cast();
  const { call } = await stall(LARGE, { dialogId }, bob);
  await tellOf(dialogId, messageId, 60);
  const other = await listen('subscription { messageSent { cursor } }', {}, bob);
  await tellOf(dialogId, messageId, 1);
  await other.atLeast(1);
  await other.close();
  call.destroy();
  await until(() => running.app.services.hub.subscriptionCount === 0);
});

test('a socket with many subscriptions that is not read is closed and its queues released', async () => {
  const { bob, dialogId, messageId } = await cast();
  const socket = await connect(bob);
  for (let nth = 1; nth <= 40; nth++) await listenOn(socket, LARGE, { dialogId }, running.app, `s${nth}`);
  socket.socket.pause();
  const before = process.memoryUsage().rss;
  // Below the limit of events per subscription: the bytes exceed the limit.
  await tellOf(dialogId, messageId, 30);
  const other = await listen('subscription { messageSent { cursor } }', {}, bob);
  await tellOf(dialogId, messageId, 1);
  await other.atLeast(1);
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  socket.socket.resume();
  expect((await socket.closed).code).toBe(4429);
  await other.close();
  await until(() => running.app.services.hub.subscriptionCount === 0);
});
