import { once } from 'node:events';
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type ConnectionState, graphql } from '../../packages/client/src/index.ts';
import { APPLICATION, clock, running, useApp } from '../support/app/app.ts';
import { startAnother } from '../support/app/other-apps.ts';
import { sql } from '../support/app/sql.ts';
import { HEAR, newClient, take, useClients } from '../support/clients/atrium.ts';
import { until } from '../support/clients/websocket.ts';
import { deadAddress } from '../support/fakes/provider.ts';
import { FaultProxy } from '../support/faults/fault-proxy.ts';
import { signedInAdministrator } from '../support/fixtures/administrators.ts';
import { createDialog, send, sendMany } from '../support/fixtures/chat.ts';
import { loggedRequest, request } from '../support/fixtures/request-log.ts';
import { createUsers, openSession } from '../support/fixtures/users.ts';

useApp();
useClients();

const TYPING = graphql(`subscription ($dialogId: ID!) { typing(dialogId: $dialogId) { userId } }`);
const START_TYPING = graphql(`mutation ($dialogId: ID!) { startTyping(dialogId: $dialogId) }`);
const LOGGED = graphql(`subscription Logged($filter: RequestLogFilter, $since: String) {
  requestLogged(filter: $filter, since: $since) { cursor request { requestId } }
}`);
const PRESENCE = graphql(`subscription ($userIds: [Int!]!) { presence(userIds: $userIds) { userId online } }`);

async function proxy(): Promise<FaultProxy> {
  const between = await FaultProxy.start(running.url);
  onTestFinished(() => between.close());
  return between;
}

/** Alice and Bob in a dialog, and a client signed in as Bob. */
async function cast(options: Parameters<typeof newClient>[0] = {}) {
  const [alice, bob] = await createUsers(2);
  const dialogId = await createDialog(alice, [bob]);
  const client = newClient(options);
  await client.signIn(bob);
  return { alice, bob, dialogId, client };
}

const textOf = ({ messageSent }: { messageSent: { message: { text: string } } }) => messageSent.message.text;

test('a subscription delivers events sent after it is ready, once each and in order, typed', async () => {
  const { alice, dialogId, client } = await cast();
  await send(alice, dialogId, 'before');
  const events = client.subscribe(HEAR, { dialogId });
  await events.ready;
  const place = events.cursor;
  expect(place).toMatch(/^\d+$/);
  await send(alice, dialogId, 'one');
  await send(alice, dialogId, 'two');
  const received = await take(events, 2);
  expectTypeOf(received[0]!.messageSent.message.text).toEqualTypeOf<string>();
  expect(received.map(textOf)).toEqual(['one', 'two']);
  expect(events.cursor).toBe(received[1]!.messageSent.cursor);
  expect((await take(client.subscribe(HEAR, { dialogId, since: place }), 2)).map(textOf)).toEqual(['one', 'two']);
});

test('`next` handles one event at a time, and `end` receives the reason for the end', async () => {
  const { alice, dialogId, client } = await cast();
  const taken: string[] = [];
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let end: unknown = 'not yet';
  const events = client.subscribe(
    HEAR,
    { dialogId },
    {
      next: async (event) => {
        taken.push(`${textOf(event)} begins`);
        await gate;
        taken.push(`${textOf(event)} ends`);
        if (textOf(event) === 'two') throw new Error('enough');
      },
      end: (error) => {
        end = error;
      },
    },
  );
  await events.ready;
  await send(alice, dialogId, 'one');
  await send(alice, dialogId, 'two');
  await until(() => taken.length > 0);
  expect(taken).toEqual(['one begins']);
  open();
  await until(() => end !== 'not yet');
  expect(taken).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  expect(end).toEqual(new Error('enough'));
});

test('subscriptions share one socket, which closes after the last of them', async () => {
  const between = await proxy();
  const states: ConnectionState[] = [];
  const { dialogId, client } = await cast({ url: between.url, onConnectionChange: (state) => states.push(state) });
  expect(client.connection).toBe('closed');
  const three = [client.subscribe(HEAR), client.subscribe(HEAR, { dialogId }), client.subscribe(TYPING, { dialogId })];
  await Promise.all(three.map(({ ready }) => ready));
  expect(between.requests.filter((line) => line.startsWith('GET'))).toHaveLength(1);
  for (const events of three) events.stop();
  await until(() => client.connection === 'closed');
  expect(states).toEqual(['connecting', 'open', 'closed']);
  await until(() => running.app.services.hub.subscriptionCount === 0);
});

