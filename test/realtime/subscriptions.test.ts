import { afterEach, describe, expect, test } from 'vitest';
import { sweep } from '../../src/jobs/sweep.ts';
import { clock, running, useApp } from '../support/app/app.ts';
import { createTenant, startAnother } from '../support/app/other-apps.ts';
import { LOCKED_HERE, sql, statementsOf } from '../support/app/sql.ts';
import { closeSockets, type LiveSubscription, listen, until } from '../support/clients/websocket.ts';
import { createDialog, execute, MESSAGE_SENT, type QuickUser, quickUsers, send } from '../support/fixtures/chat.ts';
import { RETENTION } from '../support/fixtures/retention.ts';
import { apiKey, type Caller } from '../support/fixtures/users.ts';

useApp();

const REACTION_ADDED = `subscription ($dialogId: ID, $since: String) {
  reactionAdded(dialogId: $dialogId, since: $since) { cursor dialogId messageId userId name } }`;
const REACTION_REMOVED = `subscription ($dialogId: ID, $since: String) {
  reactionRemoved(dialogId: $dialogId, since: $since) { cursor dialogId messageId userId name } }`;

const react = (as: Caller, id: string, name = 'like') =>
  execute('mutation ($id: ID!, $name: String) { addReaction(messageId: $id, name: $name) { id } }', { id, name }, as);
const unreact = (as: Caller, id: string, name = 'like') =>
  execute(
    'mutation ($id: ID!, $name: String) { removeReaction(messageId: $id, name: $name) { id } }',
    { id, name },
    as,
  );

/** Removes a user from a dialog without the service. */
async function remove(user: { id: number }, dialogId: string): Promise<void> {
  await sql(
    `WITH gone AS (DELETE FROM members WHERE dialog_id = $1 AND user_id = $2)
     UPDATE dialogs SET member_version = member_version + 1 WHERE id = $1`,
    [dialogId, user.id],
  );
}

/** Waits until all earlier events have been delivered. */
async function settled(as: Caller, dialogId: string): Promise<void> {
  const last = await listen(MESSAGE_SENT, { dialogId }, as);
  await send(as, dialogId, 'the last one');
  await last.atLeast(1);
  await last.close();
}

const texts = (received: { messageSent: { message: { text: string } } }[]) =>
  received.map(({ messageSent }) => messageSent.message.text);

afterEach(() => closeSockets());

describe('each kind of event', () => {
  test('each kind of event reaches the subscribers of its dialog, with its cursor', async () => {
    const [alice, bob] = await quickUsers(2);
    const dialogId = await createDialog(alice!, [bob!]);
    const sent = await listen(MESSAGE_SENT, { dialogId }, bob!);
    const added = await listen(REACTION_ADDED, { dialogId }, bob!);
    const removed = await listen(REACTION_REMOVED, { dialogId }, bob!);
    const id = await send(alice!, dialogId, 'hi');
    await react(alice!, id);
    await react(alice!, id);
    await unreact(alice!, id);
    const cursor = expect.stringMatching(/^\d+$/);
    const reaction = { cursor, dialogId, messageId: id, userId: alice!.id, name: 'like' };
    expect(await removed.atLeast(1)).toEqual([{ reactionRemoved: reaction }]);
    expect(await added.atLeast(1)).toEqual([{ reactionAdded: reaction }]);
    expect(await sent.atLeast(1)).toEqual([
      { messageSent: { cursor, dialogId, message: { id, text: 'hi', senderId: alice!.id } } },
    ]);
    const [{ messageSent }] = sent.payloads();
    const [{ reactionAdded }] = added.payloads();
    const [{ reactionRemoved }] = removed.payloads();
    expect(Number(messageSent.cursor)).toBeLessThan(Number(reactionAdded.cursor));
    expect(Number(reactionAdded.cursor)).toBeLessThan(Number(reactionRemoved.cursor));
    for (const subscription of [sent, added, removed]) await subscription.close();
  });

  test('a cursor of one subscription is valid in another', async () => {
    const [alice, bob] = await quickUsers(2);
    const dialogId = await createDialog(alice!, [bob!]);
    const sent = await listen(MESSAGE_SENT, { dialogId }, bob!);
    const id = await send(alice!, dialogId, 'hi');
    const [{ messageSent }] = await sent.atLeast(1);
    await sent.close();
    await react(alice!, id);
    const added = await listen(REACTION_ADDED, { since: messageSent.cursor }, bob!);
    expect(await added.atLeast(1)).toMatchObject([{ reactionAdded: { messageId: id } }]);
    await added.close();
  });
});

