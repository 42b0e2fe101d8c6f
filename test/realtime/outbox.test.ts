import type pg from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { BACKGROUND, transact } from '../../src/db/transact.ts';
import { appendDialogEvents } from '../../src/realtime/outbox.ts';
import { OutboxReader } from '../../src/realtime/outbox-reader.ts';
import { APPLICATION, running, useApp } from '../support/app/app.ts';
import { startAnother } from '../support/app/other-apps.ts';
import { onStatement, outboxReads, ownConnection, sql } from '../support/app/sql.ts';
import { closeSockets, listen, until } from '../support/clients/websocket.ts';
import { createDialog, MESSAGE_SENT, quickUsers, send, sendMany } from '../support/fixtures/chat.ts';

useApp();

afterEach(() => closeSockets());

async function slowReaction(dialogId: string, messageId: string, name: string): Promise<pg.Client> {
  const client = await begun();
  await insertReaction(client, dialogId, messageId, name);
  return client;
}

/** An open transaction that already has its id. */
async function begun(): Promise<pg.Client> {
  const client = await ownConnection();
  await client.query('BEGIN');
  await client.query('SELECT pg_current_xact_id()');
  return client;
}

async function insertReaction(client: pg.Client, dialogId: string, messageId: string, name: string): Promise<void> {
  await client.query(
    `INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, name, created_at)
     VALUES ($1, 'reactionAdded', $2, $3, 1, $4, $5)`,
    [APPLICATION.id, dialogId, messageId, name, running.now()],
  );
}

async function finish(client: pg.Client, how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  await client.query(how);
  await client.end();
}

const REACTION_ADDED = `subscription ($dialogId: ID) { reactionAdded(dialogId: $dialogId) { cursor name } }`;

async function cast() {
  const [alice, bob] = await quickUsers(2);
  const dialogId = await createDialog(alice!, [bob!]);
  return { alice: alice!, bob: bob!, dialogId, messageId: await send(alice!, dialogId, 'first') };
}

