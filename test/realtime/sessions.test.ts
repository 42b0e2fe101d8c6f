import { afterEach, describe, expect, test } from 'vitest';
import { clock, running, useApp } from '../support/app/app.ts';
import { startAnother } from '../support/app/other-apps.ts';
import { sql } from '../support/app/sql.ts';
import { rest } from '../support/clients/rest.ts';
import { streamEvents } from '../support/clients/sse.ts';
import { closeSockets, connect, listen, listenOn, openSocket, until } from '../support/clients/websocket.ts';
import { createDialog, execute, MESSAGE_SENT, quickUsers, send } from '../support/fixtures/chat.ts';
import { apiKey, createUser, onBehalfOf, openSession } from '../support/fixtures/users.ts';

useApp();

afterEach(async () => {
  clock.reset();
  await closeSockets();
});

const minutesOn = (minutes: number) => clock.reset(minutes * 60_000);

describe('connection_init', () => {
  test.each<[string, Record<string, unknown> | undefined]>([
    ['nothing', undefined],
    ['an empty payload', {}],
    ['a blank token', { 'SVC-Token': ' ' }],
    ['an unknown token', { 'SVC-Token': 'x' }],
    ['a token that is not text', { 'SVC-Token': { $ne: null } }],
    ['an unknown key', { Authorization: 'ApiKey WRONG' }],
    ['another scheme', { Authorization: 'Bearer KEY' }],
    ['On-Behalf-Of alone', { 'On-Behalf-Of': '1' }],
    ['On-Behalf-Of an unknown user', { ...apiKey.headers, 'On-Behalf-Of': 2_000_000_000 }],
    ['prototype names', JSON.parse('{"__proto__":{"svc-token":"x"},"constructor":"y"}')],
  ])('connection_init with %s closes the socket with 4403', async (_name, payload) => {
    const socket = await openSocket();
    socket.send({ type: 'connection_init', payload });
    expect((await socket.closed).code).toBe(4403);
  });

  test('connection_init accepts credentials in any letter case, and numbers', async () => {
    const user = await createUser();
    for (const payload of [
      { 'svc-token': user.token },
      { 'SVC-TOKEN': user.token },
      { AUTHORIZATION: 'apikey KEY', 'on-behalf-of': user.id },
    ]) {
      const socket = await openSocket();
      socket.send({ type: 'connection_init', payload });
      await socket.find((message) => message.type === 'connection_ack');
      expect((await socket.run('{ me { id } }')).data.me.id).toBe(user.id);
      await socket.close();
    }
  });

  test('a second connection_init closes the socket', async () => {
    const socket = await connect(apiKey);
    socket.send({ type: 'connection_init', payload: apiKey.headers });
    expect((await socket.closed).code).toBe(4429);
  });
});

describe('queries and mutations on a socket', () => {
  test('queries and mutations on a socket work as over HTTP, and publish events', async () => {
    const user = await createUser();
    const dialogId = await createDialog(user, [user]);
    const socket = await connect(user);
    const receivedEvents = await listenOn(socket, MESSAGE_SENT, { dialogId });
    const sent = await socket.run(
      'mutation ($id: ID!) { sendMessage(input: { dialogId: $id, text: "hi" }) { id senderId } }',
      { id: dialogId },
    );
    expect(sent.data.sendMessage.senderId).toBe(user.id);
    expect(await receivedEvents.atLeast(1)).toMatchObject([
      { messageSent: { message: { id: sent.data.sendMessage.id } } },
    ]);
    expect((await socket.run('query ($id: ID!) { dialog(id: $id) { nonsense } }')).errors[0].extensions.code).toBe(
      'BAD_USER_INPUT',
    );
  });
});

