import { afterEach, describe, expect, test } from 'vitest';
import { APPLICATION, running, useApp } from '../support/app/app.ts';
import { readMetrics } from '../support/app/metrics.ts';
import { type OwnDatabase, startOwnDatabase } from '../support/app/postgres-server.ts';
import { outboxReads, ownConnection, sql } from '../support/app/sql.ts';
import { rawRequest } from '../support/clients/raw-http.ts';
import { rest } from '../support/clients/rest.ts';
import { streamEvents } from '../support/clients/sse.ts';
import {
  closeSockets,
  connect,
  type LiveSubscription,
  listen,
  listenOn,
  openSocket,
  until,
} from '../support/clients/websocket.ts';
import { setReadOnly } from '../support/faults/read-only.ts';
import { signedInAdministrator } from '../support/fixtures/administrators.ts';
import {
  createDialog,
  errorOf,
  execute,
  MESSAGE_SENT,
  type QuickUser,
  quickUsers,
  send,
} from '../support/fixtures/chat.ts';
import { apiKey } from '../support/fixtures/users.ts';

let database: OwnDatabase;

useApp({
  database: async () => {
    database = await startOwnDatabase();
    return database;
  },
});

afterEach(() => closeSockets());

const SENT = `subscription ($dialogId: ID, $since: String) {
  messageSent(dialogId: $dialogId, since: $since) { cursor message { id text } } }`;
const SEND = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }';
const TEXTS = 'query ($dialogId: ID!) { messages(dialogId: $dialogId) { edges { node { text } } } }';
const UNAVAILABLE = { message: 'Service unavailable', extensions: { code: 'SERVICE_UNAVAILABLE', retryAfter: 1 } };

async function cast() {
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  const dialogId = await createDialog(alice, [bob]);
  return { alice, bob, dialogId };
}

/** Stores messages without the service. @returns their ids */
async function store(dialogId: string, texts: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const text of texts) {
    const [row] = await sql<{ id: string }>(
      `WITH counted AS (UPDATE dialogs SET last_seq = last_seq + 1, message_count = message_count + 1 WHERE id = $1
         RETURNING application_id, id, last_seq, created_at)
       INSERT INTO messages (application_id, id, dialog_id, seq, sender_id, recipient_id, text, attachments,
         custom_fields, send_to_chat, date_sent, created_at, updated_at)
       SELECT application_id, left(md5(random()::text), 24), id, last_seq, 1, 0, $2, '[]', '{}', true, 0, created_at,
         created_at FROM counted
       RETURNING id`,
      [dialogId, text],
    );
    ids.push(row!.id);
  }
  return ids;
}

/** Appends their events to the outbox without a wake-up signal. */
async function announce(dialogId: string, messageIds: string[]): Promise<void> {
  for (const id of messageIds) {
    await sql(
      `INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, created_at)
       VALUES ($1, 'messageSent', $2, $3, 1, $4)`,
      [APPLICATION.id, dialogId, id, running.now()],
    );
  }
}

const textsOf = (listening: LiveSubscription) =>
  listening.payloads().map((data) => data.messageSent?.message.text ?? data);

async function expectReceived(listeners: LiveSubscription[], texts: string[]): Promise<void> {
  for (const one of listeners) await one.atLeast(texts.length);
  for (const one of listeners) expect(textsOf(one)).toEqual(texts);
}

describe('exactly-once delivery', () => {
  test.each([
    ['the recipients cannot be read', 'ALTER TABLE members RENAME COLUMN left_at TO', 'left_at'],
    ['the outbox cannot be read', 'ALTER TABLE dialogs RENAME COLUMN type TO', 'type'],
  ])('events written while %s are delivered exactly once afterwards', async (_name, rename, column) => {
    const { alice, bob, dialogId } = await cast();
    await send(alice, dialogId, 'first');
    const listeners = [
      await listen(SENT, { dialogId }, bob),
      await listen(SENT, {}, alice),
      await listen(SENT, {}, apiKey),
    ];
    await sql(`${rename} ${column}_away`);
    await sql('UPDATE dialogs SET member_version = member_version + 1');
    await announce(dialogId, await store(dialogId, ['one', 'two']));
    await outboxReads();
    await announce(dialogId, await store(dialogId, ['three']));
    await outboxReads();
    for (const one of listeners) expect(one.payloads()).toEqual([]);
    await sql(`${rename.replace(column, `${column}_away`)} ${column}`);
    await expectReceived(listeners, ['one', 'two', 'three']);
    await send(alice, dialogId, 'four');
    await expectReceived(listeners, ['one', 'two', 'three', 'four']);
  });

  test('events are delivered exactly once when the database goes down while their message is read', async () => {
    const { alice, bob, dialogId } = await cast();
    await send(alice, dialogId, 'first');
    const listeners = [await listen(SENT, { dialogId }, bob), await listen(SENT, {}, alice)];
    const ids = await store(dialogId, ['one', 'two']);
    // The outbox is readable, but the messages are locked.
    const holder = await ownConnection();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE messages');
    await announce(dialogId, ids);
    await until(isWaiting);
    await database.stop();
    await database.start();
    await expectReceived(listeners, ['one', 'two']);
  });

  test('events are delivered exactly once when the database goes down while a subscription catches up', async () => {
    const { alice, bob, dialogId } = await cast();
    const before = await listen(SENT, { dialogId }, bob);
    for (const text of ['one', 'two', 'three']) await send(alice, dialogId, text);
    const [first] = await before.atLeast(3);
    const holder = await ownConnection();
    await holder.query('BEGIN; LOCK TABLE dialogs');
    const late = await listen(SENT, { since: first.messageSent.cursor }, bob);
    await until(isWaiting);
    await database.stop();
    await database.start();
    await until(() =>
      send(alice, dialogId, 'four').then(
        () => true,
        () => false,
      ),
    );
    await expectReceived([late], ['two', 'three', 'four']);
  });

  test.each(['is restarted', 'crashes'])(
    'events are delivered exactly once when the database %s during many writes',
    async (how) => {
      const { alice, bob, dialogId } = await cast();
      const listeners = [await listen(SENT, { dialogId }, bob), await listen(SENT, {}, alice)];
      let isOver = false;
      const acknowledged: string[] = [];
      const write = async (sender: QuickUser, name: string) => {
        for (let nth = 1; !isOver; nth++) {
          await until(() =>
            send(sender, dialogId, `${name} ${nth}`).then(
              (id) => acknowledged.push(id) > 0,
              () => isOver,
            ),
          );
        }
      };
      const writing = [write(alice, 'alice'), write(bob, 'bob')];
      for (const count of [20, 20]) {
        const before = acknowledged.length;
        await until(() => acknowledged.length >= before + count);
        if (how === 'crashes') await database.crash();
        else await database.stop().then(() => database.start());
      }
      const before = acknowledged.length;
      await until(() => acknowledged.length >= before + 20);
      isOver = true;
      await Promise.all(writing);
      await send(alice, dialogId, 'last');
      await until(() => listeners.every((one) => textsOf(one).includes('last')));
      const stored = await sql<{ id: string }>('SELECT id FROM messages WHERE dialog_id = $1 ORDER BY seq', [dialogId]);
      const ids = stored.map(({ id }) => id);
      expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
      for (const one of listeners) {
        expect(one.payloads().map((data) => data.messageSent?.message.id ?? data)).toEqual(ids);
      }
    },
  );
});