describe('the order of the stream', () => {
  test('events after a gap are delivered only when its transaction ends, and then in order', async () => {
    const { alice, bob, dialogId, messageId } = await cast();
    const messages = await listen(MESSAGE_SENT, { dialogId }, bob);
    const reactions = await listen(REACTION_ADDED, { dialogId }, bob);
    const slow = await slowReaction(dialogId, messageId, 'late');
    await sendMany(alice, dialogId, 3);
    await outboxReads();
    expect([messages.payloads(), reactions.payloads()]).toEqual([[], []]);
    await finish(slow, 'COMMIT');
    const [{ reactionAdded }] = await reactions.atLeast(1);
    const sent = await messages.atLeast(3);
    expect(reactionAdded.name).toBe('late');
    const cursors = [reactionAdded.cursor, ...sent.map((event) => event.messageSent.cursor)].map(Number);
    expect(cursors).toEqual([...cursors].sort((a, b) => a - b));
    expect(sent.map((event) => event.messageSent.message.text)).toEqual(['message 1', 'message 2', 'message 3']);
  });

  test('a position whose transaction was rolled back is skipped', async () => {
    const { alice, bob, dialogId, messageId } = await cast();
    const messages = await listen(MESSAGE_SENT, { dialogId }, bob);
    const slow = await slowReaction(dialogId, messageId, 'never');
    await send(alice, dialogId, 'second');
    await outboxReads();
    expect(messages.payloads()).toEqual([]);
    await finish(slow, 'ROLLBACK');
    await messages.atLeast(1);
    await sql("SELECT nextval(pg_get_serial_sequence('events_outbox', 'position')) FROM generate_series(1, 700)");
    await send(alice, dialogId, 'behind a wide gap');
    expect((await messages.atLeast(2))[1].messageSent.message.text).toBe('behind a wide gap');
  });

  test('events are delivered by position even if their transactions end in another order', async () => {
    const { alice, bob, dialogId, messageId } = await cast();
    const reactions = await listen(REACTION_ADDED, { dialogId }, bob);
    const messages = await listen(MESSAGE_SENT, { dialogId }, bob);
    const one = await slowReaction(dialogId, messageId, 'one');
    const two = await slowReaction(dialogId, messageId, 'two');
    const three = await slowReaction(dialogId, messageId, 'three');
    await send(alice, dialogId, 'behind');
    await finish(three, 'COMMIT');
    await outboxReads();
    await finish(one, 'COMMIT');
    expect(await reactions.atLeast(1)).toMatchObject([{ reactionAdded: { name: 'one' } }]);
    await outboxReads();
    expect([reactions.payloads().length, messages.payloads().length]).toEqual([1, 0]);
    await finish(two, 'ROLLBACK');
    await messages.atLeast(1);
    const all = await reactions.atLeast(2);
    expect(all.map((event) => event.reactionAdded.name)).toEqual(['one', 'three']);
  });

  test('the reader also waits for a younger transaction that took the lower position', async () => {
    const { dialogId, messageId } = await cast();
    const reader = new OutboxReader();
    await reader.start();
    const older = await begun();
    const younger = await slowReaction(dialogId, messageId, 'of the younger');
    await insertReaction(older, dialogId, messageId, 'of the older');
    await finish(older, 'COMMIT');
    for (let nth = 0; nth < 3; nth++) expect(await reader.read()).toEqual({ rows: [], isBehind: 'gap' });
    const starting = new OutboxReader();
    const started = starting.start();
    await finish(younger, 'COMMIT');
    await started;
    expect((await reader.read()).rows.map(({ name }) => name)).toEqual(['of the younger', 'of the older']);
    expect((await starting.read()).rows).toEqual([]);
  });

  test('a subscription that starts before a transaction commits receives its events', async () => {
    const { alice, bob, dialogId, messageId } = await cast();
    const slow = await slowReaction(dialogId, messageId, 'under way');
    await send(alice, dialogId, 'committed meanwhile, with a later position');
    let isOpen = false;
    let waits = 0;
    const release = onStatement((text) => {
      if (text.includes('AS xmin')) waits++;
    });
    const opening = listen(REACTION_ADDED, { dialogId }, bob);
    opening.then(() => {
      isOpen = true;
    });
    await until(() => isOpen || waits >= 2);
    release();
    const isOpenEarly = isOpen;
    await finish(slow, 'COMMIT');
    const reactions = await opening;
    // A subscription that had to wait for the commit need not receive its event.
    if (isOpenEarly) await until(() => reactions.payloads().some((event) => event.reactionAdded.name === 'under way'));
    const later = await slowReaction(dialogId, messageId, 'later');
    await send(alice, dialogId, 'x');
    await finish(later, 'COMMIT');
    await until(() => reactions.payloads().some((event) => event.reactionAdded.name === 'later'));
  });

  test('a new subscription receives no earlier events', async () => {
    const { alice, bob, dialogId } = await cast();
    await sendMany(alice, dialogId, 3);
    const messages = await listen(MESSAGE_SENT, { dialogId }, bob);
    await send(alice, dialogId, 'new');
    await messages.atLeast(1);
    await outboxReads();
    expect(messages.payloads().map((event) => event.messageSent.message.text)).toEqual(['new']);
  });

  test('subscribers who reconnect during writes receive no earlier events', async () => {
    const { alice, bob, dialogId } = await cast();
    for (let round = 0; round < 25; round++) {
      const before = await send(alice, dialogId, `before ${round}`);
      const messages = await listen(MESSAGE_SENT, { dialogId }, bob);
      const [after] = await Promise.all([send(alice, dialogId, `after ${round}`), messages.atLeast(1)]);
      expect(messages.payloads().map((event) => event.messageSent.message.id)).toEqual([after]);
      expect(before).not.toBe(after);
      messages.socket.socket.terminate();
      await until(() => running.app.services.hub.subscriptionCount === 0);
    }
  });

  test('events of a dialog have the order of its messages, across many writers and processes', async () => {
    const users = await quickUsers(16);
    const dialogId = await createDialog(users[0]!, users.slice(1));
    const second = await startAnother();
    const received = [
      await listen(MESSAGE_SENT, { dialogId }, users[0]!),
      await listen(MESSAGE_SENT, {}, users[1]!),
      await listen(MESSAGE_SENT, { dialogId }, users[2]!, second),
      await listen(MESSAGE_SENT, {}, users[3]!, second),
    ];
    await Promise.all(users.map((user) => sendMany(user, dialogId, 8)));
    const stored = await sql<{ id: string; date_sent: number }>(
      'SELECT id, date_sent FROM messages WHERE dialog_id = $1 ORDER BY seq',
      [dialogId],
    );
    expect(stored).toHaveLength(128);
    for (const one of received) {
      const ids = (await one.atLeast(128)).map((event) => event.messageSent.message.id);
      expect(ids).toEqual(stored.map(({ id }) => id));
    }
    for (const one of received) one.socket.socket.terminate();
    await second.stop();
  });
});