test('a subscription ends when it is stopped, its loop is left or its signal aborts', async () => {
  const { alice, dialogId, client } = await cast();
  const [stopped, left] = [client.subscribe(HEAR), client.subscribe(HEAR)];
  const abort = new AbortController();
  const aborted = client.subscribe(HEAR, {}, { signal: abort.signal });
  await Promise.all([stopped.ready, left.ready, aborted.ready]);
  await send(alice, dialogId, 'one');
  for await (const event of left) {
    expect(textOf(event)).toBe('one');
    break;
  }
  stopped.stop();
  abort.abort(new Error('gone'));
  expect(await take(stopped)).toEqual([]);
  await expect(take(aborted, 1)).rejects.toThrow('gone');
  await until(() => running.app.services.hub.subscriptionCount === 0);
});

test('a subscription fails with the code of the rejection, also for invalid credentials', async () => {
  const { alice, client } = await cast();
  const dialogId = await createDialog(alice, await createUsers(1));
  const events = client.subscribe(HEAR, { dialogId });
  await expect(take(events, 1)).rejects.toMatchObject({ name: 'AtriumError', code: 'FORBIDDEN' });
  const nobody = newClient().subscribe(HEAR);
  await expect(nobody.ready).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  const wrong = newClient({ apiKey: 'wrong' }).subscribe(HEAR);
  await expect(take(wrong, 1)).rejects.toMatchObject({ code: 'UNAUTHENTICATED', status: 4403 });
});

test('subscribe rejects a resumable subscription without `since` or `cursor`', () => {
  const client = newClient();
  const deaf = graphql(`subscription { messageSent { cursor } }`);
  const lost = graphql(`subscription ($since: String) { messageSent(since: $since) { dialogId } }`);
  expect(() => client.subscribe(deaf)).toThrow('To be resumable, it must have the form');
  expect(() => client.subscribe(lost)).toThrow('To be resumable, it must have the form');
});

test('subscribe accepts aliases of the field and of its cursor', async () => {
  const { alice, dialogId, client } = await cast();
  const events = client.subscribe(
    graphql(`subscription ($from: String) { it: messageSent(since: $from) { place: cursor } }`),
  );
  await events.ready;
  await send(alice, dialogId, 'one');
  const [event] = await take(events, 1);
  expect(events.cursor).toBe(event!.it.place);
});

test('a subscription resumes after its connection was cut', async () => {
  const between = await proxy();
  const { alice, dialogId, client } = await cast({ url: between.url });
  const events = client.subscribe(HEAR, { dialogId })[Symbol.asyncIterator]();
  const next = async () => textOf((await events.next()).value as Parameters<typeof textOf>[0]);
  const first = next();
  await until(() => running.app.services.hub.subscriptionCount === 1);
  await send(alice, dialogId, 'one');
  expect(await first).toBe('one');
  between.cut();
  await sendMany(alice, dialogId, 3);
  expect([await next(), await next(), await next()]).toEqual(['message 1', 'message 2', 'message 3']);
});

test('a subscription to the request log misses none, also if its connection is cut before the first one', async () => {
  const between = await proxy();
  const [owner, [alice]] = [await signedInAdministrator('owner'), await createUsers(1)];
  class ConsoleSocket extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { headers: { Cookie: owner.cookie, Origin: between.url } });
    }
  }
  const administrator = { application: APPLICATION.id };
  const client = newClient({ url: between.url, administrator, webSocket: ConsoleSocket });
  const events = client.subscribe(LOGGED, { filter: { userId: alice.id } });
  await events.ready;
  between.target = await deadAddress();
  between.cut();
  const id = await request('/users/2147483647.json', { as: alice });
  await loggedRequest(id, owner);
  between.target = running.url;
  expect((await take(events, 1)).map(({ requestLogged }) => requestLogged.request.requestId)).toEqual([id]);
});

