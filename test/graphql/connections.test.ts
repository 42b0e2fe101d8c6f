import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import type pg from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { sendBytes } from '../proof/fuzz/connections.ts';
import { running, useApp } from '../support/app/app.ts';
import { LOCKED_HERE, ownConnection, sql } from '../support/app/sql.ts';
import {
  closeSockets,
  connect,
  listen,
  listenOn,
  openSocket,
  type RawSocket,
  until,
} from '../support/clients/websocket.ts';
import { createDialog, execute, MESSAGE_SENT, quickUsers, send } from '../support/fixtures/chat.ts';
import { apiKey, createUser } from '../support/fixtures/users.ts';

useApp();

afterEach(() => closeSockets());

const subscribeTo = (dialogId: string, id: string) => ({
  id,
  type: 'subscribe',
  payload: { query: MESSAGE_SENT, variables: { dialogId } },
});

/** Locks the table, calls `begin`, and runs the last function when a statement waits for the lock. */
async function whileLocked(table: 'dialogs' | 'sessions', begin: () => void, work: () => Promise<unknown>) {
  const holder: pg.Client = await ownConnection();
  try {
    await holder.query('BEGIN');
    await holder.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    begin();
    await until(async () => {
      const waiting = await sql(
        `SELECT 1 FROM pg_locks WHERE ${LOCKED_HERE} AND NOT granted AND relation = '${table}'::regclass`,
      );
      return waiting.length > 0;
    });
    await work();
    await holder.query('COMMIT');
  } finally {
    await holder.end();
  }
}

/** Waits until a new subscriber receives an event, so that earlier work is complete. */
async function aSubscriberReceives(): Promise<void> {
  const [zoe] = await quickUsers(1);
  const dialogId = await createDialog(zoe!, [zoe!]);
  const socket = await connect(zoe!);
  socket.send(subscribeTo(dialogId, 'receivedEvents'));
  await until(async () => {
    await send(zoe!, dialogId, 'still here');
    return socket.received.some(({ type }) => type === 'next');
  });
  await socket.close();
}