describe('rows 1, 30: recipients', () => {
  test('a dialog is refused to outsiders, and an unknown dialog to all users', async () => {
    const [alice, mallory] = await quickUsers(2);
    const dialogId = await createDialog(alice!, [alice!]);
    for (const query of [MESSAGE_SENT, REACTION_ADDED, REACTION_REMOVED]) {
      await expect(listen(query, { dialogId }, mallory!)).rejects.toMatchObject([
        { extensions: { code: 'FORBIDDEN' } },
      ]);
      for (const unknown of ['0'.repeat(24), 'x', '']) {
        await expect(listen(query, { dialogId: unknown }, alice!)).rejects.toMatchObject([
          { extensions: { code: 'NOT_FOUND' } },
        ]);
      }
    }
  });

  test('a subscription to all dialogs covers later dialogs and public groups, and no dialogs of others', async () => {
    const [alice, bob, carol] = await quickUsers(3);
    const early = await createDialog(alice!, [bob!]);
    const open = await createDialog(carol!, [], 'PUBLIC_GROUP');
    const foreign = await createDialog(alice!, [carol!]);
    const received = await listen(MESSAGE_SENT, {}, bob!);
    await send(alice!, early, 'early');
    await send(carol!, open, 'open');
    await send(alice!, foreign, 'not for bob');
    const late = await createDialog(alice!, [bob!]);
    await send(alice!, late, 'late');
    await execute(
      'mutation ($id: Int!) { sendMessage(input: { recipientId: $id, text: "private" }) { id } }',
      { id: bob!.id },
      alice!,
    );
    expect(texts(await received.atLeast(4))).toEqual(['early', 'open', 'late', 'private']);
    await received.close();
  });

  test('a user who joins a dialog receives its events from then on', async () => {
    const [alice, bob] = await quickUsers(2);
    const dialogId = await createDialog(alice!, [alice!]);
    const received = await listen(MESSAGE_SENT, {}, bob!);
    await send(alice!, dialogId, 'before');
    await settled(alice!, dialogId);
    await sql(
      `WITH come AS (INSERT INTO members (application_id, dialog_id, user_id, joined_at)
         SELECT application_id, id, $2, now() FROM dialogs WHERE id = $1)
       UPDATE dialogs SET member_version = member_version + 1 WHERE id = $1`,
      [dialogId, bob!.id],
    );
    await send(alice!, dialogId, 'after');
    expect(texts(await received.atLeast(1))).toEqual(['after']);
    await received.close();
  });

  test('row 3: a removed occupant receives no more events of the dialog, by any subscription', async () => {
    const [alice, bob, carol] = await quickUsers(3);
    const dialogId = await createDialog(alice!, [bob!, carol!]);
    const other = await createDialog(alice!, [bob!]);
    const ofDialog = await listen(MESSAGE_SENT, { dialogId }, bob!);
    const ofAll = await listen(MESSAGE_SENT, {}, bob!);
    const reactions = await listen(REACTION_ADDED, { dialogId }, bob!);
    const stays = await listen(MESSAGE_SENT, { dialogId }, carol!);
    const id = await send(alice!, dialogId, 'first');
    await ofDialog.atLeast(1);
    await ofAll.atLeast(1);
    await remove(bob!, dialogId);
    await send(alice!, dialogId, 'second');
    await react(alice!, id);
    await stays.atLeast(2);
    await send(alice!, other, 'third');
    expect(texts(await ofAll.atLeast(2))).toEqual(['first', 'third']);
    expect(texts(ofDialog.payloads())).toEqual(['first']);
    expect(reactions.payloads()).toEqual([]);
    const [{ messageSent }] = ofDialog.payloads();
    await expect(listen(MESSAGE_SENT, { dialogId, since: messageSent.cursor }, bob!)).rejects.toMatchObject([
      { extensions: { code: 'FORBIDDEN' } },
    ]);
    const resumed = await listen(MESSAGE_SENT, { since: messageSent.cursor }, bob!);
    expect(texts(await resumed.atLeast(1))).toEqual(['third']);
    for (const subscription of [ofDialog, ofAll, reactions, stays, resumed]) await subscription.close();
  });

  test('a subscriber who loses their rights while an event is in flight does not affect others who share it', async () => {
    const [alice, bob, carol] = await quickUsers(3);
    const dialogId = await createDialog(alice!, [bob!, carol!]);
    const first = await listen(MESSAGE_SENT, { dialogId }, bob!);
    const second = await listen(MESSAGE_SENT, { dialogId }, carol!);
    const id = await send(alice!, dialogId, 'first');
    await Promise.all([first.atLeast(1), second.atLeast(1)]);
    const { ownConnection } = await import('../support/app/sql.ts');
    const holder = await ownConnection();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
    // The event is delivered, but its message is locked.
    await sql(
      `INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, created_at)
       SELECT application_id, 'messageSent', id, $2, user_id, created_at FROM dialogs WHERE id = $1`,
      [dialogId, id],
    );
    running.app.services.outbox.wake();
    await until(async () => {
      const waiting = await sql(
        `SELECT 1 FROM pg_locks WHERE ${LOCKED_HERE} AND NOT granted AND relation = 'messages'::regclass`,
      );
      return waiting.length > 0;
    });
    await remove(bob!, dialogId);
    await holder.query('COMMIT');
    await holder.end();
    expect(texts(await second.atLeast(2))).toEqual(['first', 'first']);
    // Earlier payloads of the socket precede this response.
    await first.socket.run('{ __typename }');
    expect(texts(first.payloads())).toEqual(['first']);
    await first.close();
    await second.close();
  });

  test('an API key receives the events of every dialog of its application', async () => {
    const [alice, bob] = await quickUsers(2);
    const dialogId = await createDialog(alice!, [bob!]);
    const ofDialog = await listen(MESSAGE_SENT, { dialogId }, apiKey);
    const ofAll = await listen(MESSAGE_SENT, {}, apiKey);
    await send(alice!, dialogId, 'hi');
    await send(alice!, await createDialog(alice!, [], 'PUBLIC_GROUP'), 'open');
    expect(texts(await ofAll.atLeast(2))).toEqual(['hi', 'open']);
    expect(texts(ofDialog.payloads())).toEqual(['hi']);
    await ofDialog.close();
    await ofAll.close();
  });

  test('row 20: other applications receive nothing from any subscription', async () => {
    const [alice] = await quickUsers(1);
    const dialogId = await createDialog(alice!, [alice!]);
    const open = await createDialog(alice!, [], 'PUBLIC_GROUP');
    const other = await createTenant(1);
    const own = await listen(MESSAGE_SENT, { dialogId }, alice!);
    await send(alice!, dialogId, 'before');
    const [{ messageSent }] = await own.atLeast(1);
    const strangers = [
      await listen(MESSAGE_SENT, {}, other.key),
      await listen(MESSAGE_SENT, {}, other.users[0]!),
      await listen(MESSAGE_SENT, { since: messageSent.cursor }, other.key),
      await listen(REACTION_ADDED, { since: messageSent.cursor }, other.users[0]!),
    ];
    for (const id of [dialogId, open]) {
      await expect(listen(MESSAGE_SENT, { dialogId: id }, other.key)).rejects.toMatchObject([
        { extensions: { code: 'NOT_FOUND' } },
      ]);
    }
    await react(alice!, await send(alice!, dialogId, 'secret'));
    await send(alice!, open, 'open to us');
    const theirs = await createDialog(other.users[0]!, [], 'PUBLIC_GROUP');
    await send(other.users[0]!, theirs, 'theirs');
    for (const stranger of strangers.slice(0, 3)) expect(texts(await stranger.atLeast(1))).toEqual(['theirs']);
    expect(strangers[3]!.payloads()).toEqual([]);
    for (const subscription of [own, ...strangers]) await subscription.close();
  });
});