test('the client reconnects when the service stops responding without closing the connection', async () => {
  const between = await proxy();
  const { alice, dialogId, client } = await cast({ url: between.url, heartbeat: 100 });
  const events = client.subscribe(HEAR, { dialogId });
  await events.ready;
  between.isSilent = true;
  await until(() => client.connection === 'connecting');
  between.isSilent = false;
  await send(alice, dialogId, 'received');
  expect((await take(events, 1)).map(textOf)).toEqual(['received']);
});

test('an expired session is renewed, and the subscription misses no event', async () => {
  const { alice, bob, dialogId } = await cast();
  let renewals = 0;
  const client = newClient({
    renew: () => {
      renewals++;
      return bob;
    },
  });
  await client.signIn(bob);
  const events = client.subscribe(HEAR, { dialogId });
  await events.ready;
  await send(alice, dialogId, 'before');
  clock.advance(3 * 3_600_000);
  await until(() => renewals === 1);
  await send({ ...alice, ...(await openSession(alice)) }, dialogId, 'after');
  expect((await take(events, 2)).map(textOf)).toEqual(['before', 'after']);
});

test('a subscription ends with its session if the session cannot be renewed', async () => {
  const { dialogId, client } = await cast();
  const events = client.subscribe(HEAR, { dialogId });
  await events.ready;
  clock.advance(3 * 3_600_000);
  await expect(take(events, 1)).rejects.toMatchObject({ code: 'UNAUTHENTICATED', status: 4403 });
  expect(client.session).toBeUndefined();
});

test('sign-out and another user end a subscription without an error; the same user continues it', async () => {
  const { alice, bob, dialogId, client } = await cast();
  const events = client.subscribe(HEAR, { dialogId });
  await events.ready;
  await client.signIn(bob);
  await send(alice, dialogId, 'in the next session');
  for await (const event of events) {
    expect(textOf(event)).toBe('in the next session');
    await client.signIn(alice);
  }
  const hers = client.subscribe(HEAR, { dialogId });
  await hers.ready;
  await client.signOut();
  expect(await take(hers)).toEqual([]);
});

test('a subscription keeps its session alive', async () => {
  const briefly = await startAnother({ sessionMinutes: 0.05 });
  onTestFinished(() => briefly.stop());
  const { alice, dialogId, client } = await cast({ url: briefly.url, heartbeat: 50 });
  const events = client.subscribe(HEAR, { dialogId });
  await events.ready;
  const { id } = client.session!;
  for (const _ of [1, 2, 3]) {
    clock.advance(2_000);
    // Wait for a heartbeat that was sent after the clock advanced.
    await until(async () => {
      const asked = await sql('SELECT FROM sessions WHERE id = $1 AND updated_at >= $2', [id, running.now()]);
      return client.session === undefined || asked.length > 0;
    });
  }
  await send(alice, dialogId, 'after twice its lifetime');
  expect((await take(events, 1)).map(textOf)).toEqual(['after twice its lifetime']);
});

test('a subscription reports a gap to onGap and continues from the present; without onGap it fails', async () => {
  const { alice, dialogId, client } = await cast();
  const seen: string[] = [];
  const events = client.subscribe(
    HEAR,
    { dialogId, since: '999999999' },
    {
      onGap: async () => {
        seen.push('gap');
        await send(alice, dialogId, 'while it loads');
      },
    },
  );
  for await (const event of events) {
    seen.push(textOf(event));
    if (seen.length === 2) break;
  }
  expect(seen).toEqual(['gap', 'while it loads']);
  const strict = client.subscribe(HEAR, { dialogId, since: '999999999' });
  await expect(take(strict, 1)).rejects.toMatchObject({ code: 'CURSOR_EXPIRED' });
});