describe('sockets that break the protocol', () => {
  const GARBAGE: [string, (socket: RawSocket) => void, number][] = [
    ['invalid JSON', ({ socket }) => socket.send('{'), 4400],
    ['nothing', ({ socket }) => socket.send(''), 4400],
    ['a list', ({ socket }) => socket.send('[]'), 4400],
    ['null', ({ socket }) => socket.send('null'), 4400],
    ['an unknown type', ({ socket }) => socket.send('{"type":"start","id":"1"}'), 4400],
    ['a subscribe without an id', ({ socket }) => socket.send('{"type":"subscribe","payload":{"query":"{x}"}}'), 4400],
    ['a subscribe without a document', ({ socket }) => socket.send('{"type":"subscribe","id":"1","payload":{}}'), 4400],
    ['bytes', ({ socket }) => socket.send(Buffer.from([0, 255, 1, 254])), 4400],
    ['deeply nested JSON', ({ socket }) => socket.send('['.repeat(500_000)), 4400],
    ['a text frame that is not UTF-8', ({ socket }) => socket.send(Buffer.from([0xc3, 0x28]), { binary: false }), 1007],
    ['a second connection_init', ({ send }) => send({ type: 'connection_init', payload: apiKey.headers }), 4429],
  ];

  test.each(GARBAGE)('the service closes a socket for %s without affecting others', async (_name, misbehave, code) => {
    const printed = vi.spyOn(console, 'error');
    const [alice] = await quickUsers(1);
    const dialogId = await createDialog(alice!, [alice!]);
    const socket = await connect(alice!);
    await listenOn(socket, MESSAGE_SENT, { dialogId });
    const other = await listen(MESSAGE_SENT, { dialogId }, alice!);
    misbehave(socket);
    expect((await socket.closed).code).toBe(code);
    await until(() => running.app.services.hub.subscriptionCount === 1);
    await send(alice!, dialogId, 'hi');
    await other.atLeast(1);
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });

  test('the service closes a socket that sends invalid frames', async () => {
    const [alice] = await quickUsers(1);
    const dialogId = await createDialog(alice!, [alice!]);
    const { socket, closed } = await listen(MESSAGE_SENT, { dialogId }, alice!).then(
      (receivedEvents) => receivedEvents.socket,
    );
    (socket as unknown as { _socket: NodeJS.WritableStream })._socket.write('GET / HTTP/1.1\r\n\r\n');
    expect((await closed).code).toBe(1002);
    await until(() => running.app.services.hub.subscriptionCount === 0);
  });

  test('the service ignores messages on a socket that is being closed', async () => {
    const [alice] = await quickUsers(1);
    const dialogId = await createDialog(alice!, [alice!]);
    const socket = await connect(alice!);
    socket.socket.send('garbage');
    for (let nth = 1; nth <= 20; nth++) socket.send(subscribeTo(dialogId, `s${nth}`));
    expect((await socket.closed).code).toBe(4400);
    await aSubscriberReceives();
    expect(running.app.services.hub.subscriptionCount).toBe(0);
  });

  test('aborted upgrade requests to any path do not affect other connections', async () => {
    const { port } = new URL(running.url);
    for (let nth = 0; nth < 20; nth++) {
      const socket = connectTcp(Number(port), '127.0.0.1');
      await once(socket, 'connect');
      socket.write(
        `GET /${nth % 2 ? 'other' : 'graphql'} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
        () => socket.resetAndDestroy(),
      );
      await once(socket, 'close');
    }
    await aSubscriberReceives();
  });

  test('upgrade requests to other paths that send more bytes leave no open connection', async () => {
    const open = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    const before = open();
    const upgrade = Buffer.from('GET /other HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    for (let nth = 0; nth < 20; nth++) await sendBytes(running.url, [upgrade, Buffer.alloc(200_000)]);
    await until(() => open() < before + 10);
  });
});

describe('operation ids', () => {
  test('a second operation with an id in use closes the socket with 4409', async () => {
    const [alice] = await quickUsers(1);
    const dialogId = await createDialog(alice!, [alice!]);
    const socket = await connect(alice!);
    await listenOn(socket, MESSAGE_SENT, { dialogId }, running.app, 'mine');
    socket.send(subscribeTo(dialogId, 'mine'));
    expect((await socket.closed).code).toBe(4409);
    await until(() => running.app.services.hub.subscriptionCount === 0);
  });

  test('an operation id can be reused after its operation has completed', async () => {
    const [alice] = await quickUsers(1);
    const dialogId = await createDialog(alice!, [alice!]);
    const socket = await connect(alice!);
    const receivedEvents = () => socket.received.filter(({ type, id }) => type === 'next' && id === 'again');
    for (let nth = 1; nth <= 3; nth++) {
      socket.send(subscribeTo(dialogId, 'again'));
      await until(() => running.app.services.hub.subscriptionCount === 1);
      await send(alice!, dialogId, `message ${nth}`);
      await until(() => receivedEvents().length === nth);
      socket.send({ id: 'again', type: 'complete' });
      await until(() => running.app.services.hub.subscriptionCount === 0);
      expect((await socket.run('{ __typename }')).data).toEqual({ __typename: 'Query' });
    }
    expect(receivedEvents()).toHaveLength(3);
  });

  test('an operation id that is cancelled can be reused immediately, and one subscription remains', async () => {
    const [alice] = await quickUsers(1);
    const dialogId = await createDialog(alice!, [alice!]);
    for (let nth = 0; nth < 5; nth++) {
      const socket = await connect(alice!);
      for (let turn = 0; turn < 20; turn++) {
        socket.send(subscribeTo(dialogId, 'same'));
        socket.send({ id: 'same', type: 'complete' });
      }
      socket.send(subscribeTo(dialogId, 'same'));
      await until(() => running.app.services.hub.subscriptionCount === 1);
      await send(alice!, dialogId, `message ${nth}`);
      await until(() => socket.received.some(({ type }) => type === 'next'));
      await socket.close();
      expect(socket.received.filter(({ id }) => id === 'same')).toHaveLength(1);
      await until(() => running.app.services.hub.subscriptionCount === 0);
    }
    await aSubscriberReceives();
    await until(() => running.app.services.hub.subscriptionCount === 0);
  });
});

describe('cancelling an operation that is starting', () => {
  test('an operation that is completed before it starts sends nothing', async () => {
    const [alice] = await quickUsers(1);
    const dialogId = await createDialog(alice!, [alice!]);
    const socket = await connect(alice!);
    await whileLocked(
      'dialogs',
      () => socket.send(subscribeTo(dialogId, 'early')),
      async () => socket.send({ id: 'early', type: 'complete' }),
    );
    const stays = await listenOn(socket, MESSAGE_SENT, { dialogId }, running.app, 'stays');
    await send(alice!, dialogId, 'hi');
    await stays.atLeast(1);
    await until(() => running.app.services.hub.subscriptionCount === 1);
    expect(socket.received.filter(({ id }) => id === 'early')).toEqual([]);
  });

  test('cancelling immediately does not bypass the limit of operations per socket', async () => {
    const [alice] = await quickUsers(1);
    const dialogId = await createDialog(alice!, [alice!]);
    const socket = await connect(alice!);
    await whileLocked(
      'dialogs',
      () => {
        for (let nth = 1; nth <= 130; nth++) {
          socket.send(subscribeTo(dialogId, `s${nth}`));
          if (nth <= 100) socket.send({ id: `s${nth}`, type: 'complete' });
        }
      },
      () => until(() => socket.received.filter(({ type }) => type === 'error').length === 30),
    );
    await aSubscriberReceives();
    await until(() => running.app.services.hub.subscriptionCount === 0);
    expect((await socket.run('{ me { id } }')).data).toEqual({ me: { id: alice!.id } });
  });

  test('a socket that closes while an operation starts leaves no open subscription', async () => {
    const [alice] = await quickUsers(1);
    const dialogId = await createDialog(alice!, [alice!]);
    for (const leave of [
      (socket: RawSocket) => socket.close(),
      async (socket: RawSocket) => {
        socket.socket.terminate();
        await socket.closed;
      },
    ]) {
      const socket = await connect(alice!);
      await whileLocked(
        'dialogs',
        () => socket.send(subscribeTo(dialogId, '1')),
        () => leave(socket),
      );
      await aSubscriberReceives();
      await until(() => running.app.services.hub.subscriptionCount === 0);
    }
  });

  test('a socket that closes during authentication never becomes online', async () => {
    const user = await createUser();
    const { presence } = running.app.services;
    const who = { applicationId: 92, userId: user.id };
    const socket = await openSocket();
    await whileLocked(
      'sessions',
      () => socket.send({ type: 'connection_init', payload: user.headers }),
      async () => {
        socket.socket.terminate();
        await socket.closed;
      },
    );
    await aSubscriberReceives();
    await until(() => !presence.isOnline(who));
    expect(running.app.services.hub.subscriptionCount).toBe(0);
  });

  test('operations before connection_ack close the socket', async () => {
    const user = await createUser();
    const socket = await openSocket();
    await whileLocked(
      'sessions',
      () => socket.send({ type: 'connection_init', payload: user.headers }),
      async () => {
        socket.send({ id: '1', type: 'subscribe', payload: { query: '{ __typename }' } });
        expect((await socket.closed).code).toBe(4401);
      },
    );
  });
});

test('a subscription completes when the user is removed from its dialog, and its id can be reused', async () => {
  const [alice, bob] = await quickUsers(2);
  const dialogId = await createDialog(alice!, [bob!]);
  const other = await createDialog(alice!, [bob!]);
  const socket = await connect(bob!);
  await listenOn(socket, MESSAGE_SENT, { dialogId }, running.app, '1');
  await execute(
    'mutation ($id: ID!, $ids: [Int!]!) { updateDialog(id: $id, input: { removeOccupantIds: $ids }) { id } }',
    { id: dialogId, ids: [bob!.id] },
    alice!,
  );
  await socket.find(({ id, type }) => id === '1' && type === 'complete');
  expect(running.app.services.hub.subscriptionCount).toBe(0);
  await socket.run('{ __typename }');
  socket.send(subscribeTo(other, '1'));
  await until(() => running.app.services.hub.subscriptionCount === 1);
  const id = await send(alice!, other, 'hi');
  await socket.find(({ type, payload }) => type === 'next' && payload.data.messageSent?.message.id === id);
});