describe('since', () => {
  test('since delivers exactly the missed events, once and in order, then continues live', async () => {
    const [alice, bob] = await quickUsers(2);
    const dialogId = await createDialog(alice!, [bob!]);
    const other = await createDialog(alice!, [bob!]);
    const first = await listen(MESSAGE_SENT, { dialogId }, bob!);
    await send(alice!, dialogId, '1');
    const [{ messageSent }] = await first.atLeast(1);
    await first.close();
    for (let nth = 2; nth <= 30; nth++) await send(alice!, nth % 5 === 0 ? other : dialogId, String(nth));
    const missed = Array.from({ length: 29 }, (_, nth) => nth + 2);
    const inDialog = missed.filter((nth) => nth % 5 !== 0).map(String);
    const resumed = await listen(MESSAGE_SENT, { dialogId, since: messageSent.cursor }, bob!);
    const ofAll = await listen(MESSAGE_SENT, { since: messageSent.cursor }, bob!);
    await send(alice!, dialogId, 'live');
    expect(texts(await resumed.atLeast(inDialog.length + 1))).toEqual([...inDialog, 'live']);
    expect(texts(await ofAll.atLeast(30))).toEqual([...missed.map(String), 'live']);
    const cursors = ofAll.payloads().map((event) => Number(event.messageSent.cursor));
    expect(cursors).toEqual([...cursors].sort((a, b) => a - b));
    await resumed.close();
    await ofAll.close();
  });

  test('since delivers a long backlog completely and in order', async () => {
    const [alice, bob] = await quickUsers(2);
    const dialogId = await createDialog(alice!, [bob!]);
    const first = await listen(MESSAGE_SENT, { dialogId }, bob!);
    await send(alice!, dialogId, 'first');
    const [{ messageSent }] = await first.atLeast(1);
    await first.close();
    for (let round = 0; round < 15; round++) {
      await Promise.all(Array.from({ length: 20 }, () => send(alice!, dialogId, 'x')));
    }
    const resumed = await listen(MESSAGE_SENT, { since: messageSent.cursor }, bob!);
    const received = await resumed.atLeast(300);
    expect(new Set(received.map((event) => event.messageSent.message.id)).size).toBe(300);
    const stored = await sql<{ id: string }>('SELECT id FROM messages WHERE dialog_id = $1 ORDER BY seq', [dialogId]);
    expect(received.map((event) => event.messageSent.message.id)).toEqual(stored.slice(1).map(({ id }) => id));
    await resumed.close();
  });

  test('since remains valid across a restart of the service', async () => {
    const [alice, bob] = await quickUsers(2);
    const dialogId = await createDialog(alice!, [bob!]);
    const before = await startAnother();
    const first = await listen(MESSAGE_SENT, { dialogId }, bob!, before);
    await send(alice!, dialogId, '1');
    const [{ messageSent }] = await first.atLeast(1);
    await before.stop();
    expect((await first.socket.closed).code).toBe(1001);
    await send(alice!, dialogId, '2');
    await send(alice!, dialogId, '3');
    const after = await startAnother();
    const resumed = await listen(MESSAGE_SENT, { dialogId, since: messageSent.cursor }, bob!, after);
    await send(alice!, dialogId, '4');
    expect(texts(await resumed.atLeast(3))).toEqual(['2', '3', '4']);
    await resumed.close();
    await after.stop();
  });

  test('no event is missed or duplicated while many users send and the subscriber reconnects', async () => {
    const senders = await quickUsers(20);
    const [bob] = await quickUsers(1);
    const dialogId = await createDialog(senders[0]!, [...senders.slice(1), bob!]);
    const apps = [running.app, await startAnother()];
    const start = await listen(MESSAGE_SENT, { dialogId }, bob!);
    await send(senders[0]!, dialogId, 'start');
    let cursor = (await start.atLeast(1))[0].messageSent.cursor as string;
    await start.close();

    const perSender = 12;
    let isSending = true;
    const sending = Promise.all(
      senders.map(async (sender) => {
        for (let nth = 0; nth < perSender; nth++) await send(sender, dialogId, `${sender.id} ${nth}`);
      }),
    ).finally(() => {
      isSending = false;
    });
    const received: string[] = [];
    for (let round = 0; isSending || received.length < 20 * perSender; round++) {
      const subscription = await listen(MESSAGE_SENT, { dialogId, since: cursor }, bob!, apps[round % 2]);
      await until(
        () => subscription.payloads().length >= 9 || received.length + subscription.payloads().length >= 20 * perSender,
      );
      const events = subscription.payloads();
      subscription.socket.socket.terminate();
      await subscription.socket.closed;
      received.push(...events.map((event) => event.messageSent.message.id));
      cursor = events.at(-1)?.messageSent.cursor ?? cursor;
    }
    await sending;
    const stored = await sql<{ id: string }>('SELECT id FROM messages WHERE dialog_id = $1 ORDER BY seq', [dialogId]);
    expect(received).toEqual(stored.slice(1).map(({ id }) => id));
    await apps[1]!.stop();
  });

  test('a cursor of a faster process causes no duplicates on a slower one', async () => {
    const { Hub } = await import('../../src/realtime/hub.ts');
    const { Outbox } = await import('../../src/realtime/outbox.ts');
    const { Bus } = await import('../../src/realtime/bus.ts');
    const { PostgresBus } = await import('../../src/realtime/postgres-bus.ts');
    const [alice] = await quickUsers(1);
    const dialogId = await createDialog(alice!, [alice!]);
    const { log } = running.app.services;
    const bus = new Bus('slow', new PostgresBus(running.database.config, log), log);
    const outbox = new Outbox(bus);
    const slow = new Hub(outbox, bus, log);
    const watched = {
      viewer: { kind: 'user', applicationId: 92, catalogueVersion: 0, userId: alice!.id },
      kind: 'messageSent',
      dialogId,
    } as const;
    const early = await slow.subscribe(watched, undefined); // it has read up to here, and does not poll yet
    const fast = await listen(MESSAGE_SENT, { dialogId }, alice!);
    await send(alice!, dialogId, 'seen on the fast one');
    const [{ messageSent }] = await fast.atLeast(1);
    const resumed = await slow.subscribe(watched, messageSent.cursor);
    slow.start();
    const next = await send(alice!, dialogId, 'new');
    outbox.wake();
    expect((await resumed.next()).value?.payload.subjectId).toBe(next);
    expect((await early.next()).value?.payload.position).toBe(BigInt(messageSent.cursor));
    await early.return();
    await resumed.return();
    slow.stop();
    await fast.close();
  });

  test.each(['', 'x', '-1', '00', '1.5', '1e3', ' 1', '0x10', '99999999999999999999', "1' OR 1=1", '१'])(
    'since rejects the cursor %j',
    async (since) => {
      const [alice] = await quickUsers(1);
      await expect(listen(MESSAGE_SENT, { since }, alice!)).rejects.toMatchObject([
        { message: 'Invalid cursor', extensions: { code: 'BAD_USER_INPUT' } },
      ]);
    },
  );

  test('since fails with CURSOR_EXPIRED as soon as a later event has expired, and not before', async () => {
    const [alice] = await quickUsers(1);
    const dialogId = await createDialog(alice!, [alice!]);
    const received = await listen(MESSAGE_SENT, { dialogId }, alice!);
    await send(alice!, dialogId, 'old');
    await received.atLeast(1);
    const hour = 3_600_000;
    const begin = running.now();
    try {
      clock.set(new Date(begin.getTime() + 20 * hour));
      await send(alice!, dialogId, 'younger');
      const [old, younger] = (await received.atLeast(2)).map((event) => event.messageSent.cursor);

      await sweep(new Date(begin.getTime() + 24 * hour), RETENTION);
      const kept = await listen(MESSAGE_SENT, { dialogId, since: old }, alice!);
      expect(texts(await kept.atLeast(1))).toEqual(['younger']);
      await kept.close();

      await sweep(new Date(begin.getTime() + 24 * hour + 1000), RETENTION);
      for (const variables of [{ dialogId, since: old }, { since: old }]) {
        await expect(listen(MESSAGE_SENT, variables, alice!)).rejects.toMatchObject([
          { extensions: { code: 'CURSOR_EXPIRED' } },
        ]);
      }
      const young = await listen(MESSAGE_SENT, { dialogId, since: younger }, alice!);
      await young.close();
      await send(alice!, dialogId, 'live');
      expect(texts(await received.atLeast(3))).toEqual(['old', 'younger', 'live']);
    } finally {
      clock.set(begin);
    }
    await received.close();
  });

  test('the sweep keeps young events, however many there are', async () => {
    const [{ count: before }] = (await sql<{ count: number }>(
      'SELECT count(*)::int AS count FROM events_outbox WHERE created_at >= $1',
      [new Date(running.now().getTime() - 1000)],
    )) as [{ count: number }];
    await sweep(running.now(), { ...RETENTION, sessionMinutes: 120, eventRetentionHours: 1 });
    const [{ count: after }] = (await sql<{ count: number }>(
      'SELECT count(*)::int AS count FROM events_outbox WHERE created_at >= $1',
      [new Date(running.now().getTime() - 1000)],
    )) as [{ count: number }];
    expect(after).toBe(before);
    expect(after).toBeGreaterThan(0);
  });
});