test('events of one call in several dialogs are ordered by dialog id, and within each dialog as they happened', async () => {
  const [alice, bob] = await quickUsers(2);
  const [first, second] = [await createDialog(alice!, [bob!]), await createDialog(alice!, [bob!])].sort() as [
    string,
    string,
  ];
  const of = (dialogId: string, subjectId: string) => {
    return { kind: 'messageEdited' as const, applicationId: APPLICATION.id, dialogId, subjectId };
  };
  const given = [of(second, 'b'), of(first, 'd'), of(second, 'a'), of(first, 'c')];
  await transact(BACKGROUND, (transaction) => appendDialogEvents(transaction, given, running.now()));
  const stream = await sql<{ id: string; subject: string }>(
    `SELECT dialog_id AS id, subject_id AS subject FROM events_outbox
     WHERE application_id = $1 AND kind = 'messageEdited' AND dialog_id = ANY($2) ORDER BY position`,
    [APPLICATION.id, [first, second]],
  );
  expect(stream.map(({ id, subject }) => [id, subject])).toEqual([
    [first, 'd'],
    [first, 'c'],
    [second, 'b'],
    [second, 'a'],
  ]);
});

describe('wake-up signals', () => {
  test('an event is delivered although its wake-up signal is lost', async () => {
    const { bob, dialogId, messageId } = await cast();
    const reactions = await listen(REACTION_ADDED, { dialogId }, bob);
    await finish(await slowReaction(dialogId, messageId, 'nobody notified'), 'COMMIT');
    expect(await reactions.atLeast(1)).toMatchObject([{ reactionAdded: { name: 'nobody notified' } }]);
  });

  test('a wake-up signal reaches another process, so that it does not have to poll', async () => {
    const { alice, bob, dialogId } = await cast();
    // Disables the polling of every second.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const second = await startAnother().finally(() => vi.useRealTimers());
    const messages = await listen(MESSAGE_SENT, { dialogId }, bob, second);
    for (let nth = 1; nth <= 5; nth++) {
      await send(alice, dialogId, `message ${nth}`);
      await messages.atLeast(nth);
    }
    messages.socket.socket.terminate();
    await second.stop();
  });

  test('the listening connection is restored when it is cut', async () => {
    const { alice, bob, dialogId } = await cast();
    const second = await startAnother();
    const messages = await listen(MESSAGE_SENT, { dialogId }, bob, second);
    const listeners = () =>
      sql<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
      );
    const before = await listeners();
    expect(before.length).toBe(2);
    await sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
    );
    await send(alice, dialogId, 'meanwhile');
    await messages.atLeast(1);
    await until(async () => {
      const now = await listeners();
      return now.length === 2 && now.every(({ pid }) => before.every((old) => old.pid !== pid));
    });
    await send(alice, dialogId, 'again');
    await messages.atLeast(2);
    messages.socket.socket.terminate();
    await second.stop();
    await until(async () => (await listeners()).length === 1);
  });

  test('the service recovers when all database connections are cut', async () => {
    const { alice, bob, dialogId } = await cast();
    const messages = await listen(MESSAGE_SENT, { dialogId }, bob);
    await sql(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await until(() =>
      send(alice, dialogId, 'again').then(
        () => true,
        () => false,
      ),
    );
    await until(() => messages.payloads().some((event) => event.messageSent?.message.text === 'again'));
  });
});