test('a read-only database serves reads and refuses writes as unavailable, until it can be written again', async () => {
  const { alice, bob, dialogId } = await cast();
  const readiness = async () => {
    const { status, text } = await rawRequest('GET', '/readyz');
    return [status, text];
  };
  const administrator = await signedInAdministrator('owner');
  await send(alice, dialogId, 'before');
  await setReadOnly(true);
  await until(async () => (await readiness())[0] === 503);
  expect(await readiness()).toEqual([503, 'not ready: the database is read-only\n']);
  expect((await readMetrics()).get('atrium_database_writable')).toBe(0);
  const { serviceStatus } = await execute('{ serviceStatus { isDatabaseReadOnly } }', {}, administrator);
  expect(serviceStatus).toEqual({ isDatabaseReadOnly: true });
  const failure = await errorOf(SEND, { input: { dialogId, text: 'lost' } }, alice);
  expect(failure).toEqual({ message: UNAVAILABLE.message, ...UNAVAILABLE.extensions });
  const json = { chat_dialog_id: dialogId, message: 'lost' };
  const refused = await rest('POST', '/chat/Message', { as: alice, json });
  expect([refused.status, refused.text, refused.headers.get('retry-after')]).toEqual([
    503,
    '{"errors":["Service unavailable"]}',
    '1',
  ]);
  const { messages } = await execute(TEXTS, { dialogId }, bob);
  expect(messages.edges).toEqual([{ node: { text: 'before' } }]);
  await setReadOnly(false);
  await until(async () => (await readiness())[0] === 200);
  expect((await readMetrics()).get('atrium_database_writable')).toBe(1);
  await send(alice, dialogId, 'after');
});

describe('while the database is unavailable', () => {
  test('sockets are refused with 1013 while the database is unavailable, and served afterwards', async () => {
    const { alice, bob, dialogId } = await cast();
    const socket = await connect(bob);
    await database.stop();
    const refused = await openSocket();
    refused.send({ type: 'connection_init', payload: bob.headers });
    expect(await refused.closed).toEqual({ code: 1013, reason: 'Service unavailable' });
    await expect(listenOn(socket, MESSAGE_SENT, { dialogId })).rejects.toMatchObject([UNAVAILABLE]);
    const stream = await streamEvents(MESSAGE_SENT, { dialogId }, bob);
    await stream.ended;
    await database.start();
    const listeners = [
      await listen(SENT, { dialogId }, bob),
      await listenOn(socket, SENT, { dialogId }, running.app, 'again'),
    ];
    await send(alice, dialogId, 'one');
    await expectReceived(listeners, ['one']);
  });

  test('sockets that open while the outbox cannot be read are refused, and later ones are served', async () => {
    const { alice, bob, dialogId } = await cast();
    await sql('ALTER TABLE events_outbox RENAME TO events_outbox_away');
    const refusals = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const socket = await openSocket();
        socket.send({ type: 'connection_init', payload: bob.headers });
        return (await socket.closed).code;
      }),
    );
    expect(refusals).toEqual([4500, 4500, 4500, 4500, 4500]);
    await sql('ALTER TABLE events_outbox_away RENAME TO events_outbox');
    const listeners = await Promise.all([listen(SENT, { dialogId }, bob), listen(SENT, {}, alice)]);
    await send(alice, dialogId, 'one');
    await expectReceived(listeners, ['one']);
  });
});

async function isWaiting(): Promise<boolean> {
  const waiting = await sql(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return waiting.length > 0;
}