describe('the queue of a slow reader is bounded, and no event is lost', () => {
  /** Publishes a message several times. @returns the cursors */
  async function publishAgain(dialogId: string, messageId: string, times: number): Promise<number[]> {
    const rows = await sql<{ position: string }>(
      `INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, created_at)
       SELECT application_id, 'messageSent', id, $2, user_id, $3 FROM dialogs, generate_series(1, $4) WHERE id = $1
       RETURNING position`,
      [dialogId, messageId, running.now(), times],
    );
    running.app.services.outbox.wake();
    return rows.map(({ position }) => Number(position));
  }

  const subscriptionCount = () => running.app.services.hub.subscriptionCount;
  const cursorOf = ({ messageSent }: { messageSent: { cursor: string } }) => Number(messageSent.cursor);

  test('if the events arrive faster than the service can send them', async () => {
    const { alice, dialogId, client } = await cast();
    const events = client.subscribe(HEAR, { dialogId });
    await events.ready;
    await until(() => subscriptionCount() === 1);
    const positions = await publishAgain(dialogId, await send(alice, dialogId, 'notified often'), 2_500);
    await until(() => subscriptionCount() === 0);
    const received = await take(events, 2_501);
    expect(received.slice(1).map(cursorOf)).toEqual(positions);
  });

  test('if the connection is lost before the reader has taken the events in the queue', async () => {
    const between = await proxy();
    const { alice, dialogId, client } = await cast({ url: between.url });
    const events = client.subscribe(HEAR, { dialogId });
    await events.ready;
    await until(() => subscriptionCount() === 1);
    const messageId = await send(alice, dialogId, 'notified often');
    const positions: number[] = [];
    while (subscriptionCount() === 1) {
      positions.push(...(await publishAgain(dialogId, messageId, 100)));
      await until(() => (running.app.services.hub.positions.at(-1) ?? 0n) >= BigInt(positions.at(-1)!));
    }
    between.target = await deadAddress();
    between.cut();
    const { connections } = between;
    await until(() => between.connections > connections); // the client knows that its connection is lost
    const reader = events[Symbol.asyncIterator]();
    const next = async () => cursorOf((await reader.next()).value!);
    const received: number[] = [];
    while (received.length < 1_000) received.push(await next());
    const following = next(); // the queue is empty
    between.target = running.url;
    received.push(await following);
    while (received.length < positions.length + 1) received.push(await next());
    expect(received.slice(1)).toEqual(positions);
  });
});

test('typing and presence are delivered again after a lost connection', async () => {
  const between = await proxy();
  const { alice, bob, dialogId, client } = await cast({ url: between.url });
  const typing: number[] = [];
  const online: boolean[] = [];
  client.subscribe(TYPING, { dialogId }, { next: ({ typing: { userId } }) => void typing.push(userId) });
  client.subscribe(PRESENCE, { userIds: [bob.id] }, { next: ({ presence }) => void online.push(presence.online) });
  const hers = newClient();
  await hers.signIn(alice);
  const isHeard = async () => {
    await hers.mutate(START_TYPING, { dialogId });
    return typing.includes(alice.id);
  };
  await until(isHeard);
  await until(() => online.at(-1) === true);
  between.cut();
  typing.length = 0;
  online.length = 0;
  await until(isHeard);
  await until(() => online.at(-1) === true);
});

test('a subscription waits for an unavailable service, and for one that refuses further sockets of the user', async () => {
  const other = await startAnother({ limits: {} });
  onTestFinished(() => other.stop());
  const { alice, bob, dialogId } = await cast();
  const codes: number[] = [];
  const late = newClient({ url: await deadAddress(), apiKey: APPLICATION.apiKey, onBehalfOf: bob.id });
  const events = late.subscribe(HEAR, { dialogId });
  await until(() => late.connection === 'connecting');
  // Refuses the first socket with 4429; then the proxy forwards to a real service.
  const full = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  full.on('connection', (socket) => {
    codes.push(4429);
    socket.close(4429, 'Too many sockets');
  });
  await once(full, 'listening');
  const between = await FaultProxy.start(`http://127.0.0.1:${(full.address() as { port: number }).port}`);
  onTestFinished(async () => {
    await between.close();
    full.close();
  });
  events.stop();
  const busy = newClient({ url: between.url, apiKey: APPLICATION.apiKey, onBehalfOf: bob.id }).subscribe(HEAR, {
    dialogId,
  });
  await until(() => codes.length === 1);
  between.target = other.url;
  await busy.ready;
  await send(alice, dialogId, 'at last');
  expect((await take(busy, 1)).map(textOf)).toEqual(['at last']);
});