describe('shared executions', () => {
  test('fields that depend on the viewer are correct for each subscriber of a shared document', async () => {
    const users = await quickUsers(4);
    const [alice, bob] = users as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, users.slice(1));
    const id = await send(alice, dialogId, 'hi');
    await react(alice, id, 'like');
    await react(bob, id, 'haha');
    await react(bob, id, 'like');
    const document = `subscription ($dialogId: ID) { messageSent(dialogId: $dialogId) {
      message { id reactions { name count own } ownReactions } } }`;
    const received: LiveSubscription[] = [];
    for (const user of [...users, apiKey]) received.push(await listen(document, { dialogId }, user));
    await sql(
      `INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, created_at)
       SELECT application_id, 'messageSent', id, $2, user_id, created_at FROM dialogs WHERE id = $1`,
      [dialogId, id],
    );
    running.app.services.outbox.wake();
    const own = [['like'], ['haha', 'like'], [], [], []];
    for (const [nth, subscription] of received.entries()) {
      const [{ messageSent }] = await subscription.atLeast(1);
      expect(messageSent.message).toEqual({
        id,
        reactions: [
          { name: 'like', count: 2, own: own[nth]!.includes('like') },
          { name: 'haha', count: 1, own: own[nth]!.includes('haha') },
        ],
        ownReactions: own[nth],
      });
      await subscription.close();
    }
  });

  test('an event costs the same number of statements for 50 subscribers of one document as for one', async () => {
    // The lookup of push recipients runs in the background and would add statements.
    await sql('UPDATE applications SET chat_pushes = false');
    const users = await quickUsers(51);
    const dialogId = await createDialog(users[0]!, users.slice(1));
    const document = `subscription ($dialogId: ID, $since: String) { messageSent(dialogId: $dialogId, since: $since) {
      cursor message { text sender { login } readIds reactions { name count } } } }`;
    const cost = async (listeners: QuickUser[]) => {
      const received: LiveSubscription[] = [];
      for (const user of listeners) received.push(await listen(document, { dialogId }, user));
      await settled(users[0]!, dialogId);
      await Promise.all(received.map((one) => one.atLeast(1)));
      const sent = await statementsOf(async () => {
        await send(users[0]!, dialogId, 'hi');
        await Promise.all(received.map((one) => one.atLeast(2)));
      });
      for (const one of received) {
        expect(one.payloads()[1].messageSent.message).toMatchObject({ text: 'hi', readIds: [users[0]!.id] });
      }
      await Promise.all(received.map((one) => one.close()));
      await until(() => running.app.services.hub.subscriptionCount === 0);
      return sent.length;
    };
    const ofOne = await cost(users.slice(1, 2));
    expect(await cost(users.slice(1))).toBe(ofOne);
    await sql('UPDATE applications SET chat_pushes = true');
  });

  test('subscriptions with different variables or documents are not mixed up', async () => {
    const [alice, bob] = await quickUsers(2);
    const [one, two] = [await createDialog(alice!, [bob!]), await createDialog(alice!, [bob!])];
    const document = `subscription ($id: ID, $withText: Boolean!) {
      messageSent(dialogId: $id) { dialogId message { id text @include(if: $withText) } } }`;
    const received = [
      await listen(document, { id: one, withText: true }, alice!),
      await listen(document, { id: one, withText: false }, alice!),
      await listen(document, { id: two, withText: true }, bob!),
      await listen(
        `subscription A { messageSent { message { text } } } subscription B { messageSent { dialogId } }`,
        {},
        bob!,
      ).catch((errors) => errors),
    ];
    const id = await send(alice!, one, 'in one');
    const other = await send(alice!, two, 'in two');
    expect(await received[0].atLeast(1)).toEqual([{ messageSent: { dialogId: one, message: { id, text: 'in one' } } }]);
    expect(await received[1].atLeast(1)).toEqual([{ messageSent: { dialogId: one, message: { id } } }]);
    expect(await received[2].atLeast(1)).toEqual([
      { messageSent: { dialogId: two, message: { id: other, text: 'in two' } } },
    ]);
    expect(received[3]).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    for (const subscription of received.slice(0, 3)) await subscription.close();
  });
});