describe('row 3: a socket lives no longer than its credentials', () => {
  test.each([
    ['DELETE /session', (token: string) => rest('DELETE', '/session.json', { headers: { 'SVC-Token': token } })],
    [
      'deleteSession',
      (token: string) => execute('mutation { deleteSession }', {}, { headers: { 'SVC-Token': token } }),
    ],
  ])('%s closes the sockets of its session with 4403, on every process, and no others', async (_name, logOut) => {
    const user = await createUser();
    const other = await openSession(user);
    const dialogId = await createDialog(user, [user]);
    const second = await startAnother();
    const ending = [
      await connect(user),
      (await listen(MESSAGE_SENT, { dialogId }, user)).socket,
      await connect(user, second),
      (await listen(MESSAGE_SENT, {}, user, second)).socket,
    ];
    const staying = [
      await listen(MESSAGE_SENT, { dialogId }, other),
      await listen(MESSAGE_SENT, { dialogId }, other, second),
      await listen(MESSAGE_SENT, { dialogId }, onBehalfOf(user)),
    ];
    const before = performance.now();
    await logOut(user.token);
    for (const socket of ending) expect((await socket.closed).code).toBe(4403);
    expect(performance.now() - before).toBeLessThan(5_000);
    await send(other, dialogId, 'still here');
    for (const socket of staying) await socket.atLeast(1);
    for (const socket of staying) socket.socket.socket.terminate();
    await second.stop();
  });

  test('logging out also ends streams of server-sent events', async () => {
    const user = await createUser();
    const dialogId = await createDialog(user, [user]);
    const second = await startAnother();
    const here = await streamEvents(MESSAGE_SENT, { dialogId }, user);
    const there = await streamEvents(MESSAGE_SENT, {}, user, second);
    await until(() => running.app.services.hub.subscriptionCount === 1 && second.services.hub.subscriptionCount === 1);
    await rest('DELETE', '/session.json', { as: user });
    await here.ended;
    await there.ended;
    await until(() => running.app.services.hub.subscriptionCount === 0 && second.services.hub.subscriptionCount === 0);
    await second.stop();
  });

  test('expiry closes sockets and streams', async () => {
    const user = await createUser();
    const older = await connect(await openSession(user));
    minutesOn(1);
    const idle = await connect(await openSession(user));
    const receivedEvents = await listen(MESSAGE_SENT, {}, await openSession(user));
    const stream = await streamEvents(MESSAGE_SENT, {}, await openSession(user));
    const application = await connect(await openSession());
    await until(() => running.app.services.hub.subscriptionCount === 2);
    minutesOn(120);
    await older.closed;
    expect([idle, receivedEvents.socket, application].map(({ socket }) => socket.readyState)).toEqual([1, 1, 1]);
    minutesOn(121);
    for (const { closed } of [idle, receivedEvents.socket, application]) expect((await closed).code).toBe(4403);
    await stream.ended;
  });

  test('requests with the token and operations on the socket extend the session; a ping does not', async () => {
    const users = [await createUser(), await createUser(), await createUser()];
    const [elsewhere, operating, pinging] = await Promise.all(users.map((user) => connect(user)));
    const second = await startAnother();
    const faraway = await connect(users[0]!, second);
    minutesOn(100);
    await execute('{ me { id } }', {}, users[0]!);
    expect((await operating!.run('{ me { id } }')).data.me.id).toBe(users[1]!.id);
    pinging!.send({ type: 'ping' });
    await pinging!.find((message) => message.type === 'pong');
    await running.app.services.sessionClock.flush();
    minutesOn(121);
    expect((await pinging!.closed).code).toBe(4403);
    expect([elsewhere!, operating!, faraway].map(({ socket }) => socket.readyState)).toEqual([1, 1, 1]);
    minutesOn(221);
    for (const socket of [elsewhere!, operating!, faraway]) expect((await socket.closed).code).toBe(4403);
    await second.stop();
  });

  test('an operation with an expired session is rejected and closes the socket', async () => {
    const user = await createUser();
    const socket = await connect(user);
    minutesOn(121);
    socket.send({ id: '1', type: 'subscribe', payload: { query: '{ me { id } }' } });
    expect((await socket.closed).code).toBe(4403);
    expect(socket.received.filter((message) => message.type === 'next')).toEqual([]);
  });
});

describe('row 35: slow readers', () => {
  test('a subscriber who does not keep up is closed with 4429 and can resume with its cursor', async () => {
    const [alice, bob] = await quickUsers(2);
    const dialogId = await createDialog(alice!, [bob!]);
    const slow = await listen(MESSAGE_SENT, { dialogId }, bob!);
    const id = await send(alice!, dialogId, 'x'.repeat(30_000));
    const [{ messageSent: first }] = await slow.atLeast(1);
    slow.socket.socket.pause();
    const { hub, outbox } = running.app.services;
    let sent = 0;
    while (hub.subscriptionCount > 0) {
      // One message repeated: only the amount of unsent data matters here.
      const rows = await sql<{ position: string }>(
        `INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, created_at)
         SELECT application_id, 'messageSent', id, $2, user_id, created_at FROM dialogs, generate_series(1, 500)
         WHERE id = $1 RETURNING position`,
        [dialogId, id],
      );
      outbox.wake();
      sent += 500;
      if (sent > 20_000) throw new Error('the service waits for a slow reader without bound');
      const last = BigInt(rows.at(-1)!.position);
      await until(() => hub.subscriptionCount === 0 || hub.positions.at(-1)! >= last);
    }
    slow.socket.socket.resume();
    expect((await slow.socket.closed).code).toBe(4429);
    const receivedEvents = slow.payloads();
    const cursors = receivedEvents.map((event) => Number(event.messageSent.cursor));
    expect(cursors).toEqual([...new Set(cursors)].sort((a, b) => a - b));
    const resumed = await listen(MESSAGE_SENT, { dialogId, since: receivedEvents.at(-1).messageSent.cursor }, bob!);
    await resumed.atLeast(1 + sent - receivedEvents.length);
    expect(first.cursor).toBe(receivedEvents[0].messageSent.cursor);
  });

  test('a slow subscriber does not delay others', async () => {
    const [alice, bob, carol] = await quickUsers(3);
    const dialogId = await createDialog(alice!, [bob!, carol!]);
    const slow = await listen(MESSAGE_SENT, { dialogId }, bob!);
    const quick = await listen(MESSAGE_SENT, { dialogId }, carol!);
    slow.socket.socket.pause();
    for (let nth = 1; nth <= 20; nth++) {
      await send(alice!, dialogId, 'x'.repeat(30_000));
      await quick.atLeast(nth);
    }
  });
});

describe('a stopping service', () => {
  test('a stopping service closes sockets with 1001, ends streams, and does not wait for unresponsive clients', async () => {
    const user = await createUser();
    const app = await startAnother();
    const socket = await connect(user, app);
    const receivedEvents = await listen(MESSAGE_SENT, {}, user, app);
    const deaf = await listen(MESSAGE_SENT, {}, user, app);
    deaf.socket.socket.pause();
    const stream = await streamEvents(MESSAGE_SENT, {}, user, app);
    await until(() => app.services.hub.subscriptionCount === 3);
    const before = performance.now();
    await app.stop();
    expect(performance.now() - before).toBeLessThan(5_000);
    expect((await socket.closed).code).toBe(1001);
    expect((await receivedEvents.socket.closed).code).toBe(1001);
    await stream.ended;
    await expect(fetch(`${app.url}/healthz`)).rejects.toThrow();
  });
});
